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

// goneSoMyTurn is a queue whose members make sure that the one just ahead is gone, and then go in. They ask the
// wrong question: that one is gone, but if it only waited, those before it are still there.
type goneSoMyTurn struct{ dir string }

func (l goneSoMyTurn) Lock(c zoo.Client) (program.Subject, error) {
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
		there, _, err := c.Exists(l.dir + "/" + ahead)
		if err == nil && !there {
			return mine, nil
		}
	}
}

func (l goneSoMyTurn) Unlock(c zoo.Client, held program.Subject) error {
	return kit.Remove(c, held.Path)
}

var goneSoMyTurnRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "gone-so-my-turn",
	Cure:        "predecessor-lock",
	Use:         recipe.ForLock,
	File:        Dir + "gone_so_my_turn.go",
	Promises:    []string{promise.TruthExclusion, promise.Order},
	Sources:     []string{"cdap #1241: if the node ahead was removed, I own the lock"},
	FoundWithin: 200,
	Seen:        "clients=3&hold=20s&session-timeout=6s&latency=400ms&jitter=20ms&stagger=2s&fault=crash+client-2+at+9s",
	MinClients:  3,
	Drawing:     event.Drawing{Kind: event.DrawQueue, Stores: kit.Printer()},
	Parents:     recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.UseLock(c, goneSoMyTurn{p.Root}, p)
	}),
}
