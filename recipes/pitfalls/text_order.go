package pitfalls

import (
	"slices"

	"github.com/zkviz/zkviz/engine/check"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
	"github.com/zkviz/zkviz/recipes/kit"
)

// textOrder sorts the whole names, instead of the numbers at their end. As soon as two programs begin their
// names differently, one always comes before the other, also before a holder.
type textOrder struct {
	dir    string
	prefix string
}

func (l textOrder) Lock(c zoo.Client) (zoo.Subject, error) {
	me, err := kit.Join(c, l.dir, l.prefix)
	if err != nil {
		return zoo.Subject{}, err
	}
	mine := zoo.Subject{Path: l.dir + "/" + me, Fence: kit.Number(me)}
	c.Phase(zoo.Waiting, mine)
	for {
		names, err := kit.List(c, l.dir)
		if err != nil {
			return mine, err
		}
		names = slices.Sorted(slices.Values(names)) // as text
		i := slices.Index(names, me)
		if i < 0 {
			return mine, kit.ErrGone
		}
		if i == 0 {
			return mine, nil
		}
		if err := kit.WaitGone(c, l.dir+"/"+names[i-1], 0); err != nil {
			return mine, err
		}
	}
}

func (l textOrder) Unlock(c zoo.Client, held zoo.Subject) error {
	return kit.Remove(c, held.Path)
}

// prefixOf tells the two programs that use the lock.
func prefixOf(index, _ int) string {
	if index%2 == 0 {
		return "batch-lock-"
	}
	return "web-lock-"
}

var textOrderRecipe = kit.Recipe{
	Kind:        kit.Pitfall,
	Name:        "text-order",
	Cure:        "predecessor-lock",
	File:        Dir + "text_order.go",
	Promises:    []string{check.TruthExclusion, check.Order},
	Sources:     []string{"kazoo #606", "kazoo #730", "ZOOKEEPER-2944"},
	FoundWithin: 100,
	Seen:        "clients=2&hold=10s&latency=400ms&jitter=20ms&stagger=4s",
	MinClients:  2,
	Role:        prefixOf,
	Drawing:     event.Drawing{Kind: event.DrawQueue, Stores: kit.Paper()},
	Parents:     kit.JustRoot,
	Main: func(c zoo.Client, p kit.Params) error {
		return kit.UseLock(c, textOrder{p.Root, prefixOf(p.Index, p.Clients)}, p)
	},
}
