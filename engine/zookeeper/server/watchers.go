package server

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// watchers keeps the connections and the watches that each has set. It counts towards the limits of watches.
type watchers struct {
	table  *znode.Watches
	conns  []*Conn // by znode.Watcher; nil for a free one
	free   []znode.Watcher
	limits *Limits
	log    *eventLog
	fired  []znode.Fired // memory that each change reuses
}

// enter numbers a connection.
func (w *watchers) enter(c *Conn) {
	if n := len(w.free); n > 0 {
		c.id, w.free = w.free[n-1], w.free[:n-1]
		w.conns[c.id] = c
	} else {
		c.id = znode.Watcher(len(w.conns))
		w.conns = append(w.conns, c)
	}
}

// leave releases the ID of a closed connection without watches.
func (w *watchers) leave(c *Conn) {
	w.conns[c.id] = nil
	w.free = append(w.free, c.id)
}

func (w *watchers) logRemoved(c *Conn, gone []znode.Fired, cause event.Seq) {
	for _, f := range gone {
		w.log.add(event.Event{Kind: event.WatchRemoved, Peer: c.actor, Path: f.Path, Watch: f.Watch, Cause: cause})
	}
}

// admits reports whether the connection may watch the path: it already does, or there is room for another watch.
func (w *watchers) admits(c *Conn, path string) bool {
	l := w.limits
	if l.Watches == 0 && l.WatchesPerConn == 0 && l.WatchBytes == 0 {
		return true
	}
	count, bytes := w.table.All()
	mine := w.table.Of(c.id)
	if l.WatchesKept > 0 && (mine >= l.WatchesKept || len(path) > l.WatchBytes/max(l.Watches, 1)) {
		count, bytes = count+l.Watches/4, bytes+l.WatchBytes/4
	}
	switch {
	case l.Watches > 0 && count >= l.Watches,
		l.WatchBytes > 0 && bytes+len(path) > l.WatchBytes,
		l.WatchesPerConn > 0 && mine >= l.WatchesPerConn:
		return w.table.Stands(c.id, path)
	}
	return true
}

// notify sends a watch event, unless the client may not read the znode. Then the watch is used up without an event.
func (w *watchers) notify(f znode.Fired, c *znode.Change, cause event.Seq) {
	k := w.conns[f.Watcher]
	if k == nil { // its host ended it during the same change
		return
	}
	if k.closed {
		w.usedUp(k, f, cause)
		return
	}
	acl := c.ACL
	if f.Type == zoo.NodeChildrenChanged {
		acl = c.Above
	}
	if acl != nil {
		if caller := k.identity.caller(); !caller.Sees(acl) {
			w.usedUp(k, f, cause)
			return
		}
	}
	k.notify(f, cause)
}

func (w *watchers) usedUp(k *Conn, f znode.Fired, cause event.Seq) {
	if !f.Watch.Stays() {
		w.log.add(event.Event{Kind: event.WatchRemoved, Peer: k.actor, Path: f.Path, Watch: f.Watch, Cause: cause})
	}
}

// set sets a watch and returns its event, or cause if an equivalent watch existed.
func (w *watchers) set(c *Conn, kind event.Watch, path string, cause event.Seq) event.Seq {
	isNew, gone := w.table.Set(c.id, kind, path)
	if !isNew {
		return cause
	}
	w.logRemoved(c, gone, cause)
	return w.logSet(c, kind, path, cause)
}

func (w *watchers) logSet(c *Conn, kind event.Watch, path string, cause event.Seq) event.Seq {
	if !w.log.on() {
		return cause
	}
	return w.log.add(event.Event{Kind: event.WatchSet, Peer: c.actor, Path: path, Watch: kind, Cause: cause})
}

// fire sends the watch events of a change.
func (w *watchers) fire(c *znode.Change, cause event.Seq) {
	w.fired = w.table.Fire(*c, w.fired[:0])
	for _, f := range w.fired {
		w.notify(f, c, cause)
	}
}
