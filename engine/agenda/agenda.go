// Package agenda keeps what is planned in the order in which it is to happen: earliest first and, at one time, first
// planned first. It is all that decides the order in a simulated run, and in what a server does at its ticks.
//
// It knows no clock. engine/sim and engine/server have one each.
package agenda

import "time"

// Agenda is what is planned. The zero value is empty.
type Agenda[T any] struct {
	heap  []due
	plans []T     // by slot, so that what moves in the heap is small
	free  []int32 // slots
	count uint64
}

// due is when the plan in a slot is to happen.
type due struct {
	at    time.Duration
	order uint64
	slot  int32
}

func (d due) before(e due) bool { return d.at < e.at || d.at == e.at && d.order < e.order }

// Add plans something.
func (g *Agenda[T]) Add(at time.Duration, plan T) {
	var slot int32
	if n := len(g.free); n > 0 {
		slot, g.free = g.free[n-1], g.free[:n-1]
		g.plans[slot] = plan
	} else {
		slot = int32(len(g.plans))
		g.plans = append(g.plans, plan)
	}
	g.count++
	g.heap = append(g.heap, due{at, g.count, slot})
	up(g.heap, len(g.heap)-1)
}

// First is what happens next, if anything is planned.
func (g *Agenda[T]) First() (at time.Duration, plan T, ok bool) {
	if len(g.heap) == 0 {
		return 0, plan, false
	}
	return g.heap[0].at, g.plans[g.heap[0].slot], true
}

// Next is First, and takes it out.
func (g *Agenda[T]) Next() (at time.Duration, plan T, ok bool) {
	if len(g.heap) == 0 {
		return 0, plan, false
	}
	top, last := g.heap[0], len(g.heap)-1
	g.heap[0] = g.heap[last]
	if g.heap = g.heap[:last]; last > 0 {
		down(g.heap)
	}
	var none T
	plan, g.plans[top.slot] = g.plans[top.slot], none // what it points to may go
	g.free = append(g.free, top.slot)
	return top.at, plan, true
}

// Four children a node: fewer levels, and the children share a cache line or two.
const arity = 4

// up moves the ith to where it belongs, which is not below it.
func up(heap []due, i int) {
	d := heap[i]
	for i > 0 {
		parent := (i - 1) / arity
		if !d.before(heap[parent]) {
			break
		}
		heap[i] = heap[parent]
		i = parent
	}
	heap[i] = d
}

// down moves the first to where it belongs.
func down(heap []due) {
	d, n, i := heap[0], len(heap), 0
	for {
		first := i*arity + 1
		if first >= n {
			break
		}
		least := first
		for c := first + 1; c < min(first+arity, n); c++ {
			if heap[c].before(heap[least]) {
				least = c
			}
		}
		if !heap[least].before(d) {
			break
		}
		heap[i] = heap[least]
		i = least
	}
	heap[i] = d
}
