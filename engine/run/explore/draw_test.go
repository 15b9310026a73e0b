package explore_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/explore"
)

// draws is the number of seeds over which the shares below are counted.
const draws = 20_000

// drawn returns the scenarios of the first seeds, with those kinds of faults that are drawn as one group.
func drawn(cfg explore.Config) []run.Scenario {
	cfg = explore.InOneGroup(cfg)
	list := make([]run.Scenario, draws)
	for i := range list {
		list[i] = explore.Draw(cfg, uint64(i+1))
	}
	return list
}

// shares is how often each value should occur, as a fraction of all.
type shares map[string]float64

// evenly returns an equal share for each.
func evenly[T any](of ...T) shares {
	s := shares{}
	for _, v := range of {
		s[fmt.Sprint(v)] = 1 / float64(len(of))
	}
	return s
}

// times returns the shares of pairs of two independent values.
func (s shares) times(o shares) shares {
	both := shares{}
	for a, p := range s {
		for b, q := range o {
			both[a+" "+b] = p * q
		}
	}
	return both
}

// holdTo compares counts with the intended shares. A fair draw is off by five standard deviations once in two
// million times; since the seeds are fixed, it is so always or never.
func (s shares) holdTo(t *testing.T, what string, count map[string]int) {
	t.Helper()
	n := 0
	for v, k := range count {
		n += k
		if s[v] == 0 {
			t.Errorf("%s: %q is drawn, %d times", what, v, k)
		}
	}
	if n == 0 && len(s) > 0 {
		t.Errorf("%s: none is drawn", what)
	}
	for _, v := range slices.Sorted(maps.Keys(s)) {
		p := s[v]
		want, slack := p*float64(n), 5*math.Sqrt(p*(1-p)*float64(n))
		if got := float64(count[v]); math.Abs(got-want) > slack {
			t.Errorf("%s: %q is drawn %.0f times of %d, want %.0f ± %.0f", what, v, got, n, want, slack)
		}
	}
}

// parameter is one of those that a seed draws.
type parameter struct {
	name string
	of   func(run.Scenario) any
	want shares
}

var parameters = []parameter{
	{"clients", func(s run.Scenario) any { return s.Clients }, evenly(2, 3, 4, 5)},
	{"rounds", func(s run.Scenario) any { return s.Rounds }, evenly(1, 2, 3)},
	{"faults", func(s run.Scenario) any { return len(s.Faults) }, evenly(0, 1, 2, 3, 4)},
	{"hold", func(s run.Scenario) any { return s.Hold },
		evenly(program.UntilSettled, 10*time.Millisecond, 100*time.Millisecond, time.Second, 3*time.Second)},
	{"latency", func(s run.Scenario) any { return s.Latency },
		evenly(time.Millisecond, 5*time.Millisecond, 20*time.Millisecond, 100*time.Millisecond)},
	{"latency/jitter", func(s run.Scenario) any { return float64(s.Latency) / float64(s.Jitter) }, evenly(20, 2, 1)},
	{"stagger", func(s run.Scenario) any { return s.Stagger },
		evenly(-1, time.Millisecond, 20*time.Millisecond, 500*time.Millisecond)},
}

// TestEveryParameterIsDrawn: each value of each parameter comes as often as it should, together with each value of
// each other one.
func TestEveryParameterIsDrawn(t *testing.T) {
	all := drawn(explore.Config{Recipe: named(t, "predecessor-lock")})
	for i, p := range parameters {
		p.want.holdTo(t, p.name, counted(all, p.of))
		for _, q := range parameters[:i] {
			both := counted(all, func(s run.Scenario) any { return fmt.Sprint(p.of(s)) + " " + fmt.Sprint(q.of(s)) })
			p.want.times(q.want).holdTo(t, p.name+" and "+q.name, both)
		}
	}
	for i, s := range all {
		if s.Seed != uint64(i+1) || s.Recipe != "predecessor-lock" || s.SessionTimeout != 4*time.Second ||
			s.MaxEvents != 30_000 {
			t.Fatalf("seed %d is %+v", i+1, s)
		}
		if err := s.Validate(); err != nil {
			t.Fatalf("seed %d: %v", i+1, err)
		}
	}
}

