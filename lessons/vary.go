package lessons

import (
	"context"
	"fmt"
)

// Value is one of those that readers may give to a number of the lesson's scenario. The run with it then stands beside
// the lesson's.
type Value struct {
	ID     string
	Beside *Beside // nil for the value that the lesson itself has
	Claims []Claim // what the run beside must support
}

type valueFacts struct {
	ID     string       `json:"id"`
	Beside *besideFacts `json:"with"`
	Claims []string     `json:"claims"`
}

// values returns a step's values in their order. One of them, with no run of its own, is the lesson's.
func (f stepFacts) values(l lessonFacts) (all []Value, err error) {
	own := 0
	for _, vf := range f.Vary {
		v := Value{ID: vf.ID}
		if vf.Beside == nil {
			own++
		} else if v.Beside, err = vf.Beside.of(l); err != nil {
			return nil, fmt.Errorf("vary: %s: %w", v.ID, err)
		}
		if v.Claims, err = parseClaims(vf.Claims, v.Beside != nil); err != nil {
			return nil, fmt.Errorf("vary: %s: %w", v.ID, err)
		}
		all = append(all, v)
	}
	switch {
	case len(all) == 0:
	case own != 1:
		err = fmt.Errorf("vary: exactly one value is the lesson's own, and has no with")
	case len(all) < 3:
		err = fmt.Errorf("vary: there must be at least three values")
	case f.Beside != nil || f.Ask != nil:
		err = fmt.Errorf("vary: a value's run stands beside the lesson's, so the step can have no other one, and no question")
	}
	return all, err
}

// simulateBesides fills the logs of all runs that can stand beside the lesson's at the step.
func (s *Step) simulateBesides(ctx context.Context) error {
	besides := []*Beside{s.Beside}
	for _, v := range s.Values {
		besides = append(besides, v.Beside)
	}
	for _, b := range besides {
		if b == nil {
			continue
		}
		if err := b.simulate(ctx); err != nil {
			return fmt.Errorf("beside: %w", err)
		}
	}
	return nil
}

// PageVary is a sentence in which the reader chooses a value.
type PageVary struct {
	Text   string // its beginning
	Own    int    // the place of the lesson's own value
	Values []PageValue
}

// PageValue is a value, and how the sentence goes on with it.
type PageValue struct {
	Label, Says string
	Beside      string // the scenario of the run with it, as a query; empty for the lesson's own value
	InStep      string
	Names       string // of the two runs, see player.RunNames
}

func (f *filler) vary(facts *Step, words *StepProse) *PageVary {
	vary := &PageVary{Text: f.plain(words.Vary)}
	for i, v := range facts.Values {
		if v.Beside == nil {
			vary.Own = i
		}
		vary.Values = append(vary.Values, PageValue{
			Label: f.plain(words.Values[v.ID].Label), Says: f.plain(words.Values[v.ID].Why)})
	}
	for i, v := range facts.Values {
		if one := &vary.Values[i]; v.Beside != nil {
			one.Beside, one.InStep = v.Beside.Scenario.Query(), string(v.Beside.InStep)
			one.Names = vary.Values[vary.Own].Label + " | " + one.Label + " | " + v.Beside.Rule
		}
	}
	return vary
}
