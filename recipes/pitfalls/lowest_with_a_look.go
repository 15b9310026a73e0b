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

// lowestWithALook is a queue whose members all wait for the lowest of them to go, and then look again. Only one goes
// in each time, but all are woken.
type lowestWithALook struct{ dir string }

func (l lowestWithALook) Lock(c zoo.Client) (program.Subject, error) {
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
		ahead, err := lowestAhead(names, me)
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

// lowestAhead is the lowest of the names, empty if that is mine.
func lowestAhead(names []string, mine string) (string, error) {
	first, err := kit.IsFirst(names, mine)
	if first || err != nil {
		return "", err
	}
	return kit.First(names), nil
}

func (l lowestWithALook) Unlock(c zoo.Client, held program.Subject) error {
	return kit.Remove(c, held.Path)
}

var lowestWithALookRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "lowest-with-a-look",
	Cure:        "predecessor-lock",
	Use:         recipe.ForLock,
	File:        Dir + "lowest_with_a_look.go",
	Promises:    []string{promise.TruthExclusion, promise.OneWakeup},
	Sources:     []string{"ZooKeeper documentation, Recipes and Solutions: Leader Election, what causes a herd"},
	FoundWithin: 100,
	Seen:        "clients=3&hold=8s&latency=400ms&jitter=20ms&stagger=2s",
	MinClients:  3,
	Drawing:     event.Drawing{Kind: event.DrawQueue, Stores: kit.Printer()},
	Parents:     recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.UseLock(c, lowestWithALook{p.Root}, p)
	}),
}
