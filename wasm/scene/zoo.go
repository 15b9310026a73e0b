package scene

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
	"github.com/zkviz/zkviz/engine/zoo"
)

// The zoo is the ZooKeeper inside the server with whoever connects to it. Nobody there says what it believes, but
// contenders of ours: what others do is told by their znodes. Who is first in a queue is lit.

// inZoo reports whether the picture is of the zoo.
func (f *Frame) inZoo() bool { return f.s.Header.Host.Traits().Visitors }

// visitFor is for how long a client is shown whose session is over.
const visitFor = 4 * time.Second

// hasLeft reports whether a client of the zoo is no longer shown: its session is over, and it knows or is no more.
func (f *Frame) hasLeft(c *view.Client) bool {
	if !f.inZoo() {
		return false
	}
	if c.Ended == view.Alive {
		return c.Session == 0
	}
	return !c.Paused && !deluded(c) && f.at >= c.EndedAt+visitFor
}

// isLine reports whether the znodes below the root are a queue, or none: all have numbers, and no children.
func (f *Frame) isLine() bool {
	if f.s.Root == "" || f.s.Root == "/" {
		return false
	}
	for i := range f.s.Nodes {
		n := &f.s.Nodes[i]
		if n.Path != f.s.Root && !f.over(n) && f.below(n.Path) && (n.Number < 0 || !under(n.Path, f.s.Root)) {
			return false
		}
	}
	return true
}

// showWhoIsHere takes the places of clients that have left away, and finds who is first.
func (f *Frame) showWhoIsHere() {
	if !f.inZoo() {
		return
	}
	kept := f.slots[:0]
	var first *view.Node
	for _, s := range f.slots {
		if s.node >= 0 {
			if n := &f.s.Nodes[s.node]; !n.Gone && (first == nil || n.Number < first.Number) {
				first = n
			}
		}
		if s.client >= 0 && s.node < 0 && f.hasLeft(&f.s.Clients[s.client]) {
			f.spots[s.client].slot = -1
			continue
		}
		kept = append(kept, s)
	}
	f.slots = kept
	if first != nil {
		f.first, f.firstOf = first.Path, f.owner(first)
	}
}

// isFirst reports whether a client is first in a queue of the zoo.
func (f *Frame) isFirst(c *view.Client) bool {
	return f.firstOf >= 0 && c == &f.s.Clients[f.firstOf]
}

// lit reports whether a client is drawn as the one whose turn it is.
func (f *Frame) lit(c *view.Client) bool { return c.Inside || f.isFirst(c) }

// isGuest reports whether a client of the zoo is somebody's own program, and none of our contenders.
func (f *Frame) isGuest(c *view.Client) bool { return f.inZoo() && c.Role != contender }

// contender is the role of a contender of ours: contend.Role.
const contender = "contender"

// wokenFor is for how long a client of the zoo is drawn as woken: nobody says when it goes on waiting.
const wokenFor = 1200 * time.Millisecond

// guest is the word and the sign of client i in the zoo.
func (f *Frame) guest(i int) (string, sign) {
	c := &f.s.Clients[i]
	if p := c.Belief.Phase; p != "" && p != zoo.Waiting && p != zoo.Released {
		return f.phase(c)
	}
	switch w := f.words; {
	case c.Ended != view.Alive:
		return w.LoggedOff, absent
	case c.WokenAt > 0 && f.passed(c.WokenAt, wokenFor) < 1:
		return w.Woken, woken
	case f.isFirst(c):
		return w.First, inside
	case f.queued[i]:
		return w.Waits, plain
	case c.Belief.Phase == zoo.Released:
		return w.Released, plain
	default:
		return w.Connected, plain
	}
}

// How the requests of one client follow each other in the zoo. There they take no time that anybody could see, so
// they leave one after the other, and those that would come too late are left out.
const (
	oneWay   = 350 * time.Millisecond
	trainGap = 2 * oneWay // between the starts of two requests: the reply is there
	tooLate  = 2500 * time.Millisecond
)

// drawTrains draws the requests in the zoo, each followed by its reply.
func (f *Frame) drawTrains() {
	f.trains = resize(f.trains, len(f.s.Clients))
	for k := range f.s.Flights {
		m := f.s.Flights[k]
		if m.Dropped || m.Notify || m.Op == event.Ping || f.o.Still {
			f.drawFlight(&m)
			continue
		}
		start := f.departure(&m)
		if start > m.Sent+tooLate {
			continue
		}
		if f.at < start {
			f.Moving = true
			continue
		}
		m.Sent, m.Takes, m.Over = start, oneWay, false
		f.drawFlight(&m)
	}
}

// departure is when a message is drawn to leave. f.trains has when each client's last request did.
func (f *Frame) departure(m *view.Flight) time.Duration {
	if i := f.client(m.To); i >= 0 {
		return max(m.Sent, f.trains[i]+oneWay)
	}
	i := f.client(m.From)
	if i < 0 {
		return m.Sent
	}
	start := m.Sent
	if f.trains[i] > 0 {
		start = max(start, f.trains[i]+trainGap)
	}
	if woken := f.s.Clients[i].WokenAt; woken > 0 && woken <= m.Sent {
		start = max(start, woken+nominal)
	}
	f.trains[i] = start
	return start
}
