package capture

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/process"
	"github.com/zkviz/zkviz/engine/zoo"
)

// notice is a watch event that has come from the server. The change that fired it may not have been heard
// of yet, since it is another client that is told of it; until it has, the event is held back.
type notice struct {
	l     *Conn
	f     *Frame
	ev    zoo.WatchEvent
	key   process.Key
	since int64
	stays *armed                // the watch, if it stays when it fires
	after map[*Request]struct{} // writes that may be the cause and have not been answered
	last  time.Time             // then none of them is waited for
	until time.Time             // then no cause will be found, if the sessions were looked at since
	look  int                   // the first look at them that is since
}

// CausePatience bounds how long a watch event is held back once no write is left that may be its cause, and
// lookPatience how much longer until the sessions were looked at: one that has ended may be the cause, and on a
// busy machine the servers may take long to say so.
//
// writePatience bounds how long an event waits for writes that are not answered: a server that answers nothing any more
// keeps nobody waiting.
const (
	CausePatience = 500 * time.Millisecond
	lookPatience  = 10 * time.Second
	writePatience = time.Minute
)

// notice takes a watch event from the server.
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

// fires says which of the connection's watches an event comes from. One deletion fires all of the znode's
// and is told once.
func (l *Conn) fires(ev zoo.WatchEvent) process.Key {
	tables := [...]event.Watch{event.DataWatch, event.ExistWatch, event.ChildWatch}
	first := process.Key{Kind: event.DataWatch, Path: ev.Path}
	if ev.Type == zoo.NodeChildrenChanged {
		first.Kind = event.ChildWatch
	}
	found := false
	for _, kind := range tables {
		key := process.Key{Kind: kind, Path: ev.Path}
		if !key.Hears(ev.Type) {
			continue
		}
		a := l.armed[key]
		if a == nil && !l.rearming[key] {
			continue
		}
		delete(l.rearming, key)
		if !found {
			first, found = key, true
		} else if a != nil {
			l.unarm(a)
		}
	}
	if !found {
		if key, ok := l.staying(ev); ok {
			return key
		}
	}
	return first
}

// staying is the watch that stays when it fires from which an event comes.
func (l *Conn) staying(ev zoo.WatchEvent) (process.Key, bool) {
	key := process.Key{Kind: event.PersistentWatch, Path: ev.Path}
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

// from is the zxid after which the change is that has fired the watch.
func (n *notice) from() int64 {
	if n.stays == nil {
		return n.since
	}
	return max(n.stays.since, n.l.told[n.ev.Path])
}

// keepTold is of how many znodes it is remembered what staying watches of a connection have told last.
const keepTold = 4096

// tells remembers which change a staying watch has told of.
func (n *notice) tells(c change) {
	l := n.l
	if n.stays == nil || c.zxid == 0 {
		return
	}
	if len(l.told) >= keepTold {
		for _, a := range l.armed {
			if a.key.Kind.Stays() {
				a.since = max(a.since, c.zxid)
			}
		}
		l.told = nil
	}
	if l.told == nil {
		l.told = map[string]int64{}
	}
	l.told[n.ev.Path] = c.zxid
}

// touches reports whether a write may have caused a watch event of the znode.
func (r *Request) touches(znode string) bool {
	hit := func(at string) bool { return at == znode || path.Dir(at) == znode }
	if r.Op == event.CloseSession {
		return slices.ContainsFunc(r.By.owned, hit)
	}
	return slices.ContainsFunc(r.Parts, func(o zoo.Op) bool { return hit(o.Path) })
}

// answered is the end of a write's uncertainty: it was answered, or never will be.
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

// settleNotices lets the events go on whose cause is now known, or never will be.
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

// settleNotice lets the event go on if its cause is known, or never will be.
func (w *Cluster) settleNotice(n *notice, now time.Time) bool {
	if len(n.after) > 0 && now.Before(n.last) {
		n.until = now.Add(w.patience)
		return false
	}
	c, ok := w.causeOf(n)
	cause := c.seq
	if !ok && (now.Before(n.until) || w.looked < n.look && now.Before(n.until.Add(lookPatience))) {
		w.look() // it may be the end of a session that nobody was told of
		return false
	}
	if !ok {
		cause = w.stranger(n)
	}
	n.tells(c)
	n.tell(cause, now)
	return true
}

// causeOf is the first change after the watch was set that fires it so: what is done to a znode itself fires a watch of
// its children only when it is deleted.
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

// stranger is a change by somebody whose connection is not seen. It may be the end of a session of which nothing was
// heard for so long.
func (w *Cluster) stranger(n *notice) event.Seq {
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

// tell logs that the watch has fired, and lets the event go to the client.
func (n *notice) tell(cause event.Seq, now time.Time) {
	l := n.l
	n.f.Cause = l.w.emit(event.Event{Kind: event.WatchFired, Peer: l.c.ID, Path: n.ev.Path, Watch: n.key.Kind,
		Type: uint8(n.ev.Type), N: l.c.flight(), Cause: cause})
	l.release(n.f, now)
}
