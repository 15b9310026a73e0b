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

// counterRestarts takes the number at the end of its znode's name for a fencing number. But it is the
// parent that counts: when the parent is deleted, because nobody queues, and made again, the count starts
// again from 0. The store refuses those who come then, and takes late writes of those before.
type counterRestarts struct{ dir string }

func (l counterRestarts) Lock(c zoo.Client) (program.Subject, error) {
	me, err := l.join(c)
	if err != nil {
		return program.Subject{}, err
	}
	mine := program.Subject{Path: l.dir + "/" + me, Fence: kit.Number(me) + 1} // 0 would be none
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

func (l counterRestarts) join(c zoo.Client) (string, error) {
	for {
		me, err := kit.Join(c, l.dir, "lock-")
		if !errors.Is(err, zoo.ErrNoNode) {
			return me, err
		}
		_, err = c.Create(l.dir, nil, zoo.Persistent)
		if err != nil && !errors.Is(err, zoo.ErrNodeExists) && !kit.Unknown(err) {
			return "", err
		}
	}
}

func (l counterRestarts) Unlock(c zoo.Client, held program.Subject) error {
	if err := kit.Remove(c, held.Path); err != nil {
		return err
	}
	err := kit.Remove(c, l.dir)
	if errors.Is(err, zoo.ErrNotEmpty) {
		return nil // others queue
	}
	return err
}

// apart is how far apart the clients come, so that now and then nobody queues.
const apart = 500 * time.Millisecond

func useCounter(c zoo.Client, p recipe.Params) error {
	if err := c.Sleep(time.Duration(p.Index) * apart); err != nil {
		return err
	}
	l := counterRestarts{p.Root + "/queue"}
	held, err := l.Lock(c)
	if err != nil {
		return err
	}
	c.Phase(program.Holding, held)
	if err := c.Write(ledger, c.Name()+" begins", held.Fence); err != nil {
		return refused(c, p, err)
	}
	if err := c.Work(p.Hold); err != nil {
		return err
	}
	if err := c.Write(ledger, c.Name()+" ends", held.Fence); err != nil {
		return refused(c, p, err)
	}
	c.Phase(program.Released, held)
	return l.Unlock(c, held)
}

var errRefused = errors.New("the store refuses the holder, and its session lives")

// refused finds out why the store refused a write: the session must be over, and ZooKeeper will say so.
func refused(c zoo.Client, p recipe.Params, err error) error {
	if !errors.Is(err, program.ErrFenced) {
		return err
	}
	if _, err := kit.List(c, p.Root); err != nil {
		return err
	}
	return errRefused
}

var counterRestartsRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "counter-restarts",
	Cure:        "fenced-lock",
	File:        Dir + "counter_restarts.go",
	Promises:    []string{promise.Fenced, promise.Progress},
	Sources:     []string{"F. Junqueira, Note on fencing and distributed locks", "accumulo #637"},
	FoundWithin: 100,
	MinClients:  2,
	Keeps:       []string{"queue"},
	Drawing:     event.Drawing{Stores: []event.StoreDrawing{{Name: ledger}}},
	Parents:     recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.Repeat(c, p, func(p recipe.Params) error { return useCounter(c, p) })
	}),
}