func counted(all []run.Scenario, of func(run.Scenario) any) map[string]int {
	count := map[string]int{}
	for _, s := range all {
		count[fmt.Sprint(of(s))]++
	}
	return count
}

// TestEveryFaultIsDrawn: each kind, for each client, long and short.
func TestEveryFaultIsDrawn(t *testing.T) {
	kinds, lengths, halves := map[string]int{}, map[string]map[string]int{}, map[string]int{}
	victims := map[int]map[string]int{}
	for _, s := range drawn(explore.Config{Recipe: named(t, "predecessor-lock")}) {
		if victims[s.Clients] == nil {
			victims[s.Clients] = map[string]int{}
		}
		for _, f := range s.Faults {
			kind := f.Kind.String()
			kinds[kind]++
			if f.Kind != fault.Restart {
				victims[s.Clients][fmt.Sprint(f.Client)]++
			}
			length, half := lengthOf(f.For)
			if lengths[kind] == nil {
				lengths[kind] = map[string]int{}
			}
			lengths[kind][length]++
			halves[length+" "+half]++
		}
	}
	evenly("crash", "pause", "cut", "expire", "drop", "delay", "restart").holdTo(t, "kinds", kinds)
	mostlyLong := shares{"short": 1. / 3, "long": 2. / 3}
	for kind, want := range map[string]shares{
		"crash": {"none": 1}, "expire": {"none": 1}, "drop": {"none": 1}, "restart": {"short": 1},
		"pause": mostlyLong, "cut": mostlyLong, "delay": mostlyLong,
	} {
		want.holdTo(t, kind, lengths[kind])
	}
	for _, length := range []string{"short", "long"} {
		n := float64(halves[length+" first"] + halves[length+" second"])
		if share := float64(halves[length+" first"]) / n; math.Abs(share-.5) > 5*.5/math.Sqrt(n) {
			t.Errorf("%.3f of the %s faults are in the lower half of their lengths", share, length)
		}
	}
	evenly(1, 2).holdTo(t, "of two clients", victims[2])
	evenly(1, 2, 3, 4, 5).holdTo(t, "of five clients", victims[5])
}

// lengthOf names a length: up to half a session's timeout it is short, from one timeout to four long.
func lengthOf(d time.Duration) (length, half string) {
	halves := func(least, most time.Duration) string {
		if d < (least+most)/2 {
			return "first"
		}
		return "second"
	}
	switch {
	case d == 0:
		return "none", "first"
	case d%time.Millisecond != 0:
	case d >= time.Millisecond && d <= 2*time.Second:
		return "short", halves(time.Millisecond, 2*time.Second)
	case d >= 4*time.Second && d <= 16*time.Second:
		return "long", halves(4*time.Second, 16*time.Second)
	}
	return "of no kind: " + d.String(), ""
}

// TestFaultsComeInTime: half of them come in the first eighth of the run, the others anywhere in it, and after a
// fault that lasts, for that much longer. They come in order.
func TestFaultsComeInTime(t *testing.T) {
	sooner := map[float64]int{1. / 16: 0, 1. / 8: 0, 1. / 4: 0, 1. / 2: 0, 3. / 4: 0, 1: 0}
	ones, later := 0, 0
	for _, s := range drawn(explore.Config{Recipe: named(t, "predecessor-lock")}) {
		span := time.Duration(s.Clients*s.Rounds) * (max(s.Hold, 0) + 8*s.Latency)
		span += time.Duration(s.Clients) * max(s.Stagger, 0)
		if len(s.Faults) == 1 {
			ones++
			for part := range sooner {
				if float64(s.Faults[0].At) <= part*float64(span)+float64(5*time.Microsecond) {
					sooner[part]++
				}
			}
		}
		longest := span
		for _, f := range s.Faults {
			longest += f.For
		}
		for i, f := range s.Faults {
			if f.At < 0 || f.At > longest+5*time.Microsecond || f.At%(10*time.Microsecond) != 0 || i > 0 &&
				f.At < s.Faults[i-1].At {
				t.Fatalf("%s of %v, of which it takes %v", f, s.Faults, longest)
			}
			if f.At > span+10*time.Microsecond {
				later++
			}
		}
	}
	for part, n := range sooner {
		want := (min(8*part, 1) + part) / 2
		if got := float64(n) / float64(ones); math.Abs(got-want) > 5*math.Sqrt(want*(1-want)/float64(ones)) {
			t.Errorf("%.3f of the faults come in the first %.3f of a run, want %.3f", got, part, want)
		}
	}
	if later < draws/10 {
		t.Errorf("only %d faults come after what went before has made the run longer", later)
	}
}

