package scene

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// Visitors are programs of any kind that are connected to the embedded server. Apart from our contenders they don't
// report what they believe: only their znodes show what they do, see part.go.

// visitFor is how long a visitor is shown after its session is over.
const visitFor = 4 * time.Second

// hasLeft reports whether a client that runs no recipe is no longer shown: its session is over, and it knows that or
// has ended. In a system without sessions, it must have ended.
func (t *cast) hasLeft(c *view.Client) bool {
	switch {
	case !t.visitors && !t.observed:
		return false
	case t.kind == remoteKind:
		return c.Exited && t.at >= c.EndedAt+visitFor
	case c.Ended == view.Alive:
		return c.Session == 0 || t.observed && !t.owning[c.Session]
	}
	return !c.Paused && !deluded(c) && t.at >= c.EndedAt+visitFor
}

// findOwning collects the sessions that own something: an observation shows nothing else of them.
func (t *cast) findOwning() {
	clear(t.owning)
	if !t.observed {
		return
	}
	if t.owning == nil {
		t.owning = map[int64]bool{}
	}
	for i := range t.s.Nodes {
		if n := &t.s.Nodes[i]; !n.Gone && n.Owner != 0 {
			t.owning[n.Owner] = true
		}
	}
}

// dropDeparted removes the slots of clients that have left the queue.
func (f *floor) dropDeparted() {
	f.slots = slices.DeleteFunc(f.slots, func(s slot) bool {
		if s.client < 0 || s.node >= 0 || !f.hasLeft(&f.s.Clients[s.client]) {
			return false
		}
		f.spots[s.client].slot = -1
		return true
	})
}

// lit reports whether client i is drawn as one that has the lock.
func (t *cast) lit(i int) bool { return t.s.Clients[i].Inside || hasTurn(t.parts[i]) }

// isForeign reports whether a visitor is a reader's program and not one of our contenders.
func (t *cast) isForeign(c *view.Client) bool { return t.visitors && c.Role != program.Contender }

// wokenFor is how long a visitor is drawn as woken. Nothing reports when it waits again.
const wokenFor = 1200 * time.Millisecond

// visitor returns the key of the word for a visitor's state, and its sign.
func (t *cast) visitor(i int) (string, sign) {
	c := &t.s.Clients[i]
	if p := c.Belief.Phase; p != "" && p != program.Waiting && p != program.Released {
		return phase(c)
	}
	switch {
	case c.Ended != view.Alive || c.Exited:
		return "scene.logged-off", absent
	case c.KeptAt != 0:
		return "scene.waits", plain
	case c.WokenAt > 0 && t.passed(c.WokenAt, wokenFor) < 1:
		return "scene.woken", woken
	case t.parts[i] != view.Apart:
		return partWord(t.parts[i])
	case c.Belief.Phase == program.Released:
		return itsPhase, plain
	default:
		return "scene.connected", plain
	}
}

// A visitor's requests are too short to be seen. So they are drawn slower, one after the other, and those that would be
// drawn too late are left out.
const (
	oneWay    = 350 * time.Millisecond
	roundTrip = 2 * oneWay // between the starts of two requests, so that the reply has arrived
	tooLate   = 2500 * time.Millisecond
)

// slow calls plan for the messages of visitors, each request followed by its reply.
func (ms *messages) slow(plan func(*view.Flight)) {
	ms.departs = resize(ms.departs, len(ms.s.Clients))
	for k := range ms.s.Flights {
		ms.slowed = ms.s.Flights[k]
		m := &ms.slowed
		if m.Dropped || m.Notify || m.Op == event.Ping || ms.o.Still {
			plan(m)
			continue
		}
		start := ms.departure(m)
		if start > m.Sent+tooLate {
			continue
		}
		if ms.at < start {
			ms.moving = true
			continue
		}
		m.Sent, m.Takes, m.Over = start, oneWay, false
		plan(m)
	}
}

// departure returns when a message is drawn to leave, and records in ms.departs the time of each client's last request.
func (ms *messages) departure(m *view.Flight) time.Duration {
	if i := ms.client(m.To); i >= 0 {
		return max(m.Sent, ms.departs[i]+oneWay)
	}
	i := ms.client(m.From)
	if i < 0 {
		return m.Sent
	}
	start := m.Sent
	if ms.departs[i] > 0 {
		start = max(start, ms.departs[i]+roundTrip)
	}
	if woken := ms.s.Clients[i].WokenAt; woken > 0 && woken <= m.Sent {
		start = max(start, woken+nominal)
	}
	ms.departs[i] = start
	return start
}
