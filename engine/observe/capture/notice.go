package capture

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/zkclient"
)

// notice is a watch event from the server. The change that fired it may still be unknown, since the answer goes to
// another client. Until it is known, the event is held back.
type notice struct {
	l     *Conn
	f     *Frame
	ev    zoo.WatchEvent
	key   zkclient.Key
	since int64
	stays *armed                // the watch, if it stays set when it fires
	after map[*Request]struct{} // unanswered writes that may be the cause
	last  time.Time             // when to stop waiting for them
	until time.Time             // when to give up finding a cause, if the sessions were looked at since
	look  int                   // the first such look
}

// CausePatience limits how long a watch event is held back once no write is left that may be its cause. lookPatience
// is the additional time for a look at the sessions: one that has ended may be the cause, and on a busy machine the
// servers may report that late.
//
// writePatience limits how long an event waits for unanswered writes, in case the server has stopped answering.
const (
	CausePatience = 500 * time.Millisecond
	lookPatience  = 10 * time.Second
	writePatience = time.Minute
)

// notice handles a watch event from the server.
func (l *Conn) notice(f *Frame, payload []byte, now time.Time) {
	ev, ok := readNotice(payload)
	if !ok {
		return
	}
	w := l.w
	n := &notice{
		l: l, f: f, ev: ev, since: l.relative, after: map[*Request]struct{}{},
		last: now.Add(writePatience), until: now.Add(w.patience), look: w.looks + 1,
	}
	f.Notice, f.Waits = &ev, true
	l.c.Inbound(1)
	n.key = l.fires(ev)
	if a := l.armed[n.key]; a != nil && n.key.Kind.Stays() {
		n.stays = a
	} else if a != nil {
		n.since = a.since
		l.unarm(a)
	}
	for r := range w.writes.near(n.ev.Path) {
		if r.touches(n.ev.Path) {
			n.after[r] = struct{}{}
		}
	}
	if !w.settleNotice(n, now) {
		w.pending = append(w.pending, n)
	}
}

// fires returns the connection's watch that an event comes from. A deletion fires all watches of the znode, but is
// reported once. Only the answer to a setWatches reports it for each.
func (l *Conn) fires(ev zoo.WatchEvent) zkclient.Key {
	tables := [...]event.Watch{event.DataWatch, event.ExistWatch, event.ChildWatch}
	first := zkclient.Key{Kind: event.DataWatch, Path: ev.Path}
	if ev.Type == zoo.NodeChildrenChanged {
		first.Kind = event.ChildWatch
	}
	found := false
	for _, kind := range tables {
		key := zkclient.Key{Kind: kind, Path: ev.Path}
		if !key.Hears(ev.Type) {
			continue
		}
		switch a := l.armed[key]; {
		case a != nil && found:
			l.unarm(a)
		case a != nil:
			first, found = key, true
		case l.rearming[key] && !found:
			delete(l.rearming, key)
			return key
		}
	}
	if !found {
		if key, ok := l.staying(ev); ok {
			return key
		}
	}
	return first
}

// staying returns the persistent or recursive watch that an event comes from.
func (l *Conn) staying(ev zoo.WatchEvent) (zkclient.Key, bool) {
	key := zkclient.Key{Kind: event.PersistentWatch, Path: ev.Path}
	set := func() bool { return l.armed[key] != nil || l.rearming[key] }
	if set() || ev.Type == zoo.NodeChildrenChanged {
		return key, set()
	}
	for key.Kind = event.RecursiveWatch; strings.HasPrefix(key.Path, "/"); key.Path = path.Dir(key.Path) {
		if set() || key.Path == "/" {
			return key, set()
		}
	}
	return key, false
}

// from returns the zxid after which the change that fired the watch must be.
func (n *notice) from() int64 {
	if n.stays == nil {
		return n.since
	}
	return max(n.stays.since, n.l.lastFired[n.ev.Path])
}

// maxLastFired is the number of znodes for which a connection keeps the last event of its persistent watches.
const maxLastFired = 4096