// TestChainsAreDrawn: on servers half of the seeds draw related faults. Most of those hit the leading server, and
// last until others notice; each comes near the moment when the previous one begins, is noticed, or ends.
func TestChainsAreDrawn(t *testing.T) {
	servers, lengths, later := map[string]int{}, map[string]int{}, map[string]int{}
	for _, s := range drawn(explore.Config{Recipe: named(t, "predecessor-lock"), Servers: 3, Observers: 1}) {
		if err := s.Validate(); err != nil {
			t.Fatalf("seed %d: %v", s.Seed, err)
		}
		forGood := func(f fault.Fault) bool { return f.Kind == fault.CrashServer }
		if i := slices.IndexFunc(s.Faults, forGood); i >= 0 && slices.ContainsFunc(s.Faults[i+1:], forGood) {
			t.Errorf("seed %d leaves no quorum: %v", s.Seed, s.Faults)
		}
		switch {
		case len(s.Faults) == 1 && s.Faults[0].Kind.Target() == fault.ToOneServer:
			servers[fmt.Sprint(s.Faults[0].Server)]++
		case len(s.Faults) == 1 && s.Faults[0].Kind == fault.Partition:
			lengths[fmt.Sprint(s.Faults[0].For >= 10*time.Second && s.Faults[0].For < 15*time.Second)]++
		case len(s.Faults) == 2 && s.Faults[0].For > 13*time.Second:
			after := s.Faults[1].At - s.Faults[0].At
			later[fmt.Sprint(after >= 9*time.Second && after < 13*time.Second)]++
		}
	}
	// Four of the five kinds that isolate hit one server, and five of all fourteen.
	const isChain = (2./3*4/5 + 1./3*5/14) / (2./3*4/5 + 1./3*5/14 + 5./14)
	shares{"1": (1 - .75*isChain) / 4, "2": (1 - .75*isChain) / 4, "3": .75*isChain + (1-.75*isChain)/4,
		"4": (1 - .75*isChain) / 4}.holdTo(t, "the server", servers)
	const cutsInChain, usual = (2./3*1/5 + 1./3*1/14) / (2./3*1/5 + 1./3*1/14 + 1./14), 2. / 3 * 5 / 12
	long := usual + .75*cutsInChain*(1-usual)
	shares{"true": long, "false": 1 - long}.holdTo(t, "the length of partitions", lengths)
	if share := float64(later["true"]) / float64(later["true"]+later["false"]); share < .2 {
		t.Errorf("%.2f of the faults come about when the one before is noticed", share)
	}
}

