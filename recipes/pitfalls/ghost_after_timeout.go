package pitfalls

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

// ghostAfterTimeout gives up waiting, and leaves its znode in the queue. When that znode's turn comes nobody
// takes it, and nobody behind it gets in for as long as its session lives: not even its owner, if that comes
// back.
type ghostAfterTimeout struct{ dir string }

// Lock waits for its turn until its patience, if it has any, is at an end. It reports false if it gave up.
func (l ghostAfterTimeout) Lock(c zoo.Client, patience time.Duration) (mine program.Subject, got bool, err error) {
	start := c.Now()
	me, err := kit.Join(c, l.dir, "lock-")
	if err != nil {
		return mine, false, err
	}
	mine = program.Subject{Path: l.dir + "/" + me, Fence: kit.Number(me)}
	c.Phase(program.Waiting, mine)
	for {
		ahead, err := kit.Ahead(c, l.dir, me)
		if err != nil || ahead == "" {
			return mine, err == nil, err
		}
		left := patience - (c.Now() - start)
		if patience == 0 {
			left = 0 // for as long as it takes
		} else if left <= 0 {
			return mine, false, nil // its znode stays
		}
		err = kit.WaitGone(c, l.dir+"/"+ahead, left)
		if err != nil && !errors.Is(err, zoo.ErrTimeout) {
			return mine, false, err
		}
	}
}

func (l ghostAfterTimeout) Unlock(c zoo.Client, held program.Subject) error {
	return kit.Remove(c, held.Path)
}

// patience returns how long a client waits at first: for two others, and a second at least.
func patience(p recipe.Params) time.Duration { return max(2*p.Hold, time.Second) }

// errand is what a client that gave up does before it comes back.
const errand = time.Second

func useGhost(c zoo.Client, p recipe.Params) error {
	l := ghostAfterTimeout{p.Root}
	held, got, err := l.Lock(c, patience(p))
	if err == nil && !got {
		c.Phase(program.GaveUp, held)
		if err := c.Sleep(errand); err != nil {
			return err
		}
		held, _, err = l.Lock(c, 0)
	}
	if err != nil {
		return err
	}
	c.Phase(program.Holding, held)
	if err := kit.Print(c, p.Hold); err != nil {
		return err
	}
	c.Phase(program.Released, held)
	return l.Unlock(c, held)
}

var ghostAfterTimeoutRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "ghost-after-timeout",
	Cure:        "timed-lock",
	Use:         recipe.ForLock,
	File:        Dir + "ghost_after_timeout.go",
	Promises:    []string{promise.Progress, promise.Clean},
	Sources:     []string{"A Korean article on a ZookeeperLocker in C#", "zk-ruby #49", "aiozk #34", "libkv #12"},
	FoundWithin: 100,
	MinClients:  3,
	Drawing:     event.Drawing{Kind: event.DrawQueue, Stores: kit.Printer(), Shows: event.ShowPatience},
	Parents:     recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.Repeat(c, p, func(p recipe.Params) error { return useGhost(c, p) })
	}),
}
