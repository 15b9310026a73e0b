package recipes

import (
	"errors"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// revocableLock is a lock whose holder can be asked to leave: it watches its own znode for the word.
type revocableLock struct{ predecessorLock }

// revoke is what the holder's znode is set to by anyone who asks it to leave.
const revoke = "revoke"

// ask asks all who are in the queue to be brief: the holder, and those who will hold the lock before a
// newcomer. It stays theirs until they let go themselves.
func (l revocableLock) ask(c zoo.Client) error {
	names, err := kit.List(c, l.dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := askOne(c, l.dir+"/"+name); err != nil {
			return err
		}
	}
	return nil
}

func askOne(c zoo.Client, path string) error {
	for {
		_, err := c.Set(path, []byte(revoke), zoo.AnyVersion)
		switch {
		case errors.Is(err, zoo.ErrNoNode):
			return nil // it has just left
		case !kit.Unknown(err):
			return err
		}
	}
}

// work prints a page and works on until it is done, or is asked to leave.
func (l revocableLock) work(c zoo.Client, held program.Subject, d time.Duration) error {
	if err := kit.PrintPage(c); err != nil {
		return err
	}
	for {
		word, _, changed, err := c.GetW(held.Path)
		switch {
		case kit.Unknown(err):
			continue
		case err != nil:
			return err
		case string(word) == revoke:
			c.Note("it is asked to leave, and does, with its work half done")
			return nil
		}
		_, err = c.Await(d, changed)
		if errors.Is(err, zoo.ErrTimeout) {
			return nil // done, and nobody asked
		}
		if err != nil {
			return err
		}
	}
}

// shift is how long a client works that is not told how long: it cannot both wait for others and listen.
const shift = 2 * time.Second

const (
	patient = "patient"
	urgent  = "urgent"
)

// revocableRole makes the last of several clients the one that asks.
func revocableRole(index, clients int) string {
	if clients > 1 && index == clients {
		return urgent
	}
	return patient
}

func (l revocableLock) use(c zoo.Client, p recipe.Params) error {
	hold := p.Hold
	if hold <= 0 {
		hold = shift
	}
	if revocableRole(p.Index, p.Clients) == urgent {
		if err := c.Sleep(hold / 2); err != nil { // it comes in the middle of somebody's shift
			return err
		}
		if err := l.ask(c); err != nil {
			return err
		}
	}
	held, err := l.Lock(c)
	if err != nil {
		return err
	}
	c.Phase(program.Holding, held)
	if err := l.work(c, held, hold); err != nil {
		return err
	}
	c.Phase(program.Released, held)
	return l.Unlock(c, held)
}

var revocableLockRecipe = recipe.Recipe{
	Kind:     recipe.Right,
	Name:     "revocable-lock",
	File:     "revocable_lock.go",
	Promises: []string{promise.TruthExclusion, promise.Order, promise.RevokedInTime, promise.Progress, promise.Clean},
	Limits:   []string{promise.BeliefExclusion},
	Sources: []string{"ZooKeeper documentation, Recipes and Solutions: Revocable Shared Locks",
		"Apache Curator, Revocable and Revoker"},
	MinClients: 2,
	Drawing:    event.Drawing{Stores: kit.Printer()},
	Role:       revocableRole,
	Parents:    recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		l := revocableLock{predecessorLock{dir: p.Root}}
		return kit.Repeat(c, p, func(p recipe.Params) error { return l.use(c, p) })
	}),
}
