package compare_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/compare"
)

// told is what moments say.
type told struct {
	woken          map[int]int // how often each client is
	wokenIn, gotIn []int       // those that get in because they were woken, and all that do
	comes, goes    []int
}

func read(t *testing.T, moments []string) told {
	t.Helper()
	r := told{woken: map[int]int{}}
	for i, text := range moments {
		for n, part := range strings.Fields(text) {
			sign := part[0]
			if n == 0 != (sign == '+' || sign == '-') {
				t.Fatalf("moment %d of %d is %q", i, len(moments), text)
			}
			if sign >= '0' && sign <= '9' {
				from, to, ok := strings.Cut(part, "-")
				if !ok {
					to = from
				}
				for who := number(t, from); who <= number(t, to); who++ {
					r.woken[who]++
				}
				continue
			}
			who := number(t, part[1:])
			switch sign {
			case '+':
				r.comes = append(r.comes, who)
			case '-':
				r.goes = append(r.goes, who)
			case '*':
				r.wokenIn = append(r.wokenIn, who)
			}
			if sign == '*' || sign == '>' {
				r.gotIn = append(r.gotIn, who)
			}
		}
	}
	return r
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// inLog reads a log for the same: a watch event wakes, unless its client is inside or has itself made it fire.
func inLog(log []event.Event) told {
	r := told{woken: map[int]int{}}
	by, fired := map[event.Seq]event.Actor{}, map[event.Seq]event.Seq{}
	inside, here := map[event.Actor]bool{}, map[event.Actor]bool{}
	for _, e := range log {
		who := int(e.Actor)
		switch e.Kind {
		case event.ZnodeCreated, event.ZnodeDeleted:
			by[e.Seq] = e.Peer
		case event.WatchFired:
			fired[e.Seq] = e.Cause
		case event.WatchDelivered:
			if !inside[e.Actor] && by[fired[e.Cause]] != e.Actor {
				r.woken[who]++
			}
		case event.RecipePhase:
			is := program.Phase(e.Text)
			if is.Inside() && !inside[e.Actor] {
				r.gotIn = append(r.gotIn, who)
			}
			inside[e.Actor] = is.Inside()
			switch there := is == program.Waiting || is.Inside(); {
			case there && !here[e.Actor]:
				r.comes = append(r.comes, who)
			case !there && here[e.Actor]:
				r.goes = append(r.goes, who)
			}
			here[e.Actor] = is == program.Waiting || is.Inside()
		}
	}
	return r
}

// TestMoments compares a run's moments with its log and its figures.
func TestMoments(t *testing.T) {
	for _, recipe := range []string{"children-lock", "predecessor-lock", "unique-lock", "watch-the-lowest"} {
		for _, clients := range []int{3, 7, 40} {
			name := fmt.Sprintf("%s with %d clients", recipe, clients)
			s := run.Scenario{Recipe: recipe, Clients: clients, Seed: 1}
			row, err := compare.MeasureMoments(t.Context(), event.Simulated, run.Sim, s)
			if err != nil {
				t.Fatal(err)
			}
			var log event.Log
			plain, err := compare.Measure(t.Context(), event.Simulated, run.Sim, s, &log)
			if err != nil {
				t.Fatal(err)
			}
			if plain.Moments != nil || plain.Requests != row.Requests {
				t.Errorf("%s: without moments the figures are %+v, with them %+v", name, plain, row)
			}
			got, want := read(t, row.Moments), inLog(log.Events)
			if !maps.Equal(got.woken, want.woken) {
				t.Errorf("%s: woken %v, the log says %v", name, got.woken, want.woken)
			}
			if !slices.Equal(got.gotIn, want.gotIn) || !slices.Equal(got.comes, want.comes) ||
				!slices.Equal(got.goes, want.goes) || len(got.goes) != clients {
				t.Errorf("%s: %+v, the log says %+v", name, got, want)
			}
			sum := 0
			for _, n := range got.woken {
				sum += n
			}
			w := row.Wakeups
			if sum != w.ByRelease+w.ByArrival || len(got.wokenIn) != sum-w.Wasted {
				t.Errorf("%s: %d wakeups, of which %d of use, and the figures say %+v", name, sum, len(got.wokenIn), w)
			}
		}
	}
}

// TestMomentsTold tells small logs.
func TestMomentsTold(t *testing.T) {
	says := func(who event.Actor, p program.Phase) event.Event {
		return event.Event{Kind: event.RecipePhase, Actor: who, Text: string(p)}
	}
	wakes := func(who event.Actor) event.Event { return event.Event{Kind: event.WatchDelivered, Actor: who} }
	for _, c := range []struct {
		log  []event.Event
		want []string
	}{
		{nil, nil},
		{[]event.Event{wakes(1)}, nil}, // nobody has come
		{[]event.Event{says(1, program.Waiting), says(1, program.Waiting), says(1, program.Holding),
			says(1, program.Released)}, []string{"+1 >1", "-1"}},
		{[]event.Event{says(1, program.Holding), says(2, program.Waiting), wakes(2), says(2, program.Holding)},
			[]string{"+1 >1", "+2 *2 2"}},
		{[]event.Event{says(2, program.Waiting), wakes(2), {Kind: event.ClientBlocked, Actor: 2},
			says(2, program.Holding)}, []string{"+2 >2 2"}}, // it has gone back to sleep in between
		{[]event.Event{says(9, program.Waiting), wakes(3), wakes(1), wakes(2), wakes(9), wakes(2), wakes(2)},
			[]string{"+9 1-3 9 2 2"}},
		{[]event.Event{says(1, program.Waiting), says(1, program.GaveUp), says(1, program.Waiting)},
			[]string{"+1", "-1", "+1"}},
	} {
		if got := compare.Told(c.log); !slices.Equal(got, c.want) {
			t.Errorf("%v is told as %q, want %q", c.log, got, c.want)
		}
	}
	endless := slices.Repeat([]event.Event{says(1, program.Waiting), says(1, program.Released)}, compare.MaxTold/2)
	if got := compare.Told(endless); got != nil {
		t.Errorf("%d moments are told", len(got))
	}
}
