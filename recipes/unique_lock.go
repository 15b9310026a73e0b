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

// uniqueLock is one znode: anyone who creates it is inside, everybody else waits for it to go away.
type uniqueLock struct{ path string }

func (l uniqueLock) Lock(c zoo.Client) (program.Subject, error) {
	c.Phase(program.Waiting, program.Subject{})
	for {
		_, err := c.Create(l.path, []byte(c.Name()), zoo.Ephemeral)
		if err == nil {
			return program.Subject{Path: l.path}, nil
		}
		if !errors.Is(err, zoo.ErrNodeExists) && !kit.Unknown(err) {
			return program.Subject{}, err
		}
		if kit.Unknown(err) {
			err = kit.CatchUp(c, l.path)
		}
		if err != nil && !errors.Is(err, zoo.ErrNodeExists) {
			return program.Subject{}, err
		}
		_, stat, gone, err := c.GetW(l.path)
		switch {
		case errors.Is(err, zoo.ErrNoNode) || kit.Unknown(err):
			continue // it went away meanwhile, or nobody answered: try again
		case err != nil:
			return program.Subject{}, err
		case stat.EphemeralOwner == c.SessionID():
			return program.Subject{Path: l.path}, nil // our own: only the answer to the create was lost
		}
		if _, err := c.Await(0, gone); err != nil {
			return program.Subject{}, err
		}
	}
}

func (l uniqueLock) Unlock(c zoo.Client, _ program.Subject) error {
	err := c.Delete(l.path, zoo.AnyVersion)
	for kit.Unknown(err) {
		// The znode that is there now may be somebody else's already.
		var stat zoo.Stat
		if err = kit.CatchUp(c, l.path); err == nil {
			_, stat, err = c.Get(l.path)
		}
		if err == nil && stat.EphemeralOwner == c.SessionID() {
			err = c.Delete(l.path, zoo.AnyVersion)
		}
	}
	if errors.Is(err, zoo.ErrNoNode) {
		return nil
	}
	return err
}

var uniqueLockRecipe = recipe.Recipe{
	Kind:       recipe.Right,
	Name:       "unique-lock",
	Use:        recipe.ForLock,
	File:       "unique_lock.go",
	Promises:   []string{promise.TruthExclusion, promise.Progress, promise.Clean},
	Limits:     []string{promise.BeliefExclusion},
	Sources:    []string{"A Spanish article on ZooKeeper's locks: one node for all"},
	MinClients: 1,
	Contest:    recipe.Once(),
	Drawing:    event.Drawing{Kind: event.DrawName, Gate: "lock", Stores: kit.Printer()},
	Parents:    recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.UseLock(c, uniqueLock{p.Root + "/lock"}, p)
	}),
}
