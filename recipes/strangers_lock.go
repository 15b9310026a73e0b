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

// strangersLock is the queue of predecessorLock for programs that begin their names differently. Each says at which
// place it finds itself.
type strangersLock struct {
	dir    string
	prefix string
}

func (l strangersLock) Lock(c zoo.Client) (program.Subject, error) {
	me, err := kit.Join(c, l.dir, l.prefix)
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
		c.Note(kit.InLine(kit.Before(names, me)))
		ahead, err := kit.JustAhead(names, me)
		if err != nil || ahead == "" {
			return mine, err
		}
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
		continue // look again, as predecessorLock does
	}
}

func (l strangersLock) Unlock(c zoo.Client, held program.Subject) error {
	return kit.Remove(c, held.Path)
}

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
		return kit.UseLock(c, strangersLock{p.Root, kit.ProgramRole(p.Index, p.Clients) + "-lock-"}, p)
	}),
}
