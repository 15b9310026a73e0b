package holds_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/holds"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
)

// TestUsual checks the range of the middle 80 %, and that too few say nothing.
func TestUsual(t *testing.T) {
	lengths := func(n int, of func(i int) int64) (all []int64) {
		for i := range n {
			all = append(all, of(n-1-i))
		}
		return all
	}
	for _, c := range []struct {
		ms   []int64
		want holds.Range
	}{
		{nil, holds.Range{}},
		{lengths(9, func(i int) int64 { return int64(i) }), holds.Range{N: 9}},
		{lengths(10, func(i int) int64 { return int64(i) }), holds.Range{N: 10, LowMS: 1, HighMS: 8}},
		{lengths(100, func(i int) int64 { return int64(i) }), holds.Range{N: 100, LowMS: 10, HighMS: 89}},
		{lengths(20, func(i int) int64 { return 7 }), holds.Range{N: 20, LowMS: 7, HighMS: 7}},
	} {
		if got := holds.RangeOf(c.ms); got != c.want {
			t.Errorf("of %d the usual range is %v, want %v", len(c.ms), got, c.want)
		}
	}
	u := holds.Usual{Held: holds.Range{N: 12, LowMS: 2000, HighMS: 4000}, Waited: holds.Range{N: 3}}
	fewest := holds.Usual{Held: holds.Range{N: 3}, Waited: holds.Range{N: 3}}
	var said []string
	for _, s := range append(append(u.Said(), fewest.Said()...), u.Says(12_000), u.Says(12_001)) {
		said = append(said, s.String())
	}
	want := []string{"hands.usual.held(2.0 s, 4.0 s, 12)", "hands.usual.few(3)", "",
		"hands.usual.far(4.0 s)"}
	if !slices.Equal(said, want) {
		t.Errorf("it says %q", said)
	}
	if fewest.Known() != nil {
		t.Error("of three it says what is usual")
	}
	short := holds.Usual{Held: holds.Range{N: 12, HighMS: 1}}
	if short.Far(900) || !short.Far(1100) {
		t.Error("a hold of less than a second more than usual is far outside, or one of more isn't")
	}
}

// TestFilter checks what filters select.
func TestFilter(t *testing.T) {
	all := []holds.Hold{
		{Session: 0x1f, Addr: "10.0.3.21:37091", Data: "report-1", LostMS: 5000, Reason: event.BySessionExpired},
		{Session: 0x1f, Addr: "10.0.3.21:37092", LostMS: 6000, Reason: event.ByOp, By: 0x1f},
		{Session: 0x2a, Addr: "10.0.3.2:1", LostMS: 7000, Reason: event.ByOp, By: 0x1f},
		{Session: 0x2b, Addr: "[fd00::2]:1", Data: "report-2", LostMS: 8000, Reason: event.ByUnknown, Unsure: true},
		{Session: 0x2c},
	}
	for _, c := range []struct {
		f    holds.Filter
		want string
	}{
		{holds.Filter{}, "[0 1 2 3 4]"},
		{holds.Filter{SinceMS: 7000}, "[2 3 4]"},
		{holds.Filter{Why: "expired"}, "[0]"},
		{holds.Filter{Why: "let-go"}, "[1]"},
		{holds.Filter{Why: "deleted"}, "[2]"},
		{holds.Filter{Why: "unknown"}, "[3]"},
		{holds.Filter{Who: "10.0.3.2"}, "[2]"},
		{holds.Filter{Who: "10.0.3.21"}, "[0 1]"},
		{holds.Filter{Who: "10.0.3.21:37092"}, "[1]"},
		{holds.Filter{Who: "fd00::2"}, "[3]"},
		{holds.Filter{Who: "0x1F"}, "[0 1]"},
		{holds.Filter{Who: "0x1"}, "[]"},
		{holds.Filter{Who: "report"}, "[0 3]"},
		{holds.Filter{Who: "report", Why: "expired", SinceMS: 6000}, "[]"},
	} {
		got := []int{}
		for i := range all {
			if c.f.Has(&all[i]) {
				got = append(got, i)
			}
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%+v selects %v, want %s", c.f, got, c.want)
		}
	}
	if _, err := holds.ParseEnding("expiry"); err == nil {
		t.Error("an unknown reason is accepted")
	}
	for _, why := range []handover.Why{handover.LetGo, handover.ByOther, handover.Deleted, handover.Closed,
		handover.Expired, handover.Timer, handover.Emptied, handover.Ahead, handover.Unknown} {
		n := 0
		for _, e := range holds.Endings() {
			if e.Has(why) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%d endings have %q", n, why)
		}
	}
}

// TestFromChanges checks that what may have ended in missing transactions, and ended later, is one hold, and that who
// never held it has none.
func TestFromChanges(t *testing.T) {
	hand := func(name string, session, gotMS int64) handover.Hand {
		return handover.Hand{Node: handover.Node{Path: "/l/" + name, Session: session, MadeMS: gotMS - 10}, GotMS: gotMS}
	}
	lost := func(h handover.Hand, atMS int64, why event.Reason) handover.Change {
		return handover.Change{TimeMS: atMS, Zxid: atMS, Hand: h, Reason: why}
	}
	perhaps, never := lost(hand("b", 2, 200), 300, event.NoReason), lost(hand("x", 9, 1), 350, event.ByOp)
	perhaps.Unsure, never.Never = true, true
	h := holds.FromChanges([]handover.Change{{TimeMS: 100, Got: true, Hand: hand("a", 1, 100)},
		lost(hand("a", 1, 100), 200, event.ByOp), perhaps, never, lost(hand("b", 2, 200), 400, event.BySessionExpired),
		lost(hand("b", 2, 410), 420, event.ByOp)}, []handover.Hand{hand("c", 3, 430)}, naming.Lock, 100, 500)
	var got []string
	for _, one := range h.Select(&holds.Filter{}) {
		waited, _ := one.WaitedMS()
		held, known := one.HeldMS(500)
		got = append(got, fmt.Sprintf("%d %d-%d %s waited %d held %d %v", one.Session, one.GotMS, one.LostMS, one.Why(),
			waited, held, known))
	}
	want := []string{"3 430-0  waited 10 held 70 true", "2 410-420 deleted waited 10 held 10 true",
		"2 200-400 expired waited 10 held 200 true", "1 100-200 deleted waited 10 held 100 true"}
	if !slices.Equal(got, want) || h.Of != 3 {
		t.Errorf("the holds are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestLasted checks that a hold whose end or beginning nobody saw isn't said to be exact.
func TestLasted(t *testing.T) {
	for _, c := range []struct {
		h    holds.Hold
		want string
	}{
		{holds.Hold{GotMS: 1000, LostMS: 3000}, "exactly"},
		{holds.Hold{GotMS: 1000}, "exactly"},
		{holds.Hold{GotMS: 1000, LostMS: 3000, Unsure: true}, "most"},
		{holds.Hold{GotMS: 1000, LostMS: 3000, Had: true, MadeMS: 500}, "between"},
		{holds.Hold{GotMS: 1000, LostMS: 3000, Had: true}, "least"},
		{holds.Hold{GotMS: 1000, LostMS: 3000, Had: true, Unsure: true}, "untimed"},
		{holds.Hold{GotMS: 3000, LostMS: 1000}, "untimed"}, // the clock went back
	} {
		if got := c.h.Lasted(9000).Key; got != "hands.held."+c.want {
			t.Errorf("%+v lasted %s, want %s", c.h, got, c.want)
		}
	}
}
