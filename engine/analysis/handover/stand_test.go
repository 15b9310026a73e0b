package handover_test

import (
	"fmt"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/naming"
)

// TestStand settles doubts: watches count for most, then that one has got in before, then the order of the znodes.
func TestStand(t *testing.T) {
	first := handover.Contender{Place: naming.Place{Inside: true, After: -1}}
	reader := handover.Contender{Place: naming.Place{Doubt: naming.WriterBehind, After: -1}}
	with := func(c handover.Contender, change func(c *handover.Contender)) handover.Contender {
		change(&c)
		return c
	}
	for _, c := range []struct {
		what  string
		first handover.Contender
		use   naming.Use
		want  string
	}{
		{"the first", first, naming.Lock, "[0] [1] []"},
		{"nobody can tell", reader, naming.ReadWrite, "[] [1] [0]writer-behind"},
		{"it watches the writer behind it", with(reader, func(c *handover.Contender) { c.Awaits, c.Held = 2, true }),
			naming.ReadWrite, "[] [0 1] []"},
		{"it had got in", with(reader, func(c *handover.Contender) { c.Held = true }), naming.ReadWrite, "[0] [1] []"},
		{"it has looked", with(reader, func(c *handover.Contender) { c.Looked = true }), naming.ReadWrite, "[0] [1] []"},
		{"it has looked, and is silent", with(reader, func(c *handover.Contender) { c.Looked, c.Overdue = true, true }),
			naming.ReadWrite, "[] [1] [0]overdue"},
		{"it's silent", with(first, func(c *handover.Contender) { c.Overdue, c.Looked = true, true }), naming.Lock,
			"[] [1] [0]overdue"},
		{"it's silent inside", with(first, func(c *handover.Contender) { c.Overdue, c.Held = true, true }), naming.Lock,
			"[0] [1] []"},
		{"it watched nobody", with(first, func(c *handover.Contender) { c.Unwoken, c.Held = true, true }), naming.Lock,
			"[] [1] [0]unwoken"},
		{"not all have arrived", with(reader, func(c *handover.Contender) { c.Doubt, c.Looked = naming.Gathering, true }),
			naming.Barrier, "[] [] [0]gathering"},
		{"items", handover.Contender{}, naming.Queue, "[] [] []"},
	} {
		s := handover.Stand(handover.Line{Use: c.use, All: []handover.Contender{c.first, {}}})
		got := fmt.Sprint(s.Holding, " ", s.Waiting, " ", s.Unsure)
		if len(s.Unsure) > 0 {
			got += string(s.All[s.Unsure[0]].Doubt)
		}
		if got != c.want {
			t.Errorf("%s: %s, not %s", c.what, got, c.want)
		}
	}
}

// TestReleases says whom the end of holders would wake, those first in line first, or why that isn't known.
func TestReleases(t *testing.T) {
	line := func(inside ...bool) (all []handover.Contender) {
		for i, is := range inside {
			all = append(all, handover.Contender{Node: handover.Node{Path: fmt.Sprint(i), Session: int64(10 - i)},
				Place: naming.Place{Inside: is, After: i - 1}})
		}
		return all
	}
	on := func(watchers map[string][]int64) func(*handover.Contender) []int64 {
		return func(c *handover.Contender) []int64 { return watchers[c.Path] }
	}
	for want, l := range map[string]handover.Line{
		"[{[0] [9 8 3]}] ": {Use: naming.Lock, All: line(true, false, false),
			Watchers: on(map[string][]int64{"0": {3, 8, 9, 10}, "1": {8}})},
		"[{[0] [9]}] ": {Use: naming.Lock, All: line(false, false), Watchers: on(map[string][]int64{"0": {9}})},
		"[{[1] [8 7]}] ": {Use: naming.ReadWrite, All: line(true, true, false, false),
			Watchers: on(map[string][]int64{"1": {7, 8, 9}})},
		"[{[2] [10 7]} {[0 1] [7]}] ": {Use: naming.ReadWrite, All: line(true, true, true, false), Others: []int64{7},
			Watchers: on(map[string][]int64{"2": {10}})},
		"[] ":         {Use: naming.Lock, All: line(true), Watchers: on(nil)},
		"[] unasked":  {Use: naming.Lock, All: line(true)},
		"[] outdated": {Use: naming.Lock, All: line(true), Watchers: on(nil), Outdated: true},
		"[] no-line":  {Use: naming.Members, All: line(true), Watchers: on(map[string][]int64{"0": {9}})},
	} {
		s := handover.Stand(l)
		if got := fmt.Sprint(s.Releases, " ", s.Lacks); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
