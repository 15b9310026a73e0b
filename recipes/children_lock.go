package recipes

import "github.com/zkviz/zkviz/engine/zoo"

// childrenLock is a queue of znodes whose members all watch the whole queue.
type childrenLock struct{ dir string }

func (l childrenLock) lock(c zoo.Client) (zoo.Subject, error) {
	me, err := join(c, l.dir, "lock-")
	if err != nil {
		return zoo.Subject{}, err
	}
	mine := zoo.Subject{Path: l.dir + "/" + me, Fence: number(me)}
	c.Phase(zoo.Waiting, mine)
	for {
		names, _, changed, err := c.ChildrenW(l.dir)
		if unknown(err) {
			continue
		}
		if err != nil {
			return mine, err
		}
		if first, err := isFirst(names, me); first || err != nil {
			return mine, err
		}
		if _, err := c.Await(0, changed); err != nil {
			return mine, err
		}
	}
}

func (l childrenLock) unlock(c zoo.Client, held zoo.Subject) error { return remove(c, held.Path) }

func childrenLockRecipe() Recipe {
	return Recipe{
		Name:       "children-lock",
		Summary:    "A lock that is a queue of numbered znodes: the smallest is inside, and everybody watches the parent.",
		File:       "children_lock.go",
		Promises:   []string{truthExclusion, inOrder},
		Limits:     []string{beliefExclusion},
		MinClients: 1,
		Parents:    justRoot,
		Main: func(c zoo.Client, p Params) error {
			return useLock(c, childrenLock{p.Root}, p)
		},
	}
}
