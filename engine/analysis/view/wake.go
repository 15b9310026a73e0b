package view

import (
	"sort"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

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

// causeOf returns why a WatchFired happened and, if a release caused it, that release's index in Releases plus 1.
func (s *State) causeOf(e event.Event) (cause, int32) {
	if e.Cause != 0 {
		i := sort.Search(len(s.Releases), func(i int) bool { return s.Releases[i].Seq > e.Cause })
		if i > 0 && e.Cause <= s.Releases[i-1].last {
			if s.Releases[i-1].By == e.Peer {
				return bySelf, 0
			}
			return byRelease, int32(i)
		}
		if by, ok := s.made.find(e.Cause); ok {
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
	s.arrive(e.Cause, e.At)
	i := s.notified(c, e)
	by, release := byOther, int32(0)
	if i > 0 {
		s.handOver(c, i)
		by, release = s.Watches[i-1].by, s.Watches[i-1].release
	}
	blocked := c.Blocked
	// An event of another watch, left behind earlier, changes nothing for a client that waits. If it was one of
	// several that the client waits for, its next action says so.
	c.Blocked = c.Blocked && e.Path != c.waitsOn
	if c.Belief.Phase.Inside() || by == bySelf {
		return
	}
	s.settle(c, false)
	c.woke, c.wokeRelease, c.wokeBy, c.asked = true, release, by, blocked
	if s.Ended && !c.late {
		c.late = true
		s.late = append(s.late, e.Actor)
	}
	c.Woken++
	c.WokenAt = e.At
	switch by {
	case byRelease:
		s.Counts.ByRelease++
	case byArrival:
		s.Counts.ByArrival++
	}
	if release > 0 {
		s.Releases[release-1].Woken++
	}
}

// Wakeups returns the number of all wakeups: by release, by arrival, and by a change of data.
func (s *State) Wakeups() (n int) {
	for i := range s.Clients {
		n += s.Clients[i].Woken
	}
	return n
}

// OnTheWay returns how many more clients a release, given by its index in Releases, will have woken once all events
// of the watches that it fired are delivered.
func (s *State) OnTheWay(release int) (n int) {
	for i := range s.Watches {
		w := &s.Watches[i]
		if !w.pending || w.by != byRelease || int(w.release) != release+1 {
			continue
		}
		if c := s.Client(w.Client); !c.Crashed && !c.Exited && !c.Belief.Phase.Inside() {
			n++
		}
	}
	return n
}

// unheard takes back the wakeup of a client that was on its way in and never looked at the event: on a real
// ZooKeeper somebody may arrive just then.
func (s *State) unheard(c *Client) {
	if c.woke && !c.asked && c.wokeBy == byArrival {
		s.Counts.ByArrival--
		c.Woken--
		c.woke, c.wokeRelease = false, 0
	}
}

// settleAll settles the open wakeups when the run ends. If a log goes on and ends again, it settles only those
// woken since.
func (s *State) settleAll() {
	if !s.Ended {
		for i := range s.Clients {
			s.settle(&s.Clients[i], false)
		}
		return
	}
	for _, a := range s.late {
		c := s.Client(a)
		c.late = false
		s.settle(c, false)
	}
	s.late = s.late[:0]
}

// settle closes the client's last wakeup: it let the client in, or it was in vain.
func (s *State) settle(c *Client, gotIn bool) {
	if !c.woke {
		return
	}
	if !gotIn {
		c.Wasted++
		s.Counts.Wasted++
		if c.wokeRelease > 0 {
			s.Releases[c.wokeRelease-1].Wasted++
		}
	}
	c.woke, c.wokeRelease = false, 0
}
