package pitfalls

import (
	"errors"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// deleteFirst is a queue whose consumers delete an item and then work on it. A consumer that dies at work
// takes the item with it: nothing is left to show that there was one.
type deleteFirst struct{ items string }

func (q deleteFirst) put(c zoo.Client) error {
	path, err := c.Create(q.items+"/item-", []byte("an order"), zoo.PersistentSequential)
	if err != nil {
		return err
	}
	c.Phase(program.Produced, program.Subject{Path: path})
	return kit.Order(c, strings.TrimPrefix(path, q.items+"/"))
}

// produce puts one item in for each round.
func (q deleteFirst) produce(c zoo.Client, p recipe.Params) error {
	return kit.Repeat(c, p, func(p recipe.Params) error {
		if err := c.Work(p.Hold); err != nil {
			return err
		}
		return kit.Insist(func() error { return q.put(c) })
	})
}

// next deletes the oldest item that it can get, and returns its path; "" when nothing has come for a while.
func (q deleteFirst) next(c zoo.Client) (string, error) {
	for {
		names, _, more, err := c.ChildrenW(q.items)
		if kit.Unknown(err) {
			continue
		}
		if err != nil {
			return "", err
		}
		for _, name := range slices.SortedFunc(slices.Values(names), kit.ByNumber) {
			err := c.Delete(q.items+"/"+name, zoo.AnyVersion)
			if err == nil {
				return q.items + "/" + name, nil
			}
			if !errors.Is(err, zoo.ErrNoNode) && !kit.Unknown(err) {
				return "", err
			}
		}
		c.Phase(program.Waiting, program.Subject{})
		came, err := kit.WaitFor(c, more)
		if err != nil || !came {
			return "", err
		}
	}
}

func (q deleteFirst) consume(c zoo.Client, p recipe.Params) error {
	for {
		path, err := q.next(c)
		if err != nil || path == "" {
			return err
		}
		item := program.Subject{Path: path}
		c.Phase(program.Began, item)
		if err := kit.Handle(c, strings.TrimPrefix(path, q.items+"/"), p.Hold); err != nil {
			return err
		}
		c.Phase(program.Done, item)
	}
}

const (
	producer = "producer"
	consumer = "consumer"
)

func queueRole(index, clients int) string {
	if index <= clients/2 {
		return producer
	}
	return consumer
}

var deleteBeforeProcessingRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "delete-before-processing",
	Cure:        "ack-queue",
	File:        Dir + "delete_before_processing.go",
	Promises:    []string{promise.Once},
	FoundWithin: 200,
	Sources: []string{"kazoo, Queue: its documentation says that an item may be lost",
		"ZooKeeper documentation, Recipes and Solutions: Queues"},
	MinClients: 2,
	Drawing:    event.Drawing{Stores: kit.Orders()},
	Keeps:      []string{"items"},
	Role:       queueRole,
	Parents:    func(root string) []string { return []string{root, root + "/items"} },
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		q := deleteFirst{p.Root + "/items"}
		if queueRole(p.Index, p.Clients) == consumer {
			return q.consume(c, p)
		}
		return q.produce(c, p)
	}),
}
