package fork

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/recipes"
	languages "github.com/zkviz/zkviz/static/strings"
)

// simulate runs a scenario.
func simulate(t *testing.T, s run.Scenario) []event.Event {
	t.Helper()
	var log event.Log
	if err := run.Sim(t.Context(), s, &log); err != nil {
		t.Fatal(err, s.Command())
	}
	return log.Events
}

// joined returns the events that an observer of the ensemble's transactions would know.
func joined(log []event.Event) iter.Seq[event.Event] {
	return func(yield func(event.Event) bool) {
		for _, e := range log {
			switch e.Kind {
			case event.RunStarted, event.SessionCreated, event.SessionExpired, event.SessionClosed, event.ZnodeCreated,
				event.ZnodeDeleted, event.ZnodeChanged, event.RunEnded:
				if !yield(e) {
					return
				}
			}
		}
	}
}

// of returns a recipe's scenario of what was seen.
func of(t *testing.T, f Fork, recipe string) run.Scenario {
	t.Helper()
	var g run.Given
	if err := g.Set("recipe", recipe); err != nil {
		t.Fatal(err)
	}
	for _, p := range f.Parameters() {
		if len(p.Texts) == 0 {
			continue
		}
		if err := g.Set(p.Name, p.Texts...); err != nil {
			t.Fatal(err)
		}
	}
	s, err := g.Valid()
	if err != nil {
		t.Fatal(err, f.Query(recipe))
	}
	return s
}

// order returns whose sessions got in, one after the other. Those that were inside a read-write lock together have
// no order, so they are sorted by their places.
func order(t *testing.T, h event.Header, log iter.Seq[event.Event]) (names []string) {
	t.Helper()
	l, _ := Read(h, log).findLine("")
	in := slices.DeleteFunc(slices.Clone(l.places), func(p place) bool { return !p.inside() })
	if l.single {
		slices.SortStableFunc(in, func(a, b place) int { return cmp.Compare(a.in, b.in) })
	}
	for _, p := range in {
		names = append(names, fmt.Sprint(p.maker))
	}
	return names
}

// drawn returns a scenario of a lock or an election in which a few things go wrong; then each client comes once.
func drawn(chance *rand.Rand, seed uint64) run.Scenario {
	kinds := []string{"predecessor-lock", "children-lock", "unique-lock", "leader-election", "read-write-lock"}
	s := run.Scenario{Recipe: kinds[chance.IntN(len(kinds))], Seed: seed, Clients: 2 + chance.IntN(7),
		Rounds: 1 + chance.IntN(3), Hold: time.Duration(50+chance.IntN(3000)) * time.Millisecond,
		Stagger:        time.Duration(1+chance.IntN(2000)) * time.Millisecond,
		SessionTimeout: time.Duration(4+chance.IntN(6)) * time.Second}
	for range chance.IntN(3) {
		kind := []fault.Kind{fault.Pause, fault.Crash, fault.Cut, fault.Expire}[chance.IntN(4)]
		f := fault.Fault{Kind: kind, Client: 1 + chance.IntN(s.Clients),
			At: time.Duration(chance.IntN(10_000)) * time.Millisecond}
		if kind.Lasts() {
			f.For = time.Duration(1+chance.IntN(20_000)) * time.Millisecond
		}
		s.Faults, s.Rounds = append(s.Faults, f), 1
	}
	return s.WithDefaults()
}

// TestOrder: those that got in at somebody's lock get in in the same order in its fork.
func TestOrder(t *testing.T) {
	n := 150
	if testing.Short() {
		n /= 4
	}
	faults, handed, expired := 0, 0, 0
	for seed := range uint64(n) {
		s0 := drawn(rand.New(rand.NewPCG(seed, 1)), seed)
		log := simulate(t, s0)
		h := event.Header{Host: event.Joined}
		f, err := Read(h, joined(log)).Fork(Config{})
		if errors.Is(err, ErrNoLine) {
			continue // nobody has come
		}
		if err != nil {
			t.Fatal(err)
		}
		forked := of(t, f, recipes.Standing()[f.Kind()])
		want, got := order(t, h, joined(log)), order(t, h, joined(simulate(t, forked)))
		got = got[:len(got)-f.padded] // those that came when all was over
		if a, b := pattern(want), pattern(got); a != b {
			t.Errorf("%s\nits fork is\n%s\nthey got in in the order %s, and there %s", s0.Command(), forked.Command(), a, b)
		}
		all := f.Compare(forked.Header(event.Simulated), slices.Values(simulate(t, forked)))
		for _, s := range all {
			if s.Key != "fork.alike" {
				t.Errorf("%s\nits fork is\n%s\nit isn't as it was seen: %s", s0.Command(), forked.Command(), told(s))
			}
		}
		expired += len(expiries(f.holds))
		faults, handed = faults+len(f.Faults), handed+len(want)
	}
	if faults < n/20 || handed < 3*n {
		t.Errorf("there were only %d faults and %d hand-overs", faults, handed)
	}
	t.Log(faults, handed, expired)
}

// pattern names those that got in by the order in which they first did.
func pattern(names []string) string {
	seen := map[string]int{}
	var list []string
	for _, name := range names {
		if _, ok := seen[name]; !ok {
			seen[name] = len(seen)
		}
		list = append(list, string(rune('A'+seen[name])))
	}
	return strings.Join(list, " ")
}

// told writes a sentence in the words of the command line.
func told(s sentence.Sentence) string { return sentence.Voice{Say: languages.English().Say}.Says(s) }