// TestWhatMayBeDrawn: the request and the recipe's needs bound sizes and kinds.
func TestWhatMayBeDrawn(t *testing.T) {
	r := named(t, "predecessor-lock")
	needsThree, needsNine := r, r
	needsThree.MinClients, needsNine.MinClients = 3, 9
	group := explore.InOneGroup(explore.Config{Recipe: r})
	usual := evenly(group.Faults...)
	for name, c := range map[string]struct {
		cfg     explore.Config
		clients shares
		kinds   shares
	}{
		"one client":          {explore.Config{Recipe: r, Clients: 1}, evenly(1), usual},
		"two clients":         {explore.Config{Recipe: r, Clients: 2}, evenly(2), usual},
		"seven clients":       {explore.Config{Recipe: r, Clients: 7}, evenly(2, 3, 4, 5, 6, 7), usual},
		"a recipe for three":  {explore.Config{Recipe: needsThree}, evenly(3, 4, 5), usual},
		"a recipe for nine":   {explore.Config{Recipe: needsNine}, evenly(9), usual},
		"fewer than it needs": {explore.Config{Recipe: needsThree, Clients: 2}, evenly(3), usual},
		"no faults":           {explore.Config{Recipe: r, Faults: []fault.Kind{}}, evenly(2, 3, 4, 5), shares{}},
		"restarts alone": {explore.Config{Recipe: r, Faults: []fault.Kind{fault.Restart}}, evenly(2, 3, 4, 5),
			evenly("restart")},
		"two kinds": {explore.Config{Recipe: r, Faults: []fault.Kind{fault.Drop, fault.Cut}}, evenly(2, 3, 4, 5),
			evenly("drop", "cut")},
	} {
		all, kinds := drawn(c.cfg), map[string]int{}
		for _, s := range all {
			for _, f := range s.Faults {
				kinds[f.Kind.String()]++
			}
		}
		c.clients.holdTo(t, name, counted(all, func(s run.Scenario) any { return s.Clients }))
		c.kinds.holdTo(t, name, kinds)
	}
	for seed := range uint64(1000) {
		s := explore.DrawSized(group, seed, [3]int{3, 2, 2}, [3]int{3, 2, 2})
		if s.Clients != 3 || len(s.Faults) != 2 || s.Rounds != 2 {
			t.Fatalf("seed %d: %d clients, %d faults and %d rounds of one size", seed, s.Clients, len(s.Faults), s.Rounds)
		}
	}
}

// TestCalm: limits are judged only where no session can end without its client knowing.
func TestCalm(t *testing.T) {
	told := map[fault.Kind]bool{}
	for want, lists := range map[bool][][]string{
		true: {
			{}, {"crash client-1 at 1s"}, {"drop client-1 at 1s", "drop client-2 at 1s"}, {"restart server at 1s for 24h"},
			{"jump server at 1s by -24h"},
			{"pause client-1 at 1s for 2s"}, {"cut client-1 at 1s for 1999ms", "pause client-2 at 1s for 2s"},
			{"pause client-3 at 1s for 1s", "cut client-3 at 9s for 1s"},
		},
		false: {
			{"expire client-1 at 1s"}, {"delay client-1 at 1s for 1ms"}, {"pause client-1 at 1s for 2001ms"},
			{"cut client-3 at 1s for 2001ms"}, {"pause client-3 at 1s for 1s", "cut client-3 at 9s for 1001ms"},
			{"crash client-1 at 1s", "expire client-1 at 2s"},
		},
	} {
		for _, list := range lists {
			s := run.Scenario{Recipe: "predecessor-lock", Clients: 3, SessionTimeout: 6 * time.Second}
			var err error
			if s.Faults, err = fault.ParseAll(list, fault.Scope{Servers: 1}); err != nil {
				t.Fatal(err)
			}
			for _, f := range s.Faults {
				told[f.Kind] = true
			}
			if explore.Calm(explore.Config{Recipe: named(t, "predecessor-lock")}, s) != want {
				t.Errorf("%q: calm is not %t", list, want)
			}
			harmed := recipe.Recipe{Harms: []string{"crash"}}
			want := want && !slices.ContainsFunc(s.Faults, func(f fault.Fault) bool { return f.Kind == fault.Crash })
			if explore.Calm(explore.Config{Recipe: harmed}, s) != want {
				t.Errorf("%q for a recipe that crashes harm: calm is not %t", list, want)
			}
		}
	}
	for _, k := range fault.Kinds() {
		if !told[k] {
			t.Errorf("it is not told whether a run with %s is calm", k)
		}
	}
}
