package lessons

import (
	"cmp"
	"context"
	"fmt"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/judge"
	"github.com/zkviz/zkviz/engine/stage/player"
)

// Beside is a run that is shown beside the lesson's at a step.
type Beside struct {
	Scenario run.Scenario
	InStep   player.InStep
	Rule     string // that the verdicts above the two are on, "" for the first in which they differ, or NoRule

	log *event.Log
}

// NoRule puts above two runs what their pictures show, and no verdict: a run that is stuck keeps its rules, too.
const NoRule = "none"

// of returns the run beside that of the lesson with the facts l.
func (f besideFacts) of(l lessonFacts) (*Beside, error) {
	given, err := l.Scenario.With(f.Scenario)
	if err == nil {
		err = given.Set("recipe", cmp.Or(f.Recipe, l.Recipe))
	}
	if err != nil {
		return nil, fmt.Errorf("beside: %w", err)
	}
	b := &Beside{Scenario: given.Scenario(), InStep: cmp.Or(f.InStep, player.ByTime), Rule: f.Rule}
	b.Scenario.Lines = true
	if b.InStep != player.ByTime && b.InStep != player.ByHandOver {
		return nil, fmt.Errorf("beside: in_step must be %[2]q or %[3]q, is %[1]q", b.InStep, player.ByTime, player.ByHandOver)
	}
	if f.Rule != "" && f.Rule != NoRule && !promise.Known(f.Rule) {
		return nil, fmt.Errorf("beside: unknown rule %q", f.Rule)
	}
	return b, nil
}

// simulate fills the run's log.
func (b *Beside) simulate(ctx context.Context) error {
	s := b.Scenario.WithDefaults()
	if err := s.Validate(); err != nil {
		return err
	}
	b.log = &event.Log{Header: s.Header(event.Simulated)}
	return run.Sim(ctx, s, b.log)
}

// Put pairs the run with a player of the lesson's run.
func (b *Beside) Put(lead *player.Player) *player.Pair {
	return player.NewPair(lead, judged(b.log), b.InStep)
}

// Pair returns players for a step at which another run stands beside the lesson's, r: the first player is at the
// step, the pair's other one where the second run is then. Both are nil at other steps.
func (s *Step) Pair(r *Run) (*player.Player, *player.Pair) {
	state, pos, ok := r.StateAt(s.Anchor)
	if s.Beside == nil || !ok {
		return nil, nil
	}
	lead := judged(r.Log)
	pair := s.Beside.Put(lead)
	pair.Keep() // which may go on for longer
	lead.PutSteps([]player.Step{{Anchor: s.Anchor, Seq: state.Seq, At: pos.At, Focus: s.Focus}})
	lead.Show(pos.At, state.Seq)
	pair.Keep()
	return lead, pair
}

// judged returns a player of a log with the verdict on it.
func judged(log *event.Log) *player.Player {
	p := player.Of(log)
	if err := p.PutVerdict(judge.Of(log)); err != nil {
		panic(err) // a judge's verdict is possible
	}
	return p
}
