package pitfalls

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// lockTwice takes a lock that it holds already. The lock doesn't know its owner: it queues up once more, and the client
// waits for itself.
type lockTwice struct{ dir string }

func (l lockTwice) Lock(c zoo.Client) (program.Subject, error) {
	me, err := kit.Join(c, l.dir, "lock-")
	if err != nil {
		return program.Subject{}, err
	}
	mine := program.Subject{Path: l.dir + "/" + me, Fence: kit.Number(me)}
	for {
		ahead, err := kit.Ahead(c, l.dir, me)
		if err != nil || ahead == "" {
			return mine, err
		}
		if err := kit.WaitGone(c, l.dir+"/"+ahead, 0); err != nil {
			return mine, err
		}
	}
}

func (l lockTwice) Unlock(c zoo.Client, held program.Subject) error { return kit.Remove(c, held.Path) }

// transfer locks and calls deposit, which locks as well.
func (l lockTwice) transfer(c zoo.Client, p recipe.Params) error {
	c.Phase(program.Waiting, program.Subject{})
	held, err := l.Lock(c)
	if err != nil {
		return err
	}
	c.Phase(program.Holding, held)
	if err := kit.Transfer(c, 0, kit.Withdrawn); err != nil {
		return err
	}
	if err := l.deposit(c, p); err != nil {
		return err
	}
	c.Phase(program.Released, held)
	return l.Unlock(c, held)
}

func (l lockTwice) deposit(c zoo.Client, p recipe.Params) error {
	held, err := l.Lock(c) // waits for transfer, which waits for this
	if err != nil {
		return err
	}
	if err := kit.Transfer(c, p.Hold, kit.Deposited); err != nil {
		return err
	}
	return l.Unlock(c, held)
}

var lockTwiceRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "lock-twice",
	Cure:        "reentrant-lock",
	File:        Dir + "lock_twice.go",
	Promises:    []string{promise.Progress},
	Sources:     []string{"Apache Curator, InterProcessSemaphoreMutex: a lock that isn't reentrant"},
	FoundWithin: 10,
	MinClients:  1,
	Drawing:     event.Drawing{Kind: event.DrawQueue, Stores: kit.Accounts()},
	Parents:     recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.Repeat(c, p, func(p recipe.Params) error { return lockTwice{p.Root}.transfer(c, p) })
	}),
}
