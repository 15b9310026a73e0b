package view

import (
	"sort"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Wakeups counts the watch events that woke clients, by why they fired, and those that were in vain.
type Wakeups struct {
	ByRelease int
	ByArrival int
	Wasted    int       // those that didn't let their client in
	Releases  []Release // every release so far, in order

	made arrivals      // the znodes created, to find out why a watch fired
	late []event.Actor // clients that were woken after the end of the run
}

// Release is one release-over: a deletion, or the end of a session that removed a znode.
type Release struct {
	_      Incomparable
	Seq    event.Seq // its first ZnodeDeleted
	At     time.Duration
	By     event.Actor
	Why    event.Reason
	Woken  int // delivered watch events that it caused
	Wasted int

	last  event.Seq // its last ZnodeDeleted
	cause event.Seq // the cause of its ZnodeDeleted
}

// detach gives a copy of Wakeups lists of its own, in the memory of an old one.
func (w *Wakeups) detach(old *Wakeups) {
	w.Releases = append(old.Releases[:0], w.Releases...)
	w.late = append(old.late[:0], w.late...)
	w.made = w.made[:len(w.made):len(w.made)]
}

// cause is why a watch fired, as far as it matters for judging whether a wakeup was in vain.
type cause uint8

const (
	byOther   cause = iota // a change of data, or unknown
	byRelease              // somebody left
	byArrival              // somebody else came
	bySelf
)

// arrivals remembers which znodes were created and who did it, oldest first. Copies of a State share it: only the
// original appends to the same memory.
type arrivals []arrival

type arrival struct {
	seq event.Seq
	by  event.Actor
}

func (a arrivals) find(seq event.Seq) (event.Actor, bool) {
	i := sort.Search(len(a), func(i int) bool { return a[i].seq >= seq })
	if i == len(a) || a[i].seq != seq {
		return 0, false
	}
	return a[i].by, true
}

// created records who created a znode.
func (w *Wakeups) created(e event.Event) { w.made = append(w.made, arrival{e.Seq, e.Peer}) }

// released starts a new release-over, unless the deletion belongs to the previous one: the nodes of one session or
// of one multi go together.
func (w *Wakeups) released(e event.Event) {
	if e.Peer == event.ZooKeeper && e.Reason == event.ByOp {
		return // the host sets up or cleans up
	}
	if n := len(w.Releases); n > 0 {
		h := &w.Releases[n-1]
		if h.By == e.Peer && h.At == e.At && h.Why == e.Reason && h.cause == e.Cause && e.Cause != 0 {
			h.last = e.Seq
			return
		}
	}
	w.Releases = append(w.Releases, Release{Seq: e.Seq, At: e.At, By: e.Peer, Why: e.Reason, last: e.Seq, cause: e.Cause})
}

// causeOf returns why a WatchFired happened and, if a release caused it, that release's index in Releases plus 1.
func (w *Wakeups) causeOf(e event.Event) (cause, int32) {
	if e.Cause != 0 {
		i := sort.Search(len(w.Releases), func(i int) bool { return w.Releases[i].Seq > e.Cause })
		if i > 0 && e.Cause <= w.Releases[i-1].last {
			if w.Releases[i-1].By == e.Peer {
				return bySelf, 0
			}
			return byRelease, int32(i)
		}
		if by, ok := w.made.find(e.Cause); ok {
			switch by {
			case e.Peer:
				return bySelf, 0
			case event.ZooKeeper:
				return byOther, 0
			}
			return byArrival, 0
		}
	}
	switch zoo.EventType(e.Type) {
	case zoo.NodeDeleted:
		return byRelease, 0
	case zoo.NodeCreated:
		return byArrival, 0
	}
	return byOther, 0
}

// deliver wakes a client. An event about the client's own action wakes nobody, and neither does one that arrives
// while the client is inside.
func (s *State) deliver(c *Client, e event.Event) {
	s.Flights.arrive(e.Cause, e.At)
	i := s.Watches.notified(c, e)
	by, release := byOther, int32(0)
	if i > 0 {
		s.Watches.handOver(c, i)
		by, release = s.Watches.List[i-1].by, s.Watches.List[i-1].release
	}
	blocked := c.Blocked
	// An event of another watch, left behind earlier, changes nothing for a client that waits. If it was one of
	// several that the client waits for, its next action says so.
	c.Blocked = c.Blocked && e.Path != c.waitsOn
	if c.Belief.Phase.Inside() || by == bySelf {
		return
	}
	s.Wakeups.wake(c, e.At, by, release, blocked)
	if s.Ended {
		s.Wakeups.after(e.Actor, c)
	}
}

// unheard takes back the wakeup of a client that was on its way in and never looked at the event: on a real
// ZooKeeper somebody may arrive just then.
func (w *Wakeups) unheard(c *Client) {
	if c.woke && !c.asked && c.wokeBy == byArrival {
		w.ByArrival--
		c.Woken--
		c.woke, c.wokeRelease = false, 0
	}
}

// settleAll settles the open wakeups when the run ends.
func (w *Wakeups) settleAll(clients Clients) {
	for i := range clients {
		w.settle(&clients[i], false)
	}
}

// after records that a client was woken after the end of the run.
func (w *Wakeups) after(a event.Actor, c *Client) {
	if !c.late {
		c.late = true
		w.late = append(w.late, a)
	}
}

// settleLate settles the wakeups since the end of the run, when it ends again.
func (w *Wakeups) settleLate(clients Clients) {
	for _, a := range w.late {
		c := clients.Get(a)
		c.late = false
		w.settle(c, false)
	}
	w.late = w.late[:0]
}

// settle closes the client's last wakeup: it let the client in, or it was in vain.
func (w *Wakeups) settle(c *Client, gotIn bool) {
	if !c.woke {
		return
	}
	if !gotIn {
		c.Wasted++
		w.Wasted++
		if c.wokeRelease > 0 {
			w.Releases[c.wokeRelease-1].Wasted++
		}
	}
	c.woke, c.wokeRelease = false, 0
}

// wake counts a wakeup of a client, for a reason and by a release, given by its index in Releases plus 1. The client
// asked if it was blocked.
func (w *Wakeups) wake(c *Client, at time.Duration, by cause, release int32, asked bool) {
	w.settle(c, false)
	c.woke, c.wokeRelease, c.wokeBy, c.asked = true, release, by, asked
	c.Woken++
	c.WokenAt = at
	switch by {
	case byRelease:
		w.ByRelease++
	case byArrival:
		w.ByArrival++
	}
	if release > 0 {
		w.Releases[release-1].Woken++
	}
}

// wakeFar counts a wakeup of a client by a node, because somebody left or left something there.
func (w *Wakeups) wakeFar(c *Client, at time.Duration) {
	w.wake(c, at, byOther, 0, true)
	w.ByRelease++
}

// settled returns the number of releases that will never change again because none of their wakeups is still open.
func (w *Wakeups) settled(clients Clients, watches []Watch) int {
	n := max(len(w.Releases)-1, 0) // more znodes may belong to the last
	for i := range clients {
		if c := &clients[i]; c.woke && c.wokeRelease > 0 {
			n = min(n, int(c.wokeRelease)-1)
		}
	}
	for i := range watches {
		if o := &watches[i]; o.pending && o.release > 0 {
			n = min(n, int(o.release)-1)
		}
	}
	return n
}
