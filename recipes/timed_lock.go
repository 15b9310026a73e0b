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

// timedLock is a queue of znodes whose members each watch the one just ahead, but not for ever.
type timedLock struct{ dir string }

// Lock waits for its turn until its patience, if it has any, is at an end. It reports false if it gave up.
func (l timedLock) Lock(c zoo.Client, patience time.Duration) (mine program.Subject, got bool, err error) {
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
			// Its place in the queue must go, or those behind it wait for one who will not come.
			return mine, false, kit.Remove(c, mine.Path)
		}
		err = kit.WaitGone(c, l.dir+"/"+ahead, left)
		if err != nil && !errors.Is(err, zoo.ErrTimeout) {
			return mine, false, err
		}
		// Look again, after a timeout too: its turn may have come in the meantime.
	}
}

func (l timedLock) Unlock(c zoo.Client, held program.Subject) error { return kit.Remove(c, held.Path) }

// patience returns how long a client waits at first: for two others, and a second at least.
func patience(p recipe.Params) time.Duration { return max(2*p.Hold, time.Second) }

// errand is what a client that gave up does before it comes back.
const errand = time.Second

// useTimedLock tries for a while. If it gets nowhere, it does something else and comes back with twice the
// patience.
func useTimedLock(c zoo.Client, p recipe.Params) error {
	l := timedLock{p.Root}
	limit := patience(p)
	held, got, err := l.Lock(c, limit)
	for err == nil && !got {
		c.Phase(program.GaveUp, held)
		if err := c.Sleep(errand); err != nil {
			return err
		}
		limit *= 2
		held, got, err = l.Lock(c, limit)
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

var timedLockRecipe = recipe.Recipe{
	Kind:       recipe.Right,
	Name:       "timed-lock",
	Use:        recipe.ForLock,
	File:       "timed_lock.go",
	Promises:   []string{promise.TruthExclusion, promise.Order, promise.GivesUpInTime, promise.Progress, promise.Clean},
	Limits:     []string{promise.BeliefExclusion},
	Sources:    []string{"Apache Curator, InterProcessMutex.acquire with a time", "zk-ruby #49", "aiozk #34"},
	MinClients: 1,
	Drawing:    event.Drawing{Kind: event.DrawQueue, Stores: kit.Printer(), Shows: event.ShowPatience},
	Parents:    recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.Repeat(c, p, func(p recipe.Params) error { return useTimedLock(c, p) })
	}),
}
