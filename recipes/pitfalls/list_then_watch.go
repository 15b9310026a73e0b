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

// listThenWatch looks at the queue and then, in a second request, asks to be told of its next change. What has changed
// between the two it never hears of.
type listThenWatch struct{ dir string }

func (l listThenWatch) Lock(c zoo.Client) (program.Subject, error) {
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
		_, _, gone, err := c.ChildrenW(l.dir)
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

func (l listThenWatch) Unlock(c zoo.Client, held program.Subject) error {
	return kit.Remove(c, held.Path)
}

var listThenWatchRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "list-then-watch",
	Cure:        "predecessor-lock",
	Use:         recipe.ForLock,
	File:        Dir + "list_then_watch.go",
	Promises:    []string{promise.Progress},
	Sources:     []string{"ZooKeeper documentation, Programmer's Guide: what to remember about watches"},
	FoundWithin: 100,
	Seen:        "clients=2&hold=7600ms&latency=400ms&jitter=20ms&stagger=8s",
	MinClients:  2,
	Drawing:     event.Drawing{Kind: event.DrawQueue, Stores: kit.Printer()},
	Parents:     recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.UseLock(c, listThenWatch{p.Root}, p)
	}),
}
