package pitfalls

import (
	"errors"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// answerNotRead asks whether the one ahead is there and sets a watch in the same request, as it should, but does not
// read the answer. If the one ahead has gone meanwhile, the watch is on a znode that nobody will ever make again.
type answerNotRead struct{ dir string }

func (l answerNotRead) Lock(c zoo.Client) (program.Subject, error) {
	me, err := kit.Join(c, l.dir, "lock-")
	if err != nil {
		return program.Subject{}, err
	}
	mine := program.Subject{Path: l.dir + "/" + me, Fence: kit.Number(me)}
	c.Phase(program.Waiting, mine)
	for {
		names, _, err := c.Children(l.dir)
		if kit.Unknown(err) {
			continue
		}
		if err != nil {
			return mine, err
		}
		ahead, err := kit.JustAhead(names, me)
		if err != nil || ahead == "" {
			return mine, err
		}
		_, _, gone, err := c.ExistsW(l.dir + "/" + ahead)
		if errors.Is(err, zoo.ErrNoNode) || kit.Unknown(err) {
			continue
		}
		if err != nil {
			return mine, err
		}
		if _, err := c.Await(0, gone); err != nil {
			return mine, err
		}
		continue
	}
}

func (l answerNotRead) Unlock(c zoo.Client, held program.Subject) error {
	return kit.Remove(c, held.Path)
}

var answerNotReadRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "answer-not-read",
	Cure:        "predecessor-lock",
	Use:         recipe.ForLock,
	File:        Dir + "answer_not_read.go",
	Promises:    []string{promise.Progress},
	Sources:     []string{"ZookeeperNetEx #26: a WriteLock that is never granted", "kazoo #490"},
	FoundWithin: 100,
	Seen:        "clients=2&hold=7600ms&latency=400ms&jitter=20ms&stagger=8s",
	MinClients:  2,
	Drawing:     event.Drawing{Kind: event.DrawQueue, Stores: kit.Printer()},
	Parents:     recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.UseLock(c, answerNotRead{p.Root}, p)
	}),
}
