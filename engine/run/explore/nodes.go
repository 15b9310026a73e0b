package explore

import (
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
)

// nodeFaults returns the faults that are drawn in runs of a recipe on systems other than ZooKeeper. Independent
// nodes can't fall behind or take over. A Redis that restarts has forgotten its fencing numbers, and nobody
// promises to survive that.
func nodeFaults(r recipe.Recipe) []fault.Kind {
	forgets := slices.ContainsFunc(r.Systems, func(s event.System) bool { return s.Kind == event.RedisSystem })
	return slices.DeleteFunc(possibleAtNodes(r), func(k fault.Kind) bool {
		return k == fault.RestartNode && forgets && slices.Contains(r.Promises, promise.Fenced)
	})
}

// possibleAtNodes returns the faults that can happen there, whatever the recipe promises.
func possibleAtNodes(r recipe.Recipe) []fault.Kind {
	replicated := slices.ContainsFunc(r.Systems, event.System.Replicated)
	return slices.DeleteFunc(fault.SystemKinds(), func(k fault.Kind) bool { return k.TakesReplicas() && !replicated })
}

// Kinds returns the faults that are drawn by default in runs of a recipe, with that many ZooKeeper servers.
func Kinds(r recipe.Recipe, servers int) []fault.Kind {
	switch {
	case !event.HasZooKeeper(r.Systems):
		return nodeFaults(r)
	case servers > 1:
		return append(serverFaults(), EnsembleFaults()...)
	}
	return serverFaults()
}

// serverFaults returns the faults that are drawn whatever the number of ZooKeeper's servers. Their clocks aren't set:
// clients see them only in a znode's ctime and mtime, at which two pitfalls look, and those break without a fault.
func serverFaults() []fault.Kind {
	return slices.DeleteFunc(fault.Kinds(), func(k fault.Kind) bool { return k == fault.SetClock })
}

// calmAtNodes replaces calm where there are no sessions. A lease ends by its holder's own clock, whatever happens
// to messages. It ends unnoticed if the holder can't look at the clock just then, for however short a time, or if a
// node forgets it or considers it over.
func (c Config) calmAtNodes(s run.Scenario) bool {
	return !slices.ContainsFunc(s.Faults, func(f fault.Fault) bool {
		return f.Kind == fault.Pause || f.Kind == fault.Stall || f.Kind.Target() == fault.ToNode ||
			slices.Contains(c.Recipe.Harms, f.Kind.String())
	})
}
