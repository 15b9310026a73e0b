// Package agenda keeps plans in the order in which they happen: earliest first, and for equal times in the order of
// planning. It alone decides the order in a simulated run, and of a server's work at its ticks.
//
// It has no clock. engine/host/sim and engine/zookeeper/server have one each.
package agenda

import (
	"math/bits"
	"time"
)

// Agenda holds the plans. Its zero value is empty.
type Agenda[T any] struct {
	heap  []due
	plans []T      // by slot, so that what moves in the heap is small
	free  []uint64 // slots
	count uint64
}

// due tells when the plan in a slot happens. It is small so that a node's four children share a cache line.
type due struct {
	at    time.Duration
	order uint64 // the number of plans made before it, above the bits of the slot
}

const slotBits = 24

// maxPlans is the maximum number of plans at a time.
const maxPlans = 1 << slotBits

func (d due) slot() uint64 { return d.order & (maxPlans - 1) }

// before returns 1 if d comes before e, else 0. It has no branch because the processor couldn't predict it.
func (d due) before(e due) int {
	_, less := bits.Sub64(d.order, e.order, 0)
	_, less = bits.Sub64(uint64(d.at)^1<<63, uint64(e.at)^1<<63, less)
	return int(less)
}

// Add adds a plan. It panics if there are 16,777,216 already.
func (g *Agenda[T]) Add(at time.Duration, plan T) {
	var slot uint64
	if n := len(g.free); n > 0 {
		slot, g.free = g.free[n-1], g.free[:n-1]
		g.plans[slot] = plan
	} else {
		slot = uint64(len(g.plans))
		if slot == maxPlans {
			panic("agenda: more than 16,777,216 plans")
		}
		g.plans = append(g.plans, plan)
	}
	g.count++
	g.heap = append(g.heap, due{at, g.count<<slotBits | slot})
	up(g.heap, len(g.heap)-1)
}

// First returns the next plan, if there is one.
func (g *Agenda[T]) First() (at time.Duration, plan T, ok bool) {
	if len(g.heap) == 0 {
		return 0, plan, false
	}
	return g.heap[0].at, g.plans[g.heap[0].slot()], true
}

// Next removes and returns the next plan, if there is one.
func (g *Agenda[T]) Next() (at time.Duration, plan T, ok bool) {
	if len(g.heap) == 0 {
		return 0, plan, false
	}
	top, last := g.heap[0], len(g.heap)-1
	hole := sink(g.heap[:last])
	g.heap[hole] = g.heap[last]
	if g.heap = g.heap[:last]; hole < last {
		up(g.heap, hole)
	}
	var none T
	slot := top.slot()
	plan, g.plans[slot] = g.plans[slot], none // let the garbage collector free what it points to
	g.free = append(g.free, slot)
	return top.at, plan, true
}

// Each node has four children: fewer levels, and the children share a cache line or two.
const arity = 4

// up moves element i up to its place.
func up(heap []due, i int) {
	d := heap[i]
	for i > 0 {
		parent := (i - 1) / arity
		if d.before(heap[parent]) == 0 {
			break
		}
		heap[i] = heap[parent]
		i = parent
	}
	heap[i] = d
}

// sink fills the top from below and returns the hole that remains at the bottom.
func sink(heap []due) int {
	i, first := 0, 1
	for ; first+arity <= len(heap); first = i*arity + 1 {
		four := (*[arity]due)(heap[first:])
		a, b := four[1].before(four[0]), 2+four[3].before(four[2]) // the processor compares both pairs at once
		least := a + (b-a)*four[b].before(four[a])
		heap[i] = four[least]
		i = first + least
	}
	if first >= len(heap) {
		return i
	}
	least := first // of fewer than four, which have no children
	for c := first + 1; c < len(heap); c++ {
		least += (c - least) * heap[c].before(heap[least])
	}
	heap[i] = heap[least]
	return least
}
