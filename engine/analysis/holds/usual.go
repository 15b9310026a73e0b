package holds

import (
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Range is the usual range of lengths of time: the middle 80 % of N.
type Range struct {
	N             int
	LowMS, HighMS int64 // 0 if N is less than Fewest
}

// RangeOf returns the range of lengths in ms, which it sorts.
func RangeOf(ms []int64) Range {
	r := Range{N: len(ms)}
	if r.N < Fewest {
		return r
	}
	slices.Sort(ms)
	r.LowMS, r.HighMS = ms[r.N/10], ms[r.N-1-r.N/10]
	return r
}

// Known reports whether there were enough to say what is usual.
func (r *Range) Known() bool { return r.N >= Fewest }

// Usual is how long a lock is usually held, and how long clients usually wait for it.
type Usual struct{ Held, Waited Range }

// usualOf returns what is usual of holds.
func usualOf(n int, hold func(i int) Hold) Usual {
	held, waited := make([]int64, 0, n), make([]int64, 0, n)
	for i := range n {
		h := hold(i)
		if ms, known := h.HeldMS(0); known {
			held = append(held, ms)
		}
		if ms, known := h.WaitedMS(); known {
			waited = append(waited, ms)
		}
	}
	return Usual{RangeOf(held), RangeOf(waited)}
}

// UsualOf returns what is usual of holds that have ended.
func UsualOf(all []Hold) Usual { return usualOf(len(all), func(i int) Hold { return all[i] }) }

// farTimes is how many times as long as the longest usual hold is far outside, and farLeastMS how much longer at least.
const (
	farTimes   = 3
	farLeastMS = 1000
)

// Far reports whether a hold that has lasted for heldMS is far longer than usual.
func (u *Usual) Far(heldMS int64) bool {
	return u.Held.Known() && heldMS > farTimes*u.Held.HighMS && heldMS-u.Held.HighMS > farLeastMS
}

// Says says that a hold in progress is far longer than usual; nothing if it isn't.
func (u *Usual) Says(heldMS int64) (s sentence.Sentence) {
	if u.Far(heldMS) {
		s = sentence.Of("hands.usual.far", took(u.Held.HighMS))
	}
	return s
}

// Known says for how long it is usually held and awaited, as far as that can be told.
func (u *Usual) Known() []sentence.Sentence { return u.said(false) }

// Said says for how long it is usually held and awaited, or that too few have held it to tell; nothing if nobody has.
func (u *Usual) Said() []sentence.Sentence { return u.said(true) }

func (u *Usual) said(few bool) (all []sentence.Sentence) {
	for _, of := range [...]struct {
		key string
		Range
	}{{"hands.usual.held", u.Held}, {"hands.usual.waited", u.Waited}} {
		low, high := handover.Took(of.LowMS), handover.Took(of.HighMS)
		switch {
		case of.Known() && low.String() == high.String():
			all = append(all, sentence.Of(of.key+".about", sentence.Sentences(low), sentence.Number(of.N)))
		case of.Known():
			all = append(all, sentence.Of(of.key, sentence.Sentences(low), sentence.Sentences(high), sentence.Number(of.N)))
		case few && of.N > 0 && len(all) == 0:
			all = append(all, sentence.Of("hands.usual.few", sentence.Number(of.N)))
		}
	}
	return all
}
