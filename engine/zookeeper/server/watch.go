package server

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

func (c *Conn) notify(f znode.Fired, cause event.Seq) {
	n := wire.Notification{Type: int32(f.Type), State: wire.StateSyncConnected, Path: f.Path, Zxid: -1}
	if !c.closed {
		c.link.Notify(n, f.Watch, cause)
	}
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
			if !c.s.watchers.admits(c, path) {
				c.close(event.ConnTooManyWatches, cause)
				return
			}
			if f, fires := c.s.watchers.table.Rearm(c.s.tree, c.id, q.RelativeZxid, list.kind, path); fires {
				c.notify(f, cause)
			} else {
				c.s.watchers.logSet(c, list.kind, path, cause)
			}
		}
	}
}

func (c *Conn) addWatch(q *wire.Request, r *wire.Response, cause event.Seq) event.Seq {
	if q.Mode != wire.WatchPersistent && q.Mode != wire.WatchPersistentRecursive {
		r.Code = zoo.ErrMarshalling
		return cause
	}
	if !c.s.watchers.admits(c, q.Path) {
		r.Code = zoo.ErrQuotaExceeded
		return cause
	}
	if q.Mode == wire.WatchPersistent {
		return c.s.watchers.set(c, event.PersistentWatch, q.Path, cause)
	}
	return c.s.watchers.set(c, event.RecursiveWatch, q.Path, cause)
}

// checkWatches accepts a watch of any client: see znode.Watches.Has.
func (c *Conn) checkWatches(q *wire.Request, r *wire.Response) {
	if r.Code = zoo.ErrMarshalling; isTable(q.Type) {
		r.Code = c.s.watchers.table.Has(znode.Tables(q.Type), q.Path)
	}
}

func (c *Conn) removeWatches(q *wire.Request, r *wire.Response, cause event.Seq) event.Seq {
	if !isTable(q.Type) {
		r.Code = zoo.ErrMarshalling
		return cause
	}
	gone, any := c.s.watchers.table.Remove(c.id, znode.Tables(q.Type), q.Path)
	if !any {
		r.Code = zoo.ErrNoWatcher
	}
	for _, f := range gone {
		cause = c.s.log.add(event.Event{Kind: event.WatchRemoved, Peer: c.actor, Path: f.Path, Watch: f.Watch, Cause: cause})
	}
	return cause
}

func isTable(t int32) bool { return t >= wire.WatcherChildren && t <= wire.WatcherAny }
