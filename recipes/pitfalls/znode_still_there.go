package pitfalls

import (
	"fmt"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// znodeStillThere asks before each write whether its own znode is still there, and takes no answer that is old by its
// clock. But it is its server that answers, from its own copy. If that is cut off, the others have ended the session
// and let the next one in: the znode is there, and it is not true.
type znodeStillThere struct{ dir string }

func (l znodeStillThere) Lock(c zoo.Client) (program.Subject, error) {
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

// recent is how old an answer may be. It is less than any session lasts: who is told that its znode is there has just
// shown itself to ZooKeeper.
const recent = time.Second

// sure returns once it has a recent answer that the znode is there.
func (l znodeStillThere) sure(c zoo.Client, path string) error {
	for {
		asked := c.Now()
		mine, err := kit.IsMine(c, path)
		switch {
		case err != nil:
			return err
		case !mine:
			return kit.ErrGone
		case c.Now()-asked < recent:
			return nil
		}
	}
}

func (l znodeStillThere) Unlock(c zoo.Client, held program.Subject) error {
	return kit.Remove(c, held.Path)
}

// entries are what a holder writes into the ledger.
const entries = 5

func useZnodeStillThere(c zoo.Client, p recipe.Params) error {
	l := znodeStillThere{p.Root}
	held, err := l.Lock(c)
	if err != nil {
		return err
	}
	c.Phase(program.Holding, held)
	const noFence = 0
	write := func(entry string) error {
		if err := l.sure(c, held.Path); err != nil {
			return err
		}
		return c.Write(ledger, entry, noFence)
	}
	for i := range entries {
		if err := write(fmt.Sprintf("%s %d", c.Name(), i+1)); err != nil {
			return err
		}
		if err := c.Work(p.Hold); err != nil {
			return err
		}
	}
	c.Phase(program.Released, held)
	return l.Unlock(c, held)
}

var znodeStillThereRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "znode-still-there",
	Cure:        "fenced-lock",
	File:        Dir + "znode_still_there.go",
	Promises:    []string{promise.Fenced},
	Sources:     []string{"Apache Curator, Tech Note 10", "F. Junqueira, Note on fencing and distributed locks"},
	FoundWithin: 1000,
	Seen: "clients=2&seed=1&hold=3s&session-timeout=4s&latency=200ms&jitter=20ms&stagger=2s&" +
		"fault=partition+server-1+%7C+server-2+server-3+at+5s+for+14s",
	MinClients: 2,
	Servers:    3,
	Drawing:    event.Drawing{Kind: event.DrawQueue, Stores: []event.StoreDrawing{{Name: ledger}}},
	Parents:    recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.Repeat(c, p, func(p recipe.Params) error { return useZnodeStillThere(c, p) })
	}),
}