// recordFired records the change that a persistent watch reported.
func (n *notice) recordFired(c change) {
	l := n.l
	if n.stays == nil || c.zxid == 0 {
		return
	}
	if len(l.lastFired) >= maxLastFired {
		for _, a := range l.armed {
			if a.key.Kind.Stays() {
				a.since = max(a.since, c.zxid)
			}
		}
		l.lastFired = nil
	}
	if l.lastFired == nil {
		l.lastFired = map[string]int64{}
	}
	l.lastFired[n.ev.Path] = c.zxid
}

// touches reports whether a write may have caused a watch event of the znode.
func (r *Request) touches(znode string) bool {
	hit := func(at string) bool { return at == znode || path.Dir(at) == znode }
	if r.Op == event.CloseSession {
		return slices.ContainsFunc(r.By.owned, hit)
	}
	return slices.ContainsFunc(r.Parts, func(o zoo.Op) bool { return hit(o.Path) })
}

// answered handles the end of a write's uncertainty: it was answered, or never will be.
func (w *Cluster) answered(r *Request, now time.Time) {
	if !w.writes.has(r) {
		return
	}
	w.writes.remove(r)
	for _, n := range w.pending {
		delete(n.after, r)
	}
	w.settleNotices(now)
	w.settleHeld(now)
}

// settleNotices releases the events whose cause is known, or never will be.
func (w *Cluster) settleNotices(now time.Time) {
	left := w.pending[:0]
	for _, n := range w.pending {
		if !w.settleNotice(n, now) {
			left = append(left, n)
		}
	}
	clear(w.pending[len(left):])
	w.pending = left
}

// settleNotice releases the event if its cause is known, or never will be.
func (w *Cluster) settleNotice(n *notice, now time.Time) bool {
	if len(n.after) > 0 && now.Before(n.last) {
		n.until = now.Add(w.patience)
		return false
	}
	c, ok := w.causeOf(n)
	cause := c.seq
	if !ok && (now.Before(n.until) || w.looked < n.look && now.Before(n.until.Add(lookPatience))) {
		w.look() // the cause may be a session's end that nobody was told of
		return false
	}
	if !ok {
		cause = w.unseenChange(n)
	}
	n.recordFired(c)
	n.fire(cause)
	return true
}

// causeOf returns the first change after the watch was set that fires it in this way. A change of a znode itself fires
// a watch on its children only if it is a deletion.
func (w *Cluster) causeOf(n *notice) (change, bool) {
	ofChildren := n.ev.Type == zoo.NodeChildrenChanged
	list := w.tree.history.of(place{n.ev.Path, ofChildren})
	since := n.from()
	var first change
	for i := len(list) - 1; i >= 0; i-- {
		c := list[i]
		if c.zxid <= since {
			if first.zxid != 0 && i < len(list)-outOfOrder {
				break
			}
			continue
		}
		if (ofChildren || c.typ == n.ev.Type) && (first.zxid == 0 || c.zxid <= first.zxid) {
			first = c
		}
	}
	return first, first.zxid != 0
}

// unseenChange records a change by a client whose connection isn't seen. It may also be the end of an overdue session.
func (w *Cluster) unseenChange(n *notice) event.Seq {
	z := w.tree.znodes[n.ev.Path]
	if z == nil || n.ev.Type != zoo.NodeDeleted {
		return 0
	}
	zxid := n.from() + 1
	for _, other := range w.pending { // of the same change, if any
		if other.ev == n.ev {
			zxid = max(zxid, other.from()+1)
		}
	}
	if c := z.owner; c != nil && c.Overdue != nil && c.Overdue() && w.end(c, event.SessionExpired, zxid, c.Silenced) {
		w.ended()
		first, _ := w.causeOf(n)
		return first.seq
	}
	return w.Deleted(n.ev.Path, event.ZooKeeper, event.ByUnknown, zxid, 0)
}

// fire logs that the watch fired and passes the event on to the client.
func (n *notice) fire(cause event.Seq) {
	l := n.l
	n.f.Cause = l.w.emit(event.Event{Kind: event.WatchFired, Peer: l.c.ID, Path: n.ev.Path, Watch: n.key.Kind,
		Type: uint8(n.ev.Type), N: l.c.flight(), Cause: cause})
	l.release(n.f)
}
