package pitfalls

import (
	"errors"
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// firstAsListed takes the list of the queue for sorted: the first name in it is that of the holder. But ZooKeeper
// lists children in no order, so the first may be anybody.
type firstAsListed struct{ dir string }

func (l firstAsListed) Lock(c zoo.Client) (program.Subject, error) {
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
		ahead, err := listedFirst(names, me)
		if err != nil || ahead == "" {
			return mine, err
		}
		_, _, gone, err := c.GetW(l.dir + "/" + ahead)
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

// listedFirst is the first of the names as they came, empty if that is mine.
func listedFirst(names []string, mine string) (string, error) {
	if !slices.Contains(names, mine) {
		return "", kit.ErrGone
	}
	if names[0] == mine {
		return "", nil
	}
	return names[0], nil
}

func (l firstAsListed) Unlock(c zoo.Client, held program.Subject) error {
	return kit.Remove(c, held.Path)
}

var firstAsListedRecipe = recipe.Recipe{
	Kind:     recipe.Pitfall,
	Name:     "first-as-listed",
	Cure:     "predecessor-lock",
	Use:      recipe.ForLock,
	File:     Dir + "first_as_listed.go",
	Promises: []string{promise.TruthExclusion, promise.Order},
	Sources: []string{"ZooKeeper documentation, getChildren: the list is not sorted",
		"A Chinese introduction to ZooKeeper: its shared lock waits for nodes[0]"},
	FoundWithin: 100,
	Seen:        "clients=2&seed=18&hold=8s&latency=400ms&jitter=400ms&stagger=100ms",
	MinClients:  2,
	Drawing:     event.Drawing{Kind: event.DrawQueue, Stores: kit.Printer()},
	Parents:     recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.UseLock(c, firstAsListed{p.Root}, p)
	}),
}
