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

// orderByTime sorts the queue by when the znodes were made, instead of by their numbers. Times are in
// milliseconds: of two znodes that were made in the same one, neither is the earlier, and both owners go in.
type orderByTime struct{ dir string }

func (l orderByTime) Lock(c zoo.Client) (program.Subject, error) {
	me, err := kit.Join(c, l.dir, "lock-")
	if err != nil {
		return program.Subject{}, err
	}
	mine := program.Subject{Path: l.dir + "/" + me, Fence: kit.Number(me)}
	c.Phase(program.Waiting, mine)
	for {
		ahead, err := l.lastBefore(c, mine.Path)
		if err != nil || ahead == "" {
			return mine, err
		}
		if err := kit.WaitGone(c, ahead, 0); err != nil {
			return mine, err
		}
	}
}

// lastBefore is the path of the latest znode that is older than that at mine, empty if there is none.
func (l orderByTime) lastBefore(c zoo.Client, mine string) (ahead string, err error) {
	me, err := kit.StatOf(c, mine)
	if err != nil {
		return "", err
	}
	names, err := kit.List(c, l.dir)
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
		if stat.Ctime < me.Ctime && stat.Ctime > latest {
			ahead, latest = l.dir+"/"+name, stat.Ctime
		}
	}
	return ahead, nil
}

func (l orderByTime) Unlock(c zoo.Client, held program.Subject) error {
	return kit.Remove(c, held.Path)
}

// timetable is how far apart the times are at which the clients begin: they do the same job, on many
// machines, by the same clock.
const timetable = time.Second

func useOrderByTime(c zoo.Client, p recipe.Params) error {
	if err := c.Sleep(timetable - c.Now()%timetable); err != nil {
		return err
	}
	return kit.UseLockOnce(c, orderByTime{p.Root}, p)
}

var orderByTimeRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "order-by-time",
	Cure:        "predecessor-lock",
	File:        Dir + "order_by_time.go",
	Promises:    []string{promise.TruthExclusion, promise.Order},
	Sources:     []string{"A Korean article on a ZookeeperLocker in C#: it sorts by creation time"},
	FoundWithin: 100,
	MinClients:  2,
	Drawing:     event.Drawing{Kind: event.DrawQueue, Stores: kit.Printer(), Shows: event.ShowTimes},
	Parents:     recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.Repeat(c, p, func(p recipe.Params) error { return useOrderByTime(c, p) })
	}),
}
