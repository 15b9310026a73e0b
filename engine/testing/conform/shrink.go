package conform

import (
	"context"
	"slices"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/shrink"
)

// Shrink makes the script of a difference as short as it can while it still shows one, on new servers. It returns nil
// if new servers don't show it: then it depends on earlier scripts.
func Shrink(ctx context.Context, p *Pair, d *Difference) (*Difference, error) {
	s := &shrinker{ctx: ctx, pair: p, kind: d.Kind}
	if err := p.Renew(); err != nil {
		return nil, err
	}
	script := d.Script
	if !s.shows(script) {
		return nil, s.err
	}
	script = s.upTo(script)
	script = s.steps(script)
	script = s.simpler(script)
	return s.finish(script, d)
}

// finish plays the script once more, on new servers, as many scripts were played on the others.
func (s *shrinker) finish(script Script, was *Difference) (*Difference, error) {
	if s.err != nil {
		return nil, s.err
	}
	small := s.ctx.Err() == nil && s.tries < maxTries
	if err := s.pair.Renew(); err != nil {
		return nil, err
	}
	best, err := s.pair.Play(script)
	if err != nil || best == nil {
		return nil, err
	}
	best.Number, best.Small = was.Number, small
	return best, nil
}

// maxTries limits the number of scripts for shrinking one difference.
const maxTries = 400

type shrinker struct {
	ctx   context.Context
	pair  *Pair
	kind  string // of the difference to keep
	tries int
	round int // the last that differed
	err   error
}

// shows reports whether the script shows the difference.
func (s *shrinker) shows(script Script) bool {
	if s.err != nil || s.ctx.Err() != nil || s.tries >= maxTries {
		return false
	}
	s.tries++
	d, err := s.pair.Play(script.elsewhere(s.tries))
	switch {
	case err != nil:
		s.err = err
	case d != nil && d.Kind != s.kind:
		d = nil // a different one, which will be found in its turn
		fallthrough
	default:
		if !s.pair.level() {
			s.err = s.pair.Renew()
		}
	}
	if d != nil {
		s.round = d.Round
	}
	return d != nil
}

// upTo returns the script up to the round that differs.
func (s *shrinker) upTo(script Script) Script {
	steps := 0
	for i, round := range script.rounds() {
		if steps += len(round); i == s.round {
			break
		}
	}
	var kept Script
	for _, step := range script {
		if step.Kind != Break {
			steps--
		}
		if kept = append(kept, step); steps == 0 {
			break
		}
	}
	if s.shows(kept) {
		return kept
	}
	return script
}

// steps omits all steps that aren't needed.
func (s *shrinker) steps(script Script) Script {
	return shrink.Steps(script, func(less []Step) (int, bool) { return len(less), s.shows(less) })
}

// simpler makes each step as simple as possible.
func (s *shrinker) simpler(script Script) Script {
	for i := range script {
		for change := range changes() {
			plain := slices.Clone(script)
			plain[i].Req.Ops = slices.Clone(plain[i].Req.Ops)
			for changes()[change](&plain[i]) {
				if !s.shows(plain) {
					break
				}
				script = slices.Clone(plain)
				plain[i].Req.Ops = slices.Clone(plain[i].Req.Ops)
			}
		}
		script = s.fewerParts(script, i)
	}
	return script
}

// fewerParts omits parts of a multi.
func (s *shrinker) fewerParts(script Script, i int) Script {
	for k := 0; k < len(script[i].Req.Ops); {
		fewer := slices.Clone(script)
		fewer[i].Req.Ops = slices.Delete(slices.Clone(fewer[i].Req.Ops), k, k+1)
		if s.shows(fewer) {
			script = fewer
		} else {
			k++
		}
	}
	return script
}

// changes make a step simpler, and report whether they could.
func changes() []func(*Step) bool {
	return []func(*Step) bool{
		func(s *Step) bool { return set(&s.Req.Xid, 0) },
		func(s *Step) bool { return set(&s.Req.Watch, false) },
		func(s *Step) bool {
			if s.Req.Data == nil {
				return false
			}
			s.Req.Data = nil
			return true
		},
		func(s *Step) bool {
			if s.Req.ACL == nil || slices.Equal(s.Req.ACL, zoo.OpenACL()) {
				return false
			}
			s.Req.ACL = zoo.OpenACL()
			return true
		},
		func(s *Step) bool { return s.Kind == Ask && set(&s.Req.Flags, usual(s.Req.Op).Flags) },
		func(s *Step) bool { return s.Kind == Ask && set(&s.Req.Version, usual(s.Req.Op).Version) },
		func(s *Step) bool { return s.Kind == Connect && set(&s.Hello.Timeout, DefaultTimeout) },
		func(s *Step) bool { return set(&s.Hello.ReadOnly, NotReadOnly) },
		func(s *Step) bool { return set(&s.Hello.Version, 0) },
		func(s *Step) bool { return dropLast(&s.Req.DataWatches) },
		func(s *Step) bool { return dropLast(&s.Req.ExistWatches) },
		func(s *Step) bool { return dropLast(&s.Req.ChildWatches) },
		func(s *Step) bool { return dropLast(&s.Req.PersistentWatches) },
		func(s *Step) bool { return dropLast(&s.Req.RecursiveWatches) },
	}
}

func set[T comparable](field *T, to T) bool {
	if *field == to {
		return false
	}
	*field = to
	return true
}

func dropLast(list *[]string) bool {
	if len(*list) == 0 {
		return false
	}
	*list = (*list)[:len(*list)-1]
	return true
}
