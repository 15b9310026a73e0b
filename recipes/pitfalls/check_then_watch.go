package pitfalls

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// checkThenWatch asks whether the one ahead is there, and then, in a second request, to be told when it goes.
// If it goes between the two, the watch is on a znode that nobody will ever make again.
type checkThenWatch struct{ dir string }

// moment is what the one ahead gets to go by itself, before a watch is set on it.
const moment = 200 * time.Millisecond

func (l checkThenWatch) Lock(c zoo.Client) (program.Subject, error) {
	me, err := kit.Join(c, l.dir, "lock-")
	if err != nil {
		return program.Subject{}, err
	}
	mine := program.Subject{Path: l.dir + "/" + me, Fence: kit.Number(me)}
	c.Phase(program.Waiting, mine)
	for {
		ahead, err := kit.Ahead(c, l.dir, me)
		if err != nil || ahead == "" {
			return mine, err
		}
		there, _, err := c.Exists(l.dir + "/" + ahead)
		if kit.Unknown(err) || err == nil && !there {
			continue
		}
		if err != nil {
			return mine, err
		}
		if err := c.Sleep(moment); err != nil {
			return mine, err
		}
		_, _, gone, err := c.ExistsW(l.dir + "/" + ahead) // it was there a moment ago
		if kit.Unknown(err) {
			continue
		}
		if err != nil {
			return mine, err
		}
		if _, err := c.Await(0, gone); err != nil {
			return mine, err
		}
	}
}

func (l checkThenWatch) Unlock(c zoo.Client, held program.Subject) error {
	return kit.Remove(c, held.Path)
}

var checkThenWatchRecipe = recipe.Recipe{
	Kind:     recipe.Pitfall,
	Name:     "check-then-watch",
	Cure:     "predecessor-lock",
	Use:      recipe.ForLock,
	File:     Dir + "check_then_watch.go",
	Promises: []string{promise.Progress},
	Sources: []string{"A Chinese article on Curator's InterProcessMutex: gone before it was watched", "kazoo #490",
		"ClickHouse #14398"},
	FoundWithin: 100,
	MinClients:  2,
	Drawing:     event.Drawing{Kind: event.DrawQueue, Stores: kit.Printer(), Shows: event.ShowReads},
	Parents:     recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.Repeat(c, p, func(p recipe.Params) error {
			if err := c.Sleep(between); err != nil {
				return err
			}
			return kit.UseLockOnce(c, checkThenWatch{p.Root}, p)
		})
	}),
}
