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

// noSecondLook is a queue whose members take it for their turn when the one just ahead goes. But that one may
// not have been inside: it may have given up, or lost its session, while others are still before them.
type noSecondLook struct{ dir string }

func (l noSecondLook) Lock(c zoo.Client) (program.Subject, error) {
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
		return mine, nil
	}
}

func (l noSecondLook) Unlock(c zoo.Client, held program.Subject) error {
	return kit.Remove(c, held.Path)
}

var noSecondLookRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "no-second-look",
	Cure:        "predecessor-lock",
	Use:         recipe.ForLock,
	File:        Dir + "no_second_look.go",
	Promises:    []string{promise.TruthExclusion, promise.Order},
	Sources:     []string{"A Korean article on a ZookeeperLocker in C#: it returns true after its wait"},
	FoundWithin: 200,
	MinClients:  3,
	Drawing:     event.Drawing{Kind: event.DrawQueue, Stores: kit.Printer()},
	Parents:     recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.UseLock(c, noSecondLook{p.Root}, p)
	}),
}
