package live

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/capture"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/process"
	"github.com/zkviz/zkviz/engine/zoo"
)

// notice is a watch event that has come from the server. The change that fired it may not have been heard
// of yet, since it is another client that is told of it; until it has, the event is held back.
type notice struct {
	l     *link
	ev    zoo.WatchEvent
	key   process.Key
	since int64
	after map[*request]struct{} // writes that may be the cause and have not been answered
	until time.Time             // then no cause will be found, if the sessions were looked at since
	look  int                   // the first look at them that is since
	known bool
}

// causePatience bounds how long a watch event is held back once no write is left that may be its cause, and
// lookPatience how much longer until the sessions were looked at: one that has ended may be the cause, and on a
// busy machine the servers may take long to say so.
const (
	causePatience = 500 * time.Millisecond
	lookPatience  = 10 * time.Second
)

// notice takes a watch event from the server.
func (l *link) notice(i inbound, payload []byte) {
	ev, ok := capture.ReadNotice(payload)
	if !ok {
		l.in = append(l.in, i)
		return
	}
	w := l.c.w
	n := &notice{l: l, ev: ev, since: l.relative, until: time.Now().Add(causePatience), look: w.looks + 1, after: map[*request]struct{}{}}
	l.c.state.Inbound++
	l.c.update()
	n.key = l.fires(ev)
	if a := l.armed[n.key]; a != nil {
		n.since = a.since
		l.unarm(a)
	}
	i.notice = n
	l.in = append(l.in, i)
	for r := range w.writes {
		if w.touches(r, n) {
			n.after[r] = struct{}{}
		}
	}
	if !w.settleNotice(n, time.Now()) {
		w.pending = append(w.pending, n)
	}
}

// fires says which of the connection's watches an event comes from. One deletion fires all of the znode's
// and is told once.
func (l *link) fires(ev zoo.WatchEvent) process.Key {
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
	return first
}

// touches reports whether a write may have caused the event.
func (w *world) touches(r *request, n *notice) bool {
	hit := func(path string) bool {
		return path == n.ev.Path || parentOf(path) == n.ev.Path
	}
	if r.Op == event.CloseSession {
		return slices.ContainsFunc(w.tree.owned[r.by], hit)
	}
	return slices.ContainsFunc(r.Parts, func(o zoo.Op) bool { return hit(o.Path) })
}

// answered is the end of a write's uncertainty: it was answered, or never will be.
func (w *world) answered(r *request) {
	if _, ok := w.writes[r]; !ok {
		return
	}
	delete(w.writes, r)
	for _, n := range w.pending {
		delete(n.after, r)
	}
	w.settleNotices()
	w.settleHeld(time.Now())
}

// settleNotices lets the events go on whose cause is now known, or never will be.
func (w *world) settleNotices() {
	now := time.Now()
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
func (w *world) settleNotice(n *notice, now time.Time) bool {
	if len(n.after) > 0 {
		n.until = now.Add(causePatience)
		return false
	}
	cause, ok := w.causeOf(n)
	if !ok && (now.Before(n.until) || w.looked < n.look && now.Before(n.until.Add(lookPatience))) {
		w.lookSoon() // it may be the end of a session that nobody was told of
		return false
	}
	if !ok {
		cause = w.stranger(n)
	}
	w.tell(n, cause)
	return true
}

// lookSoon asks for a look at the sessions that may be over.
func (w *world) lookSoon() {
	select {
	case w.ask <- struct{}{}:
	default:
	}
}

// causeOf is the first change after the watch was set that fires it so: what is done to a znode itself fires a watch of
// its children only when it is deleted.
func (w *world) causeOf(n *notice) (event.Seq, bool) {
	list := w.tree.of[n.ev.Path]
	ofChildren := n.ev.Type == zoo.NodeChildrenChanged
	if ofChildren {
		list = w.tree.below[n.ev.Path]
	}
	var first change
	for i := len(list) - 1; i >= 0; i-- {
		c := list[i]
		if c.zxid <= n.since {
			if first.zxid != 0 && i < len(list)-64 { // changes are heard of nearly in order
				break
			}
			continue
		}
		if (ofChildren || c.typ == n.ev.Type) && (first.zxid == 0 || c.zxid <= first.zxid) {
			first = c
		}
	}
	return first.seq, first.zxid != 0
}

// stranger is a change by somebody who is not part of the run.
func (w *world) stranger(n *notice) event.Seq {
	if _, there := w.tree.owner[n.ev.Path]; there && n.ev.Type == zoo.NodeDeleted {
		w.deleted(n.ev.Path, event.ZooKeeper, event.ByUnknown, n.since+1, 0)
		return w.seq
	}
	return 0
}

// tell logs that the watch has fired, and lets the event go to the client.
func (w *world) tell(n *notice, cause event.Seq) {
	n.known = true
	seq := w.emit(event.Event{Kind: event.WatchFired, Peer: n.l.c.id, Path: n.ev.Path, Watch: n.key.Kind,
		Type: uint8(n.ev.Type), N: n.l.flight(), Cause: cause})
	if n.l.closed {
		w.emit(event.Event{Kind: event.MsgDropped, Peer: n.l.c.id, Cause: seq})
	}
	for i := range n.l.in {
		if n.l.in[i].notice == n {
			n.l.in[i].cause = seq
			n.l.in[i].due = time.Now().Add(n.l.c.latency())
		}
	}
	n.l.c.cond.Broadcast()
}
