package recipes

import (
	"slices"
	"strconv"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// priorityQueue is an ackQueue in whose names the priority comes before the number: the most urgent item is
// the first by name, and the oldest among those that are as urgent.
type priorityQueue struct{ ackQueue }

// priorities are from 0, the most urgent. They have one digit: names are compared as text here.
const priorities = 3

func (q priorityQueue) name(priority int) string {
	return "item-" + strconv.Itoa(priority) + "-"
}

// next takes the most urgent item. The list must be a new one every time: an old one does not have what has
// come since and may go before everything in it.
func (q priorityQueue) next(c zoo.Client) (string, error) {
	for {
		free, all, changed, err := q.waiting(c)
		if err != nil {
			return "", err
		}
		if len(free) > 0 {
			if name, err := q.markFirst(c, []string{slices.Min(free)}); name != "" || err != nil {
				return name, err
			}
			continue // another consumer has it: look again
		}
		c.Phase(program.Waiting, program.Subject{})
		came, err := kit.WaitFor(c, changed...)
		if err != nil || !came && all == 0 {
			return "", err
		}
	}
}

var priorityQueueRecipe = recipe.Recipe{
	Kind: recipe.Right,
	Name: "priority-queue",
	File: "priority_queue.go",
	Promises: []string{promise.Once, promise.UrgentFirst, promise.AllDone, promise.OneWorker, promise.Progress,
		promise.Clean},
	Sources: []string{"ZooKeeper documentation, Recipes and Solutions: Priority Queues",
		"Apache Curator, DistributedPriorityQueue"},
	MinClients: 2,
	Drawing:    event.Drawing{Stores: kit.Orders()},
	Keeps:      []string{"items"},
	Role:       queueRole,
	Parents:    ackParents,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		q := priorityQueue{newAckQueue(p.Root)}
		if p.RoleOr(queueRole) == producer {
			return q.produce(c, p, func(nth int) string { return q.name((p.Index + 2*nth) % priorities) })
		}
		return q.consume(c, p, q.next)
	}),
}
