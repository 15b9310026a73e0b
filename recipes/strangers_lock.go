package recipes

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// strangersLockRecipe is the queue of predecessorLock for programs that begin their names differently.
var strangersLockRecipe = recipe.Recipe{
	Kind:     recipe.Right,
	Name:     "strangers-lock",
	File:     "strangers_lock.go",
	Promises: []string{promise.TruthExclusion, promise.Order, promise.Progress, promise.OneWakeup, promise.Clean},
	Limits:   []string{promise.BeliefExclusion},
	Sources: []string{"ZooKeeper documentation, Recipes and Solutions: Locks", "Apache Curator, InterProcessMutex",
		"kazoo, Lock: extra_lock_patterns"},
	MinClients: 1,
	Role:       kit.ProgramRole,
	Drawing:    event.Drawing{Kind: event.DrawQueue, Stores: kit.Printer()},
	Parents:    recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		stem := kit.ProgramRole(p.Index, p.Clients) + "-"
		return kit.UseLock(c, predecessorLock{dir: p.Root, stem: stem}, p)
	}),
}
