package recipes

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// delayQueue is an ackQueue in whose names the time comes first at which an item is due. Nobody takes it
// before, by his own clock: clocks that differ make an item early or late, but never twice.
type delayQueue struct{ ackQueue }

// delayStep is what the first item is put off by at least; each later one of a producer is put off by less.
const delayStep = time.Second

// name has as many digits for the time as will do for 31 years of milliseconds, so that it sorts as text.
func (q delayQueue) name(due time.Duration) string {
	return fmt.Sprintf("item-%012d-", due.Milliseconds())
}

// due is the time in a name.
func (q delayQueue) due(name string) time.Duration {
	parts := strings.Split(name, "-")
	if len(parts) != 3 {
		return 0
	}
	ms, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return 0
	}
	return time.Duration(ms) * time.Millisecond
}

// next takes the item that is due first, once it is.
func (q delayQueue) next(c zoo.Client) (string, error) {
	for {
		free, all, changed, err := q.waiting(c)
		if err != nil {
			return "", err
		}
		wait := recipe.Patience
		if len(free) > 0 {
			first := slices.Min(free)
			wait = q.due(first) - c.Now()
			if wait <= 0 {
				if name, err := q.markFirst(c, []string{first}); name != "" || err != nil {
					return name, err
				}
				continue // another consumer has it: look again
			}
		}
		c.Phase(program.Waiting, program.Subject{})
		_, err = c.Await(wait, changed...) // until something changes or the first is due
		late := errors.Is(err, zoo.ErrTimeout)
		if err != nil && !late || late && all == 0 {
			return "", ignoreTimeout(err)
		}
	}
}

func ignoreTimeout(err error) error {
	if errors.Is(err, zoo.ErrTimeout) {
		return nil
	}
	return err
}

var delayQueueRecipe = recipe.Recipe{
	Kind: recipe.Right,
	Name: "delay-queue",
	File: "delay_queue.go",
	Promises: []string{promise.Once, promise.NotBeforeDue, promise.EarliestFirst, promise.AllDone, promise.OneWorker,
		promise.Progress, promise.Clean},
	Sources:    []string{"Apache Curator, DistributedDelayQueue"},
	MinClients: 2,
	Drawing:    event.Drawing{Stores: kit.Orders()},
	Keeps:      []string{"items"},
	Role:       queueRole,
	Parents:    ackParents,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		q := delayQueue{newAckQueue(p.Root)}
		if p.RoleOr(queueRole) == producer {
			return q.produce(c, p, func(nth int) string {
				return q.name(c.Now() + time.Duration(p.Rounds-nth)*delayStep)
			})
		}
		return q.consume(c, p, q.next)
	}),
}
