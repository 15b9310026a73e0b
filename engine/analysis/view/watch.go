package view

import (
	"sort"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Watches holds the watches on the server.
//
// A client's standing watches form a list linked through Watch.before and Watch.after. Finding one takes no map,
// which would have to be copied with every State. Fired watches whose event is on its way form another list. Both
// are searched only a few steps deep: the watchIndex finds watches further back.
type Watches struct {
	List []Watch // in the order they were set; includes those ended less than Keep ago
	// Asked is when servers last reported who watches what, 0 for never; AskedPart means that not all reported.
	Asked     time.Duration
	AskedPart bool

	full  int         // the length of List beyond which it is cleared
	index *watchIndex // nil until a client has many watches; a copy doesn't have it
}

// Watch is one watch on the server.
type Watch struct {
	Client event.Actor
	Path   string
	Kind   event.Watch
	Set    time.Duration
	Over   bool
	Fired  bool // it ended because it fired; otherwise it was removed
	OverAt time.Duration
	Flight time.Duration // how long its event takes to reach the client, 0 if unknown
	Type   zoo.EventType // the type of its event

	before  int32     // see Client.armed and Client.fired
	after   int32     // the watch whose before this is; 0 for the first of a list
	pending bool      // fired, its event not yet delivered
	by      cause     // why it fired
	release int32     // the release that fired it: index in Releases plus 1
	notice  event.Seq // the WatchFired
}

// Pending reports whether a fired watch's event is still to be delivered.
func (w *Watch) Pending() bool { return w.pending }

// isWatch reports whether the event is about this watch. A live host may not know the watch's table.
func isWatch(w *Watch, e event.Event) bool {
	return w.Path == e.Path && (w.Kind == e.Watch || e.Watch == event.NoWatch)
}

// tells reports whether e is about the event of a fired watch. Without a cause its path and type must match.
func tells(w *Watch, e event.Event) bool {
	return w.notice == e.Cause || e.Cause == 0 && w.Path == e.Path && w.Type == zoo.EventType(e.Type)
}

// detach gives a copy of Watches a list of its own, in the memory of an old one.
func (l *Watches) detach(old *Watches) {
	l.List, l.index = append(old.List[:0], l.List...), nil
}

// set records a watch that a client sets, unless it has it.
func (l *Watches) set(c *Client, e event.Event) {
	if c == nil || l.armed(c, e) > 0 { // set twice, it still counts once
		return
	}
	l.List = append(l.List, Watch{Client: e.Peer, Path: e.Path, Kind: e.Watch, Set: e.At})
	i := int32(len(l.List))
	l.link(&c.armed, i)
	l.index.arm(&l.List[i-1], i)
	c.lapsed = ""
}

// armed returns the client's standing watch that e is about: its index plus 1, or 0.
func (l *Watches) armed(c *Client, e event.Event) int32 {
	i := c.armed
	for range fewWatches {
		if i == 0 || isWatch(&l.List[i-1], e) {
			return i
		}
		i = l.List[i-1].before
	}
	if i == 0 {
		return 0
	}
	return l.indexed().standing(l.List, e)
}

// link puts watch i before the others in the list that starts at head.
func (l *Watches) link(head *int32, i int32) {
	l.List[i-1].before, l.List[i-1].after = *head, 0
	if *head > 0 {
		l.List[*head-1].after = i
	}
	*head = i
}

// unlink removes watch i from the list that starts at head.
//
//go:noinline
func (l *Watches) unlink(head *int32, i int32) {
	w := &l.List[i-1]
	if w.after > 0 {
		l.List[w.after-1].before = w.before
	} else {
		*head = w.before
	}
	if w.before > 0 {
		l.List[w.before-1].after = w.after
	}
	w.before, w.after = 0, 0
}

// fire records that a client's watch fired, and why.
func (l *Watches) fire(c *Client, e event.Event, by cause, release int32) {
	i := l.armed(c, e)
	if i > 0 && !e.Watch.Stays() {
		l.unlink(&c.armed, i)
	} else { // it stays, or it fired as it was set again, or its setting wasn't reported
		l.List = append(l.List, Watch{Client: e.Peer, Path: e.Path, Kind: e.Watch, Set: e.At})
		i = int32(len(l.List))
	}
	w := &l.List[i-1]
	w.Over, w.Fired, w.OverAt = true, true, e.At
	w.Flight, w.Type = time.Duration(e.N), zoo.EventType(e.Type)
	w.by, w.release, w.notice = by, release, e.Seq
	if !c.Crashed && !c.Exited { // otherwise nobody is left to notify
		w.pending = true
		l.link(&c.fired, i)
		l.index.fire(w, i)
	}
}

// remove ends a standing watch of a client.
func (l *Watches) remove(c *Client, e event.Event) {
	if c == nil {
		return
	}
	if i := l.armed(c, e); i > 0 {
		l.unlink(&c.armed, i)
		l.List[i-1].Over, l.List[i-1].OverAt = true, e.At
		if e.Cause == 0 && e.Reason != event.ServerSays {
			c.lapsed = e.Path
		}
	}
}

// disarm ends the standing watches of a client that has left, in case nothing reported that.
func (l *Watches) disarm(c *Client, now time.Duration) {
	for i := c.armed; i > 0; i = l.List[i-1].before {
		l.List[i-1].Over, l.List[i-1].OverAt = true, now
	}
	c.armed = 0
}

// handOver removes the fired watch i from the client's list of undelivered ones.
func (l *Watches) handOver(c *Client, i int32) {
	l.unlink(&c.fired, i)
	l.List[i-1].pending = false
}

// notified returns the client's latest fired watch whose event e delivers or drops: its index plus 1, or 0.
func (l *Watches) notified(c *Client, e event.Event) int32 {
	i := c.fired
	for range fewWatches {
		if i == 0 || tells(&l.List[i-1], e) {
			return i
		}
		i = l.List[i-1].before
	}
	if i == 0 {
		return 0
	}
	return l.indexed().notified(l.List, l.List[i-1].Client, e)
}

// lose drops a watch event that will never be delivered.
func (l *Watches) lose(c *Client, e event.Event) {
	if c == nil || e.Cause == 0 {
		return
	}
	if i := l.notified(c, e); i > 0 {
		l.handOver(c, i)
	}
}

// OnTheWay returns how many more clients a release, given by its index in Releases, will have woken once all events
// of the watches that it fired are delivered.
func (l *Watches) OnTheWay(clients Clients, release int) (n int) {
	for i := range l.List {
		w := &l.List[i]
		if !w.pending || w.by != byRelease || int(w.release) != release+1 {
			continue
		}
		if c := clients.Get(w.Client); !c.Crashed && !c.Exited && !c.Belief.Phase.Inside() {
			n++
		}
	}
	return n
}

// clear keeps every watch whose event is still to be delivered, however old. It relinks the clients' lists:
// standing watches in the order in which they were set, fired ones in the order in which they fired.
func (l *Watches) clear(clients Clients, now time.Duration, most int) {
	stale := func(w *Watch) bool { return w.Over && !w.pending && now-w.OverAt > Keep }
	surplus := -most
	for i := range l.List {
		if w := &l.List[i]; w.Over && !w.pending && !stale(w) {
			surplus++
		}
	}
	for i := range l.List {
		if c := clients.Get(l.List[i].Client); c != nil {
			c.armed, c.fired = 0, 0
		}
	}
	l.index = nil
	var fired []int32
	kept := l.List[:0]
	for _, w := range l.List {
		drop := stale(&w)
		if !drop && w.Over && !w.pending && surplus > 0 {
			drop = true
			surplus--
		}
		if drop {
			continue
		}
		kept = append(kept, w)
		i := int32(len(kept))
		switch c := clients.Get(w.Client); {
		case !w.Over:
			l.link(&c.armed, i)
		case w.pending:
			fired = append(fired, i)
		}
	}
	clear(l.List[len(kept):])
	l.List = kept
	l.full = len(kept) + len(kept)/4 + 8
	l.relinkFired(clients, fired)
}

// relinkFired puts fired watches into their clients' lists.
func (l *Watches) relinkFired(clients Clients, fired []int32) {
	sort.Slice(fired, func(i, j int) bool { return l.List[fired[i]-1].notice < l.List[fired[j]-1].notice })
	for _, i := range fired {
		l.link(&clients.Get(l.List[i-1].Client).fired, i)
	}
}
