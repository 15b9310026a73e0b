package pitfalls

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// watchTheLowest is a queue in which everybody waits for the first to go, instead of the one just ahead, and
// takes that for its own turn. When the first goes, all are woken, and all go in.
type watchTheLowest struct{ dir string }

func (l watchTheLowest) Lock(c zoo.Client) (program.Subject, error) {
	me, err := kit.Join(c, l.dir, "lock-")
	if err != nil {
		return program.Subject{}, err
	}
	mine := program.Subject{Path: l.dir + "/" + me, Fence: kit.Number(me)}
	c.Phase(program.Waiting, mine)
	names, err := kit.List(c, l.dir)
	if err != nil {
		return mine, err
	}
	lowest := kit.First(names)
	if lowest == me {
		return mine, nil
	}
	return mine, kit.WaitGone(c, l.dir+"/"+lowest, 0)
}

func (l watchTheLowest) Unlock(c zoo.Client, held program.Subject) error {
	return kit.Remove(c, held.Path)
}

var watchTheLowestRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "watch-the-lowest",
	Cure:        "predecessor-lock",
	Use:         recipe.ForLock,
	File:        Dir + "watch_the_lowest.go",
	Promises:    []string{promise.TruthExclusion},
	Sources:     []string{"A Chinese introduction to ZooKeeper: its shared lock waits for nodes[0]"},
	FoundWithin: 100,
	MinClients:  3,
	Drawing:     event.Drawing{Kind: event.DrawQueue, Stores: kit.Printer()},
	Parents:     recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.UseLock(c, watchTheLowest{p.Root}, p)
	}),
}
