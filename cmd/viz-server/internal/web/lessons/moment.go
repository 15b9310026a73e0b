package lessons

import (
	"context"
	"errors"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
)

// fewClients is enough to show what a recipe does.
const fewClients = 4

// exampleRun returns a run that shows what a recipe does. For a pitfall it breaks a promise, and comes from the
// catalogue or the pitfall's lesson.
func (p *pictures) exampleRun(r recipe.Recipe) (run.Scenario, error) {
	if r.Seen != "" {
		return run.ParseQuery("recipe=" + r.Name + "&" + r.Seen)
	}
	if l, ok := p.book.Teaching(r.Name); ok && r.Kind == recipe.Pitfall && l.Scenario.Recipe == r.Name {
		return l.Scenario, nil
	}
	return run.Scenario{Recipe: r.Name, Clients: max(r.MinClients, fewClients)}, nil
}

// momentOf returns the most telling state of a run: when a promise breaks, otherwise the first moment at which most
// clients are inside or wait for a watch.
func momentOf(ctx context.Context, s run.Scenario) (*view.State, error) {
	s = s.WithDefaults()
	log := event.Log{Header: s.Header(event.Simulated)}
	if err := run.Sim(ctx, s, &log); err != nil {
		return nil, err
	}
	if len(log.Events) == 0 {
		return nil, errors.New("nothing happens in its run")
	}
	checker := check.New(log.Header.Rules(), log.Header)
	state, best, most := view.NewFor(log.Header), event.Seq(len(log.Events)), -1
	for _, e := range log.Events {
		checker.Append(e)
		state.Apply(e)
		if n := busy(state); n > most {
			best, most = e.Seq, n
		}
	}
	if v := checker.Report().Violations; len(v) > 0 && v[0].Seq > 0 {
		best = v[0].Seq
	}
	state = view.NewFor(log.Header)
	for _, e := range log.Events[:best] {
		state.Apply(e)
	}
	return state, nil
}

func busy(s *view.State) (n int) {
	for i := range s.Clients {
		switch c := &s.Clients[i]; {
		case c.Inside:
			n += 3
		case c.Blocked:
			n += 2
		case c.Belief.Phase != "":
			n++
		}
	}
	return n
}
