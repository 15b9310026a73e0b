package explore

import (
	"context"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/run"
)

// mostTries bounds how many scenarios the search for a smaller one plays, and mostSeeds how many seeds it tries for
// each: fewer clients draw other random values, so the same seed gives another schedule.
const (
	mostTries = 4000
	mostSeeds = 12
)

// shrink makes a scenario that breaks a rule smaller. It also returns how the result breaks the rule.
func (c Config) shrink(ctx context.Context, s run.Scenario, v promise.Violation) (run.Scenario, promise.Violation) {
	k := &shrinker{ctx: ctx, cfg: c.only(v.Rule), best: s, v: v}
	k.shrink()
	return k.best, k.v
}

// shrinker makes a scenario smaller for as long as it breaks the same rule.
type shrinker struct {
	ctx   context.Context
	cfg   Config // with only this rule
	best  run.Scenario
	v     promise.Violation // of best
	tries int
}

// shrink tries what makes the most difference first, over and over until nothing helps any more.
func (k *shrinker) shrink() {
	for again := true; again; {
		again = false
		for _, step := range []func() bool{
			k.fewerFaults, k.joinedFaults, k.fewerServers, k.fewerClients, k.fewerRounds, k.plainSchedule, k.simplerFaults,
			k.shorterFaults, k.rounderTimes,
		} {
			again = step() || again
		}
		again = again || k.nothingCut()
	}
}

// try keeps s if it breaks the same rule, even if with another seed.
func (k *shrinker) try(s run.Scenario, seeds int) bool {
	own := s.Seed
	for i := range seeds {
		if k.tries++; k.tries > mostTries || k.ctx.Err() != nil {
			return false
		}
		if i > 0 {
			s.Seed = uint64(i)
		}
		if i > 0 && s.Seed == own {
			continue
		}
		if v := k.breaks(s); v != nil {
			k.best, k.v = s, *v
			return true
		}
	}
	return false
}

// breaks returns the first violation of the rule in question. A scenario that can't be played breaks nothing.
func (k *shrinker) breaks(s run.Scenario) *promise.Violation {
	if s.Servers > 1 && down(s.Faults) > mayFail(s) {
		return nil // nobody promises anything without a quorum
	}
	v, err := k.cfg.play(k.ctx, s)
	if err != nil {
		return nil
	}
	return v
}

// only returns c with this rule alone.
func (c Config) only(rule string) Config {
	if slices.Contains(c.Rules, rule) {
		c.Rules, c.Limits = []string{rule}, nil
	} else {
		c.Rules, c.Limits = nil, []string{rule}
	}
	return c
}

// fewerFaults drops all at once, or one at a time.
func (k *shrinker) fewerFaults() bool {
	if len(k.best.Faults) == 0 {
		return false
	}
	s := k.best
	s.Faults = nil
	if k.try(s, mostSeeds) {
		return true
	}
	some := false
	for i := 0; i < len(k.best.Faults); {
		s := k.best
		s.Faults = slices.Delete(slices.Clone(s.Faults), i, i+1)
		if k.try(s, mostSeeds) {
			some = true
		} else {
			i++
		}
	}
	return some
}

// fewerClients removes one client at a time, any one, together with its faults.
func (k *shrinker) fewerClients() bool {
	some := false
	for k.best.Clients > max(k.cfg.Recipe.MinClients, 1) && k.oneClientLess() {
		some = true
	}
	return some
}

func (k *shrinker) oneClientLess() bool {
	for gone := k.best.Clients; gone >= 1; gone-- {
		s := k.best
		s.Clients--
		s.Faults = nil
		for _, f := range k.best.Faults {
			if f.Client == gone {
				continue
			}
			if f.Client > gone {
				f.Client--
			}
			s.Faults = append(s.Faults, f)
		}
		if k.try(s, mostSeeds) {
			return true
		}
	}
	return false
}

func (k *shrinker) fewerRounds() bool {
	for rounds := 1; rounds < k.best.Rounds; rounds++ {
		s := k.best
		s.Rounds = rounds
		if k.try(s, mostSeeds) {
			return true
		}
	}
	return false
}

