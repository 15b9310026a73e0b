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
func (l *Layout) hasLeft(c *view.Client) bool {
	switch {
	case !l.visitors && !l.observed:
		return false
	case l.kind == remoteKind:
		return c.Exited && l.at >= c.EndedAt+visitFor
	case c.Ended == view.Alive:
		return c.Session == 0 || l.observed && !l.owning[c.Session]
	}
	return !c.Paused && !deluded(c) && l.at >= c.EndedAt+visitFor
}

// findOwning collects the sessions that own something: an observation shows nothing else of them.
func (l *Layout) findOwning() {
	clear(l.owning)
	if !l.observed {
		return
	}
	if l.owning == nil {
		l.owning = map[int64]bool{}
	}
	for i := range l.s.Nodes {
		if n := &l.s.Nodes[i]; !n.Gone && n.Owner != 0 {
			l.owning[n.Owner] = true
		}
	}
}

// dropDeparted removes the slots of clients that have left the queue.
func (l *Layout) dropDeparted() {
	l.slots = slices.DeleteFunc(l.slots, func(s slot) bool {
		if s.client < 0 || s.node >= 0 || !l.hasLeft(&l.s.Clients[s.client]) {
			return false
		}
		l.spots[s.client].slot = -1
		return true
	})
}

// lit reports whether client i is drawn as one that has the lock.
func (l *Layout) lit(i int) bool { return l.s.Clients[i].Inside || hasTurn(l.parts[i]) }

// isForeign reports whether a visitor is a reader's program and not one of our contenders.
func (l *Layout) isForeign(c *view.Client) bool { return l.visitors && c.Role != program.Contender }

// wokenFor is how long a visitor is drawn as woken. Nothing reports when it waits again.
const wokenFor = 1200 * time.Millisecond

// visitor returns the key of the word for a visitor's state, and its sign.
func (l *Layout) visitor(i int) (string, sign) {
	c := &l.s.Clients[i]
	if p := c.Belief.Phase; p != "" && p != program.Waiting && p != program.Released {
		return phase(c)
	}
	switch {
	case c.Ended != view.Alive || c.Exited:
		return "scene.logged-off", absent
	case c.KeptAt != 0:
		return "scene.waits", plain
	case c.WokenAt > 0 && l.passed(c.WokenAt, wokenFor) < 1:
		return "scene.woken", woken
	case l.parts[i] != view.Apart:
		return partWord(l.parts[i])
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

// planSlowed plans the messages of visitors, each request followed by its reply.
func (l *Layout) planSlowed() {
	l.departs = resize(l.departs, len(l.s.Clients))
	for k := range l.s.Flights {
		l.slowed = l.s.Flights[k]
		m := &l.slowed
		if m.Dropped || m.Notify || m.Op == event.Ping || l.o.Still {
			l.planMessage(m)
			continue
		}
		start := l.departure(m)
		if start > m.Sent+tooLate {
			continue
		}
		if l.at < start {
			l.p.Moving = true
			continue
		}
		m.Sent, m.Takes, m.Over = start, oneWay, false
		l.planMessage(m)
	}
}

// departure returns when a message is drawn to leave, and records in l.departs the time of each client's last request.
func (l *Layout) departure(m *view.Flight) time.Duration {
	if i := l.client(m.To); i >= 0 {
		return max(m.Sent, l.departs[i]+oneWay)
	}
	i := l.client(m.From)
	if i < 0 {
		return m.Sent
	}
	start := m.Sent
	if l.departs[i] > 0 {
		start = max(start, l.departs[i]+roundTrip)
	}
	if woken := l.s.Clients[i].WokenAt; woken > 0 && woken <= m.Sent {
		start = max(start, woken+nominal)
	}
	l.departs[i] = start
	return start
}
