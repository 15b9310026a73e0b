package recipes

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// childrenLock is a queue of znodes whose members all watch the whole queue.
type childrenLock struct{ dir string }

func (l childrenLock) Lock(c zoo.Client) (program.Subject, error) {
	me, err := kit.Join(c, l.dir, "lock-")
	if err != nil {
		return program.Subject{}, err
	}
	mine := program.Subject{Path: l.dir + "/" + me, Fence: kit.Number(me)}
	c.Phase(program.Waiting, mine)
	for {
		names, _, changed, err := c.ChildrenW(l.dir)
		if kit.Unknown(err) {
			continue
		}
		if err != nil {
			return mine, err
		}
		if first, err := kit.IsFirst(names, me); first || err != nil {
			return mine, err
		}
		if _, err := c.Await(0, changed); err != nil {
			return mine, err
		}
	}
}

func (l childrenLock) Unlock(c zoo.Client, held program.Subject) error {
	return kit.Remove(c, held.Path)
}

var childrenLockRecipe = recipe.Recipe{
	Kind:       recipe.Right,
	Name:       "children-lock",
	Use:        recipe.ForLock,
	File:       "children_lock.go",
	Promises:   []string{promise.TruthExclusion, promise.Order, promise.Progress, promise.Clean},
	Limits:     []string{promise.BeliefExclusion},
	Sources:    []string{"A Spanish article on ZooKeeper's locks: all watch the parent"},
	MinClients: 1,
	Contest:    recipe.Once(),
	Drawing:    event.Drawing{Kind: event.DrawQueue, Stores: kit.Printer()},
	Parents:    recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.UseLock(c, childrenLock{p.Root}, p)
	}),
}
