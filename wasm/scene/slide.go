package scene

import (
	"slices"
	"time"
)

// moveFor is how long a client takes to its place at the end of the queue. It is shorter than a slow
// network's reply, after which nothing in the State tells where the client stood before.
const moveFor = 330 * time.Millisecond

// slide draws the queue on its way from the order before the newest znodes came to the order with them.
func (f *Frame) slide(pitch float64) {
	if f.o.Still {
		return
	}
	newest := time.Duration(-1)
	f.before = f.before[:0]
	for i, s := range f.slots {
		if s.node >= 0 {
			n := &f.s.Nodes[s.node]
			if !n.Gone && n.Created > f.o.Stood && f.at < n.Created+moveFor {
				newest = max(newest, n.Created)
				s.key = f.keyBefore(s)
			}
		}
		s.node = int32(i) // from here on: its place in the new order
		f.before = append(f.before, s)
	}
	if newest < 0 {
		return
	}
	slices.SortFunc(f.before, bySlot)
	t := 1 - ease(f.passed(newest, moveFor))
	for old, s := range f.before {
		f.shift(f.slots[s.node], float64(old-int(s.node))*pitch*t)
	}
}

// keyBefore is where a client stood before it made its newest znode.
func (f *Frame) keyBefore(s slot) int64 {
	if s.client < 0 {
		return s.key
	}
	if n := number(f.s.Clients[s.client].Belief.Path); n >= 0 && n != f.s.Nodes[s.node].Number {
		return n
	}
	return noKey + int64(s.client)
}

// shift moves a slot's client and card sideways.
func (f *Frame) shift(s slot, dx float64) {
	if s.client >= 0 {
		f.spots[s.client].x += dx
	}
	if s.node >= 0 {
		f.cards[s.node].x += dx
	}
}
