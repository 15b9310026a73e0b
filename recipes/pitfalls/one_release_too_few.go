package pitfalls

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// oneReleaseTooFew takes its lock twice and gives it back once. It believes that it is out, but the count is
// not at zero and its znode stays: nobody else gets in while its session lives, and when it comes back
// with a fresh lock object it waits for itself.
type oneReleaseTooFew struct {
	dir   string
	held  program.Subject
	count int
}

func (l *oneReleaseTooFew) Lock(c zoo.Client) (program.Subject, error) {
	if l.count > 0 {
		l.count++
		return l.held, nil
	}
	me, err := kit.Join(c, l.dir, "lock-")
	if err != nil {
		return program.Subject{}, err
	}
	l.held = program.Subject{Path: l.dir + "/" + me, Fence: kit.Number(me)}
	c.Phase(program.Waiting, l.held)
	for {
		ahead, err := kit.Ahead(c, l.dir, me)
		if err == nil && ahead == "" {
			l.count = 1
			return l.held, nil
		}
		if err == nil {
			err = kit.WaitGone(c, l.dir+"/"+ahead, 0)
		}
		if err != nil {
			return l.held, err
		}
	}
}

// mine returns what it holds, and how often.
func (l *oneReleaseTooFew) mine() program.Subject {
	return program.Subject{Path: l.held.Path, Fence: l.held.Fence, Times: l.count}
}

func (l *oneReleaseTooFew) Unlock(c zoo.Client, held program.Subject) error {
	l.count--
	if l.count > 0 {
		return nil
	}
	return kit.Remove(c, held.Path)
}

// transfer locks and calls deposit, which locks as well.
func transfer(c zoo.Client, l *oneReleaseTooFew, p recipe.Params) error {
	held, err := l.Lock(c)
	if err != nil {
		return err
	}
	c.Phase(program.Holding, l.mine())
	if err := kit.Transfer(c, 0, kit.Withdrawn); err != nil {
		return err
	}
	if err := deposit(c, l, p); err != nil {
		return err
	}
	c.Phase(program.Released, program.Subject{Path: held.Path, Fence: held.Fence, Times: l.count - 1})
	return l.Unlock(c, held)
}

func deposit(c zoo.Client, l *oneReleaseTooFew, p recipe.Params) error {
	if _, err := l.Lock(c); err != nil {
		return err
	}
	c.Phase(program.Holding, l.mine())
	return kit.Transfer(c, p.Hold, kit.Deposited) // and no Unlock
}

// transfers are how many a client does in a round, each with a lock object of its own.
const transfers = 2

var oneReleaseTooFewRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "one-release-too-few",
	Cure:        "reentrant-lock",
	File:        Dir + "one_release_too_few.go",
	Promises:    []string{promise.Progress},
	Sources:     []string{"kazoo #291"},
	FoundWithin: 100,
	MinClients:  1,
	Drawing:     event.Drawing{Kind: event.DrawQueue, Stores: kit.Accounts()},
	Parents:     recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.Repeat(c, p, func(p recipe.Params) error {
			for range transfers {
				if err := transfer(c, &oneReleaseTooFew{dir: p.Root}, p); err != nil {
					return err
				}
			}
			return nil
		})
	}),
}
