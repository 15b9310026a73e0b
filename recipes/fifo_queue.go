package recipes

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

// fifoQueue is a row of numbered znodes: producers add at the end, consumers delete the smallest. It is simple,
// and forgets an item before its consumer knows that it has it: ackQueue does not.
type fifoQueue struct{ dir string }

func (q fifoQueue) put(c zoo.Client, item string) error {
	path, err := c.Create(q.dir+"/item-", []byte(item), zoo.PersistentSequential)
	for kit.Unknown(err) {
		c.Note("whether " + item + " is in the queue is unknown: it is put in once more, and may be there twice")
		path, err = c.Create(q.dir+"/item-", []byte(item), zoo.PersistentSequential)
	}
	if err != nil {
		return err
	}
	c.Phase(program.Produced, program.Subject{Path: path})
	return kit.Order(c, strings.TrimPrefix(path, q.dir+"/"))
}

// take takes the oldest item that it can get, and returns its name.
func (q fifoQueue) take(c zoo.Client) (string, error) {
	for {
		names, _, changed, err := c.ChildrenW(q.dir)
		if kit.Unknown(err) {
			continue
		}
		if err != nil {
			return "", err
		}
		for _, name := range slices.SortedFunc(slices.Values(names), kit.ByNumber) {
			got, err := q.claim(c, q.dir+"/"+name)
			if got || err != nil {
				return name, err
			}
		}
		c.Phase(program.Waiting, program.Subject{})
		if _, err := c.Await(0, changed); err != nil {
			return "", err
		}
	}
}

// claim tries to take one item. Deleting decides: only one consumer's delete finds the znode there.
func (q fifoQueue) claim(c zoo.Client, path string) (bool, error) {
	for {
		err := c.Delete(path, zoo.AnyVersion)
		switch {
		case err == nil:
			c.Phase(program.Consumed, program.Subject{Path: path})
			return true, nil
		case errors.Is(err, zoo.ErrNoNode):
			return false, nil // another consumer was faster
		case !kit.Unknown(err):
			return false, err
		}
		c.Note("whether the item was taken is unknown: if it is gone now, it may be lost")
	}
}

const (
	producer = program.Producer
	consumer = program.Consumer
)

func queueRole(index, clients int) string {
	if index <= clients/2 {
		return producer
	}
	return consumer
}

// share returns how many of all the items a consumer takes before it goes home: as many as it is known to come for, or
// as many as the others.
func share(p recipe.Params) int {
	if len(p.Visits) > 0 {
		return len(p.Visits)
	}
	producers := p.Clients / 2
	consumers := p.Clients - producers
	items := producers * p.Rounds
	n := items / consumers
	if p.Index-producers <= items%consumers {
		n++
	}
	return n
}

func useQueue(c zoo.Client, p recipe.Params) error {
	q := fifoQueue{p.Root}
	if p.RoleOr(queueRole) == producer {
		for n := range p.Rounds {
			round, err := p.Round(c, n)
			if err != nil {
				return err
			}
			if err := c.Work(round.Hold); err != nil {
				return err
			}
			if err := q.put(c, "an order"); err != nil {
				return err
			}
		}
		return nil
	}
	for n := range share(p) {
		round, err := p.Round(c, n)
		if err != nil {
			return err
		}
		item, err := q.take(c)
		if err != nil {
			return err
		}
		if err := kit.Handle(c, item, round.Hold); err != nil {
			return err
		}
	}
	return nil
}

var fifoQueueRecipe = recipe.Recipe{
	Kind:     recipe.Right,
	Name:     "fifo-queue",
	Use:      recipe.ForQueue,
	File:     "fifo_queue.go",
	Promises: []string{promise.AtMostOnce, promise.ServedInOrder},
	Limits:   []string{promise.Once, promise.AllDone, promise.Progress},
	Harms:    []string{"crash", "cut", "drop", "restart"},
	Sources: []string{"ZooKeeper documentation, Recipes and Solutions: Queues",
		"A Chinese article on what ZooKeeper is: the FIFO queue"},
	MinClients: 2,
	Role:       queueRole,
	Drawing:    event.Drawing{Kind: event.DrawItems, Taker: consumer, Stores: kit.Orders()},
	Parents:    recipe.JustRoot,
	Main:       recipe.OnZooKeeper(useQueue),
}