// plainSchedule uses the default for whatever need not be special.
func (k *shrinker) plainSchedule() bool {
	usual := k.best.Usual()
	some := false
	for _, set := range []func(*run.Scenario){
		func(s *run.Scenario) { s.Latency, s.Jitter = usual.Latency, min(s.Jitter, usual.Jitter) },
		func(s *run.Scenario) { s.Jitter = min(usual.Jitter, s.Latency) },
		func(s *run.Scenario) { s.Stagger = usual.Stagger },
		func(s *run.Scenario) { s.Hold = usual.Hold },
		func(s *run.Scenario) {
			if s.Hold != usual.Hold {
				s.Hold = program.UntilSettled
			}
		},
		func(s *run.Scenario) { s.SessionTimeout = usual.SessionTimeout },
		func(s *run.Scenario) { s.Seed = 1 },
	} {
		s := k.best
		set(&s)
		if !same(s, k.best) && k.try(s, 1) {
			some = true
		}
	}
	return some
}

func same(a, b run.Scenario) bool {
	return a.Latency == b.Latency && a.Jitter == b.Jitter && a.Stagger == b.Stagger && a.Hold == b.Hold &&
		a.SessionTimeout == b.SessionTimeout && a.Seed == b.Seed
}

// simplerFaults tries kinds that are simpler to understand: those that come first in package fault. It prefers
// setting a clock forward to setting it back.
func (k *shrinker) simplerFaults() bool {
	some := false
	for i := range k.best.Faults {
		some = k.simpler(i, k.best.Faults[i], 1) || some
		if f := k.best.Faults[i]; f.For < 0 {
			f.For = -f.For
			some = k.try(k.with(i, f), 1) || some
		}
	}
	return some
}

// simpler tries to replace the i-th fault by a simpler kind with the target of f.
func (k *shrinker) simpler(i int, f fault.Fault, seeds int) bool {
	for _, kind := range k.cfg.Faults {
		if f, ok := as(f, kind); ok && kind < k.best.Faults[i].Kind && k.try(k.with(i, f), seeds) {
			return true
		}
	}
	return false
}

// as converts a fault to another kind, if that can have the same target.
func as(f fault.Fault, kind fault.Kind) (fault.Fault, bool) {
	if kind.Target() != f.Kind.Target() {
		return f, false
	}
	switch {
	case !kind.Lasts():
		f.For = 0
	case f.For == 0:
		return f, false
	case !kind.Sets():
		f.For = max(f.For, -f.For)
	}
	f.Kind = kind
	return f, true
}

// with changes one fault. A default hold stays the default: it depends on when the faults come.
func (k *shrinker) with(i int, f fault.Fault) run.Scenario {
	s := k.best
	usual := s.Hold == s.Usual().Hold
	s.Faults = slices.Clone(s.Faults)
	s.Faults[i] = f
	if usual {
		s.Hold = s.Usual().Hold
	}
	return s
}

// lengths are easy to read and to remember.
var lengths = [...]time.Duration{
	10 * time.Millisecond, 100 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second,
	15 * time.Second,
}

func (k *shrinker) shorterFaults() bool {
	some := false
	for i := range k.best.Faults {
		for _, d := range lengths {
			f := k.best.Faults[i]
			if d >= max(f.For, -f.For) {
				break
			}
			if f.For < 0 {
				d = -d
			}
			f.For = d
			if k.try(k.with(i, f), 1) {
				some = true
				break
			}
		}
	}
	return some
}

// rounderTimes makes the times and lengths of faults as round as possible.
func (k *shrinker) rounderTimes() bool {
	some := false
	for i := range k.best.Faults {
		some = k.round(i, func(f *fault.Fault) *time.Duration { return &f.At }) || some
		some = k.round(i, func(f *fault.Fault) *time.Duration { return &f.For }) || some
	}
	return some
}

func (k *shrinker) round(i int, field func(*fault.Fault) *time.Duration) bool {
	for unit := 10 * time.Second; unit >= 10*time.Microsecond; unit /= 10 {
		f := k.best.Faults[i]
		d := *field(&f)
		if d%unit == 0 {
			return false
		}
		up := unit
		if d < 0 {
			up = -unit
		}
		for _, to := range []time.Duration{d.Truncate(unit), d.Truncate(unit) + up} {
			if to == 0 && f.Kind.Lasts() && field(&f) == &f.For || max(to, -to) > 2*max(d, -d) {
				continue // no length at all, or far more to sit through
			}
			*field(&f) = to
			if k.try(k.with(i, f), 1) {
				return true
			}
		}
	}
	return false
}
