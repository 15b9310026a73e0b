package check

import (
	"fmt"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// agreed remembers how each transaction came out for whoever spoke of it first.
type agreed struct{ outcomes map[string]outcome }

type outcome struct {
	phase zoo.Phase
	by    event.Actor
}

// mostOutcomes transactions are remembered.
const mostOutcomes = 1 << 16

func newAgreed() *agreed { return &agreed{outcomes: make(map[string]outcome)} }

func (a *agreed) append(c *Checker, e event.Event) {
	phase := zoo.Phase(e.Text)
	if e.Kind != event.RecipePhase || phase != zoo.Committed && phase != zoo.Aborted {
		return
	}
	first, known := a.outcomes[e.Path]
	switch {
	case !known && len(a.outcomes) < mostOutcomes:
		a.outcomes[e.Path] = outcome{phase, e.Actor}
	case known && first.phase != phase:
		c.violate(Violation{
			Rule: Agreed, At: e.At, Seq: e.Seq, Clients: []event.Actor{e.Actor, first.by},
			Text: fmt.Sprintf("%s reports %s as %s at %s, and %s had reported it as %s", e.Actor, name(e.Path), phase, seconds(e.At), first.by, first.phase),
		})
	}
}
