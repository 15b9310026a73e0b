package pitfalls

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// unnoticedExpiry trusts that the lock is its own until it gives it back. If its session ends meanwhile, the
// next one gets in, and the store takes the writes of both: nothing tells it which comes too late.
type unnoticedExpiry struct{ dir string }

func (l unnoticedExpiry) Lock(c zoo.Client) (program.Subject, error) {
	me, err := kit.Join(c, l.dir, "lock-")
	if err != nil {
		return program.Subject{}, err
	}
	mine := program.Subject{Path: l.dir + "/" + me}
	c.Phase(program.Waiting, mine)
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

func (l unnoticedExpiry) Unlock(c zoo.Client, held program.Subject) error {
	return kit.Remove(c, held.Path)
}

// ledger is the store that the lock protects.
const ledger = "ledger"

func useUnnoticed(c zoo.Client, p recipe.Params) error {
	l := unnoticedExpiry{p.Root}
	held, err := l.Lock(c)
	if err != nil {
		return err
	}
	c.Phase(program.Holding, held)
	const noFence = 0
	write := func(entry string) error {
		return c.Write(ledger, entry, noFence)
	}
	if err := write(c.Name() + " begins"); err != nil {
		return err
	}
	ended := c.Work(p.Hold) // that its session is over is for later
	if err := write(c.Name() + " ends"); err != nil {
		return err
	}
	if ended != nil {
		return ended
	}
	c.Phase(program.Released, held)
	return l.Unlock(c, held)
}

var unnoticedExpiryRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "unnoticed-expiry",
	Cure:        "fenced-lock",
	Use:         recipe.ForLock,
	File:        Dir + "unnoticed_expiry.go",
	Promises:    []string{promise.Fenced},
	Sources:     []string{"Apache Curator, Tech Note 10", "Apache Curator, Tech Note 14", "CURATOR-206"},
	FoundWithin: 500,
	MinClients:  2,
	Drawing:     event.Drawing{Kind: event.DrawQueue, Stores: []event.StoreDrawing{{Name: ledger}}},
	Parents:     recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.Repeat(c, p, func(p recipe.Params) error { return useUnnoticed(c, p) })
	}),
}
