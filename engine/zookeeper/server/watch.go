package server

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// notify sends a watch event, unless the client may not read the znode. Then the watch is used up without an event.
func (s *Server) notify(f znode.Fired, c *znode.Change, cause event.Seq) {
	k := s.conns[f.Watcher]
	if k == nil { // its host ended it during the same change
		return
	}
	if k.closed {
		s.spent(k, f, cause)
		return
	}
	acl := c.ACL
	if f.Type == zoo.NodeChildrenChanged {
		acl = c.Above
	}
	if acl != nil {
		if caller := k.caller(); !caller.Sees(acl) {
			s.spent(k, f, cause)
			return
		}
	}
	k.notify(f, cause)
}

func (s *Server) spent(k *Conn, f znode.Fired, cause event.Seq) {
	if !f.Watch.Stays() {
		s.emit(event.Event{Kind: event.WatchRemoved, Peer: k.actor, Path: f.Path, Watch: f.Watch, Cause: cause})
	}
}

func (c *Conn) notify(f znode.Fired, cause event.Seq) {
	n := wire.Notification{Type: int32(f.Type), State: wire.StateSyncConnected, Path: f.Path, Zxid: -1}
	if !c.closed {
		c.link.Notify(n, f.Watch, cause)
	}
}

// watch sets a watch and returns its event, or cause if an equivalent watch existed.
func (c *Conn) watch(kind event.Watch, path string, cause event.Seq) event.Seq {
	isNew, gone := c.s.watches.Set(c.id, kind, path)
	if !isNew {
		return cause
	}
	c.sayRemoved(gone, cause)
	return c.sayWatch(kind, path, cause)
}

func (c *Conn) sayWatch(kind event.Watch, path string, cause event.Seq) event.Seq {
	if !c.s.logs() {
		return cause
	}
	return c.s.emit(event.Event{Kind: event.WatchSet, Peer: c.actor, Path: path, Watch: kind, Cause: cause})
}

// BeginSetWatches executes up to most paths of a setWatches and removes them from the request, for hosts that
// interleave other work. It reports whether many are left. Call Handle with the rest at the end. The server notices
// changes in between when a path's turn comes.
func (c *Conn) BeginSetWatches(q *wire.Request, most int, now time.Duration, cause event.Seq) (more bool) {
	if q.Op != wire.OpSetWatches && q.Op != wire.OpSetWatches2 || c.closed || c.session == nil {
		return false
	}
	if len(q.DataWatches)+len(q.ExistWatches)+len(q.ChildWatches)+
		len(q.PersistentWatches)+len(q.RecursiveWatches) <= most {
		return false
	}
	c.s.now = now
	first := wire.Request{RelativeZxid: q.RelativeZxid}
	for _, list := range []struct{ from, to *[]string }{
		{&q.DataWatches, &first.DataWatches}, {&q.ExistWatches, &first.ExistWatches}, {&q.ChildWatches, &first.ChildWatches},
		{&q.PersistentWatches, &first.PersistentWatches}, {&q.RecursiveWatches, &first.RecursiveWatches},
	} {
		n := min(most, len(*list.from))
		*list.to, *list.from = (*list.from)[:n], (*list.from)[n:]
		most -= n
	}
	c.setWatches(&first, cause)
	return true
}

// setWatches sets the watches of a reconnecting client, or fires them if their znode has changed.
func (c *Conn) setWatches(q *wire.Request, cause event.Seq) {
	for _, list := range [...]struct {
		kind  event.Watch
		paths []string
	}{
		{event.DataWatch, q.DataWatches},
		{event.ExistWatch, q.ExistWatches},
		{event.ChildWatch, q.ChildWatches},
		{event.PersistentWatch, q.PersistentWatches},
		{event.RecursiveWatch, q.RecursiveWatches},
	} {
		for _, path := range list.paths {
			if !c.mayWatch(path) {
				c.close(event.ConnTooManyWatches, cause)
				return
			}
			if f, fires := c.s.watches.Rearm(c.s.tree, c.id, q.RelativeZxid, list.kind, path); fires {
				c.notify(f, cause)
			} else {
				c.sayWatch(list.kind, path, cause)
			}
		}
	}
}

func (c *Conn) addWatch(q *wire.Request, r *wire.Response, cause event.Seq) event.Seq {
	if q.Mode != wire.WatchPersistent && q.Mode != wire.WatchPersistentRecursive {
		r.Code = zoo.ErrMarshalling
		return cause
	}
	if !c.mayWatch(q.Path) {
		r.Code = zoo.ErrQuotaExceeded
		return cause
	}
	if q.Mode == wire.WatchPersistent {
		return c.watch(event.PersistentWatch, q.Path, cause)
	}
	return c.watch(event.RecursiveWatch, q.Path, cause)
}

// checkWatches accepts a watch of any client: see znode.Watches.Has.
func (c *Conn) checkWatches(q *wire.Request, r *wire.Response) {
	if r.Code = zoo.ErrMarshalling; isTable(q.Type) {
		r.Code = c.s.watches.Has(znode.Tables(q.Type), q.Path)
	}
}

func (c *Conn) removeWatches(q *wire.Request, r *wire.Response, cause event.Seq) event.Seq {
	if !isTable(q.Type) {
		r.Code = zoo.ErrMarshalling
		return cause
	}
	gone, any := c.s.watches.Remove(c.id, znode.Tables(q.Type), q.Path)
	if !any {
		r.Code = zoo.ErrNoWatcher
	}
	for _, f := range gone {
		cause = c.s.emit(event.Event{Kind: event.WatchRemoved, Peer: c.actor, Path: f.Path, Watch: f.Watch, Cause: cause})
	}
	return cause
}

func isTable(t int32) bool { return t >= wire.WatcherChildren && t <= wire.WatcherAny }
