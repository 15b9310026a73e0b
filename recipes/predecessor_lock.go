package recipes

import (
	"errors"

	"github.com/zkviz/zkviz/engine/zoo"
)

// predecessorLock is a queue of znodes whose members each watch only the one just ahead.
type predecessorLock struct{ dir string }

func (l predecessorLock) lock(c zoo.Client) (zoo.Subject, error) {
	me, err := join(c, l.dir, "lock-")
	if err != nil {
		return zoo.Subject{}, err
	}
	mine := zoo.Subject{Path: l.dir + "/" + me, Fence: number(me)}
	c.Phase(zoo.Waiting, mine)
	for {
		names, _, err := c.Children(l.dir)
		if unknown(err) {
			continue
		}
		if err != nil {
			return mine, err
		}
		ahead, err := justAhead(names, me)
		if err != nil || ahead == "" {
			return mine, err
		}
		// A read with a watch: if the one ahead is gone already, there is nothing to wait for.
		_, _, gone, err := c.GetW(l.dir + "/" + ahead)
		if errors.Is(err, zoo.ErrNoNode) || unknown(err) {
			continue
		}
		if err != nil {
			return mine, err
		}
		if _, err := c.Await(0, gone); err != nil {
			return mine, err
		}
		// Look again: the one ahead may have given up while others are still before us.
	}
}

func (l predecessorLock) unlock(c zoo.Client, held zoo.Subject) error { return remove(c, held.Path) }

func predecessorLockRecipe() Recipe {
	return Recipe{
		Name:       "predecessor-lock",
		Summary:    "A lock that is a queue of numbered znodes: the smallest is inside, and each watches only the one just ahead.",
		File:       "predecessor_lock.go",
		Promises:   []string{truthExclusion, inOrder},
		Limits:     []string{beliefExclusion},
		MinClients: 1,
		Parents:    justRoot,
		Main: func(c zoo.Client, p Params) error {
			return useLock(c, predecessorLock{p.Root}, p)
		},
	}
}
