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

// textOrder sorts the whole names, instead of the numbers at their end. As soon as two programs begin their
// names differently, one always comes before the other, also before a holder.
type textOrder struct {
	dir    string
	prefix string
}

func (l textOrder) Lock(c zoo.Client) (program.Subject, error) {
	me, err := kit.Join(c, l.dir, l.prefix)
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
		slices.Sort(names)
		c.Note(kit.InLine(slices.Index(names, me)))
		ahead, err := justAheadAsText(names, me)
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

// justAheadAsText is the name just before mine in names, which are in the order of a dictionary; empty if mine comes
// first.
func justAheadAsText(names []string, mine string) (string, error) {
	i := slices.Index(names, mine)
	if i < 0 {
		return "", kit.ErrGone
	}
	if i == 0 {
		return "", nil
	}
	return names[i-1], nil
}

func (l textOrder) Unlock(c zoo.Client, held program.Subject) error {
	return kit.Remove(c, held.Path)
}

var textOrderRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "text-order",
	Cure:        "strangers-lock",
	File:        Dir + "text_order.go",
	Promises:    []string{promise.TruthExclusion, promise.Order},
	Sources:     []string{"kazoo #606", "kazoo #730", "ZOOKEEPER-2944"},
	FoundWithin: 100,
	Seen:        "clients=2&hold=10s&latency=400ms&jitter=20ms&stagger=4s",
	MinClients:  2,
	Role:        kit.ProgramRole,
	Drawing:     event.Drawing{Kind: event.DrawQueue, Stores: kit.Printer()},
	Parents:     recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.UseLock(c, textOrder{p.Root, kit.ProgramRole(p.Index, p.Clients) + "-lock-"}, p)
	}),
}
