package check_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// model tells, by looking at all that came before, whether an event breaks a rule.
type model func(before []event.Event, e event.Event) bool

// TestRulesAgreeWithModels judges random logs by rules that use clever data structures, and by going through the
// whole log for each event.
func TestRulesAgreeWithModels(t *testing.T) {
	for rule, m := range map[string]model{
		promise.Unique: takenNumber, promise.MembershipTrue: miscounted, promise.ServedInOrder: passesOver,
		promise.Together: leavesOthers, promise.EveryMessage: skips,
	} {
		broken := 0
		for seed := range uint64(300) {
			log := random(rand.New(rand.NewPCG(seed, 1)), 40+int(seed))
			var want []event.Seq
			for i, e := range log {
				if m(log[:i], e) {
					want = append(want, e.Seq)
				}
			}
			c := check.New([]string{rule}, event.Header{Host: "sim"})
			for _, e := range log {
				c.Append(e)
			}
			var got []event.Seq
			for _, v := range c.Report().Violations {
				got = append(got, v.Seq)
			}
			if got = slices.Compact(got); !slices.Equal(got, want) {
				t.Fatalf("%s, seed %d: broken by the events %d, the model says %d", rule, seed, got, want)
			}
			broken += len(want)
		}
		if broken == 0 {
			t.Errorf("%s is never broken", rule)
		}
	}
}

// random returns a log of a few clients that say and do anything with a few znodes. None is created twice.
func random(r *rand.Rand, n int) (log []event.Event) {
	made := 0
	var there []string
	add := func(e event.Event) {
		e.Seq, e.Zxid = event.Seq(len(log)+1), int64(len(log)+1)
		log = append(log, e)
	}
	phases := []program.Phase{program.Counted, program.Saw, program.Passed, program.Passed, program.Leaving, program.Left}
	for len(log) < n {
		a := event.Actor(r.IntN(4) + 1)
		switch k := r.IntN(20); {
		case k < 4:
			made++
			path := fmt.Sprintf("/r/item-%010d", made^5)
			there = append(there, path)
			add(event.Event{Kind: event.ZnodeCreated, Peer: a, Path: path, Mode: uint8(zoo.PersistentSequential)})
		case k < 6 && len(there) > 0:
			i := r.IntN(len(there))
			add(event.Event{Kind: event.ZnodeDeleted, Peer: a, Path: there[i], Reason: event.ByOp})
			there = slices.Delete(there, i, i+1)
		case k < 8:
			add(event.Event{Kind: event.OpSent, Actor: a, Op: event.Children, Path: "/r"})
		case k < 10:
			add(event.Event{Kind: event.OpDone, Actor: a, Op: event.Children, Path: "/r"})
		case k < 11:
			add(event.Event{Kind: event.SessionExpired, Peer: a})
		case k < 12:
			add(event.Event{Kind: event.SessionCreated, Peer: a})
		default:
			add(event.Event{Kind: event.RecipePhase, Actor: a, Text: string(phases[r.IntN(len(phases))]), Path: "/r",
				N: int64(r.IntN(max(made, 3)) + 1)})
		}
	}
	return log
}

func is(e event.Event, p program.Phase) bool {
	return e.Kind == event.RecipePhase && program.Phase(e.Text) == p
}

func takenNumber(before []event.Event, e event.Event) bool {
	return is(e, program.Counted) && slices.ContainsFunc(before, func(b event.Event) bool {
		return is(b, program.Counted) &&
			b.N == e.N
	})
}

func miscounted(before []event.Event, e event.Event) bool {
	if !is(e, program.Saw) {
		return false
	}
	least, most, size, looked := 0, 0, 0, false
	for _, b := range before {
		switch {
		case b.Kind == event.ZnodeCreated:
			size++
		case b.Kind == event.ZnodeDeleted:
			size--
		case b.Kind == event.OpSent && b.Actor == e.Actor:
			looked, least, most = true, size, size
		}
		least, most = min(least, size), max(most, size)
	}
	return looked && (e.N < int64(least) || e.N > int64(most))
}

func passesOver(before []event.Event, e event.Event) bool {
	if e.Kind != event.ZnodeDeleted {
		return false
	}
	listed := int64(-1)
	there := map[string]int64{}
	for _, b := range before {
		switch {
		case b.Kind == event.ZnodeCreated:
			there[b.Path] = b.Zxid
		case b.Kind == event.ZnodeDeleted:
			delete(there, b.Path)
		case b.Kind == event.OpDone && b.Actor == e.Peer:
			listed = b.Zxid
		}
	}
	for path, zxid := range there {
		if strings.Compare(path, e.Path) < 0 && zxid <= listed {
			return true
		}
	}
	return false
}

func leavesOthers(before []event.Event, e event.Event) bool {
	if !is(e, program.Left) {
		return false
	}
	var passed, leaving [5]int
	var dead [5]bool
	for _, b := range before {
		switch {
		case is(b, program.Passed):
			passed[b.Actor]++
		case is(b, program.Leaving), is(b, program.Left):
			leaving[b.Actor] = passed[b.Actor]
		case b.Kind == event.SessionExpired:
			dead[b.Peer] = true
		case b.Kind == event.SessionCreated:
			dead[b.Peer] = false
		}
	}
	for a := range passed {
		if event.Actor(a) != e.Actor && !dead[a] && leaving[a] < passed[e.Actor] && passed[e.Actor] <= passed[a] {
			return true
		}
	}
	return false
}

func skips(before []event.Event, e event.Event) bool {
	there := map[int64]bool{}
	var seen [5]map[int64]bool
	var last [5]int64
	for a := range seen {
		seen[a] = map[int64]bool{}
	}
	for _, b := range before {
		switch {
		case b.Kind == event.ZnodeCreated:
			there[event.Number(b.Path)+1] = true
		case is(b, program.Saw):
			seen[b.Actor][b.N], last[b.Actor] = true, max(last[b.Actor], b.N)
		}
	}
	if e.Kind == event.ZnodeCreated {
		n := event.Number(e.Path) + 1
		for a := range seen {
			if last[a] > n && !seen[a][n] {
				return true
			}
		}
		return false
	}
	if !is(e, program.Saw) {
		return false
	}
	mine := seen[e.Actor]
	if mine[e.N] || e.N < last[e.Actor] {
		return true
	}
	for n := range there {
		if n < e.N && !mine[n] {
			return true
		}
	}
	return false
}
