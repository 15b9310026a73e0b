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

// waitForEquals sorts the queue by when its znodes were made, and waits for those of the same time as well, so that no
// two go in at once. Of two znodes that were made in the same millisecond, each owner waits for the other.
type waitForEquals struct{ dir string }

func (l waitForEquals) Lock(c zoo.Client) (program.Subject, error) {
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
		ahead, err := l.notYounger(c, names, me)
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

// notYounger is the latest of the names that was not made after mine, empty if there is none.
func (l waitForEquals) notYounger(c zoo.Client, names []string, mine string) (ahead string, err error) {
	me, err := kit.StatOf(c, l.dir+"/"+mine)
	if err != nil {
		return "", err
	}
	latest := int64(-1)
	for _, name := range names {
		stat, err := kit.StatOf(c, l.dir+"/"+name)
		if errors.Is(err, zoo.ErrNoNode) {
			continue // it has just left
		}
		if err != nil {
			return "", err
		}
		if name != mine && stat.Ctime <= me.Ctime && stat.Ctime > latest {
			ahead, latest = name, stat.Ctime
		}
	}
	return ahead, nil
}

func (l waitForEquals) Unlock(c zoo.Client, held program.Subject) error {
	return kit.Remove(c, held.Path)
}

var waitForEqualsRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "wait-for-equals",
	Cure:        "predecessor-lock",
	File:        Dir + "wait_for_equals.go",
	Promises:    []string{promise.Progress},
	Sources:     []string{"A Korean article on a ZookeeperLocker in C#: it sorts by creation time"},
	FoundWithin: 100,
	Seen:        "clients=2&seed=29&hold=9s&latency=400ms&jitter=20ms&stagger=100ms",
	MinClients:  2,
	Drawing:     event.Drawing{Kind: event.DrawQueue, Stores: kit.Printer()},
	Parents:     recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.Repeat(c, p, func(p recipe.Params) error {
			if err := c.Sleep(timetable - c.Now()%timetable); err != nil {
				return err
			}
			return kit.UseLockOnce(c, waitForEquals{p.Root}, p)
		})
	}),
}
