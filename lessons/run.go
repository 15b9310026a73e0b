package lessons

import (
	"context"
	"fmt"
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run"
)

// Run is a log of a lesson's scenario, with what was found in it.
type Run struct {
	Log       *event.Log
	Number    int        // the lesson's
	Positions []Position // of every step, in order
	Report    check.Report
	End       *view.State // after the last event
	*index
}

// Run simulates the lesson's scenario. It returns an error if a step isn't reached.
func (l *Lesson) Run(ctx context.Context) (*Run, error) {
	s := l.Scenario.WithDefaults()
	log := event.Log{Header: s.Header(event.Simulated)}
	if err := run.Sim(ctx, s, &log); err != nil {
		return nil, err
	}
	r, err := l.Read(&log)
	if err != nil {
		return nil, err
	}
	if n := len(r.Positions); n < len(l.Steps) {
		return nil, fmt.Errorf("step %s: the run of %d events ends without reaching it",
			l.Steps[n].Anchor, len(log.Events))
	}
	return r, nil
}

// Read finds the steps and the figures in any log of the lesson's scenario, simulated or live.
func (l *Lesson) Read(log *event.Log) (*Run, error) {
	checker := check.New(log.Header.Rules(), log.Header)
	state := view.NewFor(log.Header)
	for _, e := range log.Events {
		checker.Append(e)
		state.Apply(e)
	}
	return &Run{
		Log: log, Number: l.Number, Positions: Positions(l, log), Report: checker.Report(), End: state,
		index: indexOf(log.Events),
	}, nil
}

// StateAt returns the state where a step stops, and that place; false if there is no such step. It is what the
// stage shows there: nothing later than the step's event, unless the step lingers.
func (r *Run) StateAt(anchor string) (*view.State, Position, bool) {
	i := slices.IndexFunc(r.Positions, func(p Position) bool { return p.Anchor == anchor })
	if i < 0 {
		return nil, Position{}, false
	}
	pos, s := r.Positions[i], view.NewFor(r.Log.Header)
	lingers := pos.At > r.Log.Events[pos.Seq-1].At
	for _, e := range r.Log.Events {
		if e.Seq <= pos.Seq || lingers && e.At <= pos.At {
			s.Apply(e)
		}
	}
	return s, pos, true
}

// History returns the log with every moment of it in reach.
func (r *Run) History() *view.History {
	h := view.NewHistoryFor(r.Log.Header)
	h.AppendAll(r.Log.Events)
	return h
}

// Answer returns the ID of the right choice in r. It returns an error if no choice has the measured value.
func (q *Question) Answer(r *Run) (string, error) {
	v, err := q.Measure.Of(r)
	if err != nil {
		return "", err
	}
	for _, c := range q.Choices {
		if c.Value == v {
			return c.ID, nil
		}
	}
	return "", fmt.Errorf("%s is %q, which is not among the choices", q.Measure, v)
}
