package explore

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run"
)

// Draw returns the scenario of a seed. No result of an exploration shows those that break nothing.
func Draw(c Config, seed uint64) run.Scenario {
	c = c.withDefaults()
	return c.draw(seed, c.least(), c.most())
}

// DrawSized draws between two sizes: clients, faults and rounds.
func DrawSized(c Config, seed uint64, least, most [3]int) run.Scenario {
	return c.withDefaults().draw(seed, size{least[0], least[1], least[2]}, size{most[0], most[1], most[2]})
}

// WithNew returns c as if there were further kinds of faults, in that order before the others.
func WithNew(c Config, kinds ...fault.Kind) Config {
	c = c.withDefaults()
	c.Faults = slices.Concat(kinds, c.Faults)
	c.apart = apart(c.Faults)
	return c
}

// InOneGroup returns c with the kinds that are drawn together and those of the faults, drawn as one group.
func InOneGroup(c Config, list ...fault.Fault) Config { return c.withDefaults().inOneGroup(list) }

// Calm reports whether a scenario is judged by the limits too.
func Calm(c Config, s run.Scenario) bool { return c.withDefaults().calm(s) }
