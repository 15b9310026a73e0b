package pitfalls

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// deleteLast is a queue whose consumers work on the oldest item and delete it when they are done. Until then it is in
// the list, and nothing says that somebody works on it: all who look work on the same one.
type deleteLast struct{ deleteFirst }

// oldest returns the name of the oldest item, "" when nothing has come for a while.
func (q deleteLast) oldest(c zoo.Client) (string, error) {
	for {
		names, _, more, err := c.ChildrenW(q.items)
		if kit.Unknown(err) {
			continue
		}
		if err != nil || len(names) > 0 {
			return kit.First(names), err
		}
		c.Phase(program.Waiting, program.Subject{})
		came, err := kit.WaitFor(c, more)
		if err != nil || !came {
			return "", err
		}
	}
}

func (q deleteLast) consume(c zoo.Client, p recipe.Params) error {
	for {
		name, err := q.oldest(c)
		if err != nil || name == "" {
			return err
		}
		item := program.Subject{Path: q.items + "/" + name}
		c.Phase(program.Began, item)
		if err := kit.Handle(c, name, p.Hold); err != nil {
			return err
		}
		if err := kit.Remove(c, item.Path); err != nil {
			return err
		}
		c.Phase(program.Done, item)
	}
}

var deleteAfterProcessingRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "delete-after-processing",
	Cure:        "fifo-queue",
	File:        Dir + "delete_after_processing.go",
	Promises:    []string{promise.AtMostOnce},
	FoundWithin: 20,
	Sources:     []string{"ZooKeeper documentation, Recipes and Solutions: Queues"},
	MinClients:  3,
	Drawing:     event.Drawing{Kind: event.DrawItems, Taker: consumer, Stores: kit.Orders()},
	Role:        queueRole,
	Parents:     recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		q := deleteLast{deleteFirst{p.Root}}
		if queueRole(p.Index, p.Clients) == consumer {
			return q.consume(c, p)
		}
		return q.produce(c, p)
	}),
}
