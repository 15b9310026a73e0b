package scene

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// moveFor is how long a client takes to its place at the end of the queue. It is shorter than a slow
// network's reply, after which nothing in the State tells where the client stood before.
const moveFor = 330 * time.Millisecond

// slide draws the queue on its way from the order before the newest znodes came to the order with them.
func (l *Layout) slide(pitch float64) {
	if l.o.Still {
		return
	}
	newest := time.Duration(-1)
	l.before = l.before[:0]
	for i, s := range l.slots {
		if s.node >= 0 {
			n := &l.s.Nodes[s.node]
			if !n.Gone && n.Created > l.o.Stood && l.at < n.Created+moveFor {
				newest = max(newest, n.Created)
				s.key = l.keyBefore(s)
			}
		}
		s.node = int32(i) // from here on: its place in the new order
		l.before = append(l.before, s)
	}
	if newest < 0 {
		return
	}
	slices.SortFunc(l.before, bySlot)
	t := 1 - ease(l.passed(newest, moveFor))
	for old, s := range l.before {
		l.shift(l.slots[s.node], float64(old-int(s.node))*pitch*t)
	}
}

// keyBefore is where a client stood before it made its newest znode.
func (l *Layout) keyBefore(s slot) int64 {
	if s.client < 0 {
		return s.key
	}
	if n := event.Number(l.s.Clients[s.client].Belief.Path); n >= 0 && n != l.s.Nodes[s.node].Number {
		return n
	}
	return noKey + int64(s.client)
}

// shift moves a slot's client and card sideways.
func (l *Layout) shift(s slot, dx float64) {
	if s.client >= 0 {
		l.spots[s.client].x += dx
	}
	if s.node >= 0 {
		l.places[s.node].x += dx
	}
}
