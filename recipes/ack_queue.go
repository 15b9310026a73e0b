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

// ackQueue is a queue whose items stay until they are worked off. Anyone who works on one marks it with an
// ephemeral znode: if its consumer dies, the mark goes and the item is there for the next.
type ackQueue struct {
	items     string // the parent of one persistent znode for each item
	marks     string // the parent of one ephemeral znode, of the same name, for each that somebody works on
	producers string // the parent of one ephemeral znode for each producer, which counts what it has put in
}

func newAckQueue(root string) ackQueue {
	return ackQueue{items: root + "/items", marks: root + "/marks", producers: root + "/producers"}
}

func ackParents(root string) []string {
	q := newAckQueue(root)
	return []string{root, q.items, q.marks, q.producers}
}

// put adds the producer's nth item, from 0. The count moves on in the same transaction, so that a lost answer
// leaves no doubt and the item is never put in twice.
func (q ackQueue) put(c zoo.Client, count, prefix string, nth int) error {
	for {
		made, err := c.Multi(
			zoo.CreateOp(q.items+"/"+prefix, []byte("made by "+c.Name()), zoo.PersistentSequential),
			zoo.SetOp(count, nil, int32(nth)))
		switch {
		case err == nil:
			c.Phase(program.Produced, program.Subject{Path: made[0].Path})
			return kit.Order(c, strings.TrimPrefix(made[0].Path, q.items+"/"))
		case errors.Is(err, zoo.ErrBadVersion):
			c.Note("the count has moved on: the item is in the queue, only the answer was lost")
			return nil
		case !kit.Unknown(err):
			return err
		}
	}
}

// waiting are the items that nobody works on, all counts the others too, and the watches fire when either
// may have changed.
func (q ackQueue) waiting(c zoo.Client) (free []string, all int, changed []zoo.Watch, err error) {
	for {
		names, _, more, err := c.ChildrenW(q.items)
		if kit.Unknown(err) {
			continue
		}
		if err != nil {
			return nil, 0, nil, err
		}
		marked, _, freed, err := c.ChildrenW(q.marks)
		if kit.Unknown(err) {
			continue
		}
		for _, name := range names {
			if !slices.Contains(marked, name) {
				free = append(free, name)
			}
		}
		return free, len(names), []zoo.Watch{more, freed}, err
	}
}

// mark takes an item to work on. It must still be there and not be marked: one transaction sees to both.
func (q ackQueue) mark(c zoo.Client, name string) (bool, error) {
	for {
		_, err := c.Multi(
			zoo.CheckOp(q.items+"/"+name, zoo.AnyVersion),
			zoo.CreateOp(q.marks+"/"+name, nil, zoo.Ephemeral))
		switch {
		case errors.Is(err, zoo.ErrNoNode):
			return false, nil // it is done
		case errors.Is(err, zoo.ErrNodeExists):
			return kit.IsMine(c, q.marks+"/"+name) // our own, if only the answer was lost
		case !kit.Unknown(err):
			return err == nil, err
		}
	}
}

// markFirst takes the first of the items that it can get, "" if another consumer was faster every time.
func (q ackQueue) markFirst(c zoo.Client, names []string) (string, error) {
	for _, name := range names {
		if mine, err := q.mark(c, name); mine || err != nil {
			return name, err
		}
	}
	return "", nil
}

// finish removes the item and the mark together. If they are gone, they went so: nobody else removes an item
// while it bears our mark.
func (q ackQueue) finish(c zoo.Client, name string) error {
	for {
		_, err := c.Multi(
			zoo.DeleteOp(q.items+"/"+name, zoo.AnyVersion),
			zoo.DeleteOp(q.marks+"/"+name, zoo.AnyVersion))
		switch {
		case errors.Is(err, zoo.ErrNoNode):
			return nil
		case !kit.Unknown(err):
			return err
		}
	}
}

// next takes the oldest item, "" when nothing has come for a while.
func (q ackQueue) next(c zoo.Client) (string, error) {
	for {
		free, all, changed, err := q.waiting(c)
		if err != nil {
			return "", err
		}
		slices.SortFunc(free, kit.ByNumber)
		if name, err := q.markFirst(c, free); name != "" || err != nil {
			return name, err
		}
		c.Phase(program.Waiting, program.Subject{})
		came, err := kit.WaitFor(c, changed...)
		if err != nil || !came && all == 0 {
			return "", err
		}
	}
}

// produce puts one item in for each round, named by what prefix gives.
func (q ackQueue) produce(c zoo.Client, p recipe.Params, prefix func(nth int) string) error {
	count, err := kit.Join(c, q.producers, "producer-")
	if err != nil {
		return err
	}
	for nth := range p.Rounds {
		round, err := p.Round(c, nth)
		if err != nil {
			return err
		}
		if err := c.Work(round.Hold); err != nil {
			return err
		}
		if err := q.put(c, q.producers+"/"+count, prefix(nth), nth); err != nil {
			return err
		}
	}
	return nil
}

// consume works on what next gives until that is nothing.
func (q ackQueue) consume(c zoo.Client, p recipe.Params, next func(zoo.Client) (string, error)) error {
	for n := 0; ; n++ {
		round, err := p.Round(c, n)
		if err != nil {
			return err
		}
		name, err := next(c)
		if err != nil || name == "" {
			return err
		}
		item := program.Subject{Path: q.items + "/" + name}
		c.Phase(program.Began, item)
		if err := kit.Handle(c, name, round.Hold); err != nil {
			return err
		}
		if err := q.finish(c, name); err != nil {
			return err
		}
		c.Phase(program.Done, item)
	}
}

var ackQueueRecipe = recipe.Recipe{
	Kind: recipe.Right,
	Name: "ack-queue",
	Use:  recipe.ForQueue,
	File: "ack_queue.go",
	Promises: []string{promise.Once, promise.ServedInOrder, promise.AllDone, promise.OneWorker, promise.Progress,
		promise.Clean},
	Sources:    []string{"kazoo, LockingQueue", "Apache Curator, DistributedQueue: lock-safe consumption"},
	MinClients: 2,
	Drawing:    event.Drawing{Stores: kit.Orders()},
	Keeps:      []string{"items"},
	Role:       queueRole,
	Parents:    ackParents,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		q := newAckQueue(p.Root)
		if p.RoleOr(queueRole) == producer {
			return q.produce(c, p, func(int) string { return "item-" })
		}
		return q.consume(c, p, q.next)
	}),
}
