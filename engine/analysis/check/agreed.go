package check

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// agreed remembers each transaction's outcome as the first client to report it saw it.
type agreed map[string]outcome

type outcome struct {
	phase program.Phase
	by    event.Actor
}

// maxOutcomes is the number of transactions remembered.
const maxOutcomes = 1 << 16

func (agreed) reads() []event.Kind { return []event.Kind{event.RecipePhase} }

func (a agreed) append(c *Checker, e event.Event) {
	phase := program.Phase(e.Text)
	if phase != program.Committed && phase != program.Aborted {
		return
	}
	first, known := a[e.Path]
	switch {
	case !known && len(a) < maxOutcomes:
		a[e.Path] = outcome{phase, e.Actor}
	case known && first.phase != phase:
		key := "broken.agreed.aborted"
		if phase == program.Committed {
			key = "broken.agreed.committed"
		}
		c.violate(broken(promise.Agreed, e, []event.Actor{e.Actor, first.by}, sentence.Of(key,
			sentence.Client(e.Actor), sentence.Path(e.Path), sentence.Time(e.At), sentence.Client(first.by))))
	}
}
