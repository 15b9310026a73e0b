package recipes

import (
	"errors"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// predecessorLock is a queue of znodes whose members each watch only the one just ahead.
type predecessorLock struct{ dir string }

func (l predecessorLock) Lock(c zoo.Client) (program.Subject, error) {
	me, err := kit.Join(c, l.dir, "lock-")
	if err != nil {
		return program.Subject{}, err
	}
	mine := program.Subject{Path: l.dir + "/" + me, Fence: kit.Number(me)}
	c.Phase(program.Waiting, mine)
	for {
		names, _, err := c.Children(l.dir)
		if kit.Unknown(err) {
			continue
		}
		if err != nil {
			return mine, err
		}
		ahead, err := kit.JustAhead(names, me)
		if err != nil || ahead == "" {
			return mine, err
		}
		// A read with a watch: if the one ahead is gone already, there is nothing to wait for.
		_, _, gone, err := c.GetW(l.dir + "/" + ahead)
		if errors.Is(err, zoo.ErrNoNode) || kit.Unknown(err) {
			continue
		}
		if err != nil {
			return mine, err
		}
		if _, err := c.Await(0, gone); err != nil {
			return mine, err
		}
		continue // look again: the one ahead may have given up while others are still before us
	}
}

func (l predecessorLock) Unlock(c zoo.Client, held program.Subject) error {
	return kit.Remove(c, held.Path)
}

var predecessorLockRecipe = recipe.Recipe{
	Kind:     recipe.Right,
	Name:     "predecessor-lock",
	Use:      recipe.ForLock,
	File:     "predecessor_lock.go",
	Promises: []string{promise.TruthExclusion, promise.Order, promise.Progress, promise.OneWakeup, promise.Clean},
	Limits:   []string{promise.BeliefExclusion},
	Sources: []string{"ZooKeeper documentation, Recipes and Solutions: Locks", "Apache Curator, InterProcessMutex",
		"A Spanish article on ZooKeeper's locks: each watches the one before it"},
	MinClients: 1,
	Contest:    recipe.Once(),
	Drawing:    event.Drawing{Kind: event.DrawQueue, Stores: kit.Printer()},
	Parents:    recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.UseLock(c, predecessorLock{p.Root}, p)
	}),
}
