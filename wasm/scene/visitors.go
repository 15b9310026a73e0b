package scene

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/program"
	"github.com/zkviz/zkviz/engine/view"
)

// Visitors are programs of any kind that are connected to the embedded server. Apart from our contenders they do not
// report what they believe: what they do is told by their znodes, and the first one in a queue is lit.

// visitFor is how long a visitor is still shown after its session is over.
const visitFor = 4 * time.Second

// hasLeft reports whether a visitor is no longer shown: its session is over, and it knows that or has ended. Where
// there are no sessions it has ended.
func (l *Layout) hasLeft(c *view.Client) bool {
	if l.kind == remoteKind {
		return c.Exited && l.at >= c.EndedAt+visitFor
	}
	if c.Ended == view.Alive {
		return c.Session == 0
	}
	return !c.Paused && !deluded(c) && l.at >= c.EndedAt+visitFor
}

// dropDeparted removes the places of visitors that have left from the queue, and finds its first znode.
func (l *Layout) dropDeparted() {
	if !l.visitors {
		return
	}
	kept := l.slots[:0]
	var first *view.Node
	for _, s := range l.slots {
		if s.node >= 0 {
			if n := &l.s.Nodes[s.node]; !n.Gone && (first == nil || n.Number < first.Number) {
				first = n
			}
		}
		if s.client >= 0 && s.node < 0 && l.hasLeft(&l.s.Clients[s.client]) {
			l.spots[s.client].slot = -1
			continue
		}
		kept = append(kept, s)
	}
	l.slots = kept
	if first != nil {
		l.first, l.firstOf = first.Path, l.owner(first)
	}
}

// isFirst reports whether a visitor is first in the queue.
func (l *Layout) isFirst(c *view.Client) bool {
	return l.firstOf >= 0 && c == &l.s.Clients[l.firstOf]
}

// lit reports whether a client is drawn as the one whose turn it is.
func (l *Layout) lit(c *view.Client) bool { return c.Inside || l.isFirst(c) }

// isForeign reports whether a visitor is a program of the reader's, and none of our contenders.
func (l *Layout) isForeign(c *view.Client) bool { return l.visitors && c.Role != program.Contender }

// wokenFor is how long a visitor is drawn as woken. Nothing reports when it goes on waiting.
const wokenFor = 1200 * time.Millisecond

// visitor is the key of the word and the sign of client i, which is a visitor.
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
	case l.isFirst(c):
		return "scene.first", inside
	case l.queued[i]:
		return "scene.waits", plain
	case c.Belief.Phase == program.Released:
		return itsPhase, plain
	default:
		return "scene.connected", plain
	}
}

// The requests of a visitor take too little time to be seen. So they are drawn slower, one after the other, and those
// that would be drawn too late are left out.
const (
	oneWay    = 350 * time.Millisecond
	roundTrip = 2 * oneWay // between the starts of two requests: the reply is there
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

// departure is when a message is drawn to leave. It keeps in l.departs when each client's last request does.
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
