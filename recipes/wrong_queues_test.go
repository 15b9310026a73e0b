package recipes

import (
	"errors"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// Mutant is a recipe with one step wrong, and the rule that must find it out.
type Mutant struct {
	Wrong  string // what it does
	Recipe recipe.Recipe
	Rule   string
}

// Mutants are wrong recipes that anyone who judges recipes must not take for right.
func Mutants() []Mutant {
	return slices.Concat(wrongLeases(), wrongEtcd(), []Mutant{
		{"takes the newest item", fifoMutant(lastInFirstOut), promise.ServedInOrder},
		{"takes an item that is gone for its own", fifoMutant(takesWhatIsGone), promise.AtMostOnce},
		{"goes home after one item", fifoMutant(takesOne), promise.AllDone},
		{"goes home after one item", afterOne(ackQueueRecipe), promise.AllDone},
		{"takes the newest item", ackMutant(ackQueueRecipe, newest), promise.ServedInOrder},
		{"takes the least urgent item", ackMutant(priorityQueueRecipe, leastUrgent), promise.UrgentFirst},
		{"goes by age alone", ackMutant(priorityQueueRecipe, ackQueue.next), promise.UrgentFirst},
		{"goes home after one item", afterOne(priorityQueueRecipe), promise.AllDone},
		{"hands items out at once", ackMutant(delayQueueRecipe, ackQueue.next), promise.NotBeforeDue},
		{"takes the item that was due last", ackMutant(delayQueueRecipe, latestDue), promise.EarliestFirst},
		{"goes by age among the due", ackMutant(delayQueueRecipe, oldestDue), promise.EarliestFirst},
		{"goes home after one item", afterOne(delayQueueRecipe), promise.AllDone},
		{"the leader does not lead", crewMutant(), promise.AllDone},
	})
}

// withMain is a recipe whose consumers or workers run another program.
func withMain(r recipe.Recipe, main func(zoo.Client, recipe.Params) error) recipe.Recipe {
	right := r.Main
	r.Main = func(w systems.World, p recipe.Params) error {
		if r.Role(p.Index, p.Clients) == producer || r.Role(p.Index, p.Clients) == customer {
			return right(w, p)
		}
		return main(w.ZooKeeper(), p)
	}
	return r
}

// fifoMutant is fifo-queue with other consumers.
func fifoMutant(consume func(fifoQueue, zoo.Client, recipe.Params) error) recipe.Recipe {
	return withMain(fifoQueueRecipe, func(c zoo.Client, p recipe.Params) error { return consume(fifoQueue{p.Root}, c, p) })
}

func lastInFirstOut(q fifoQueue, c zoo.Client, p recipe.Params) error {
	return takeAll(q, c, p, func(a, b string) int { return kit.ByNumber(b, a) }, q.claim)
}

func takesWhatIsGone(q fifoQueue, c zoo.Client, p recipe.Params) error {
	return takeAll(q, c, p, kit.ByNumber, func(c zoo.Client, path string) (bool, error) {
		err := c.Delete(path, zoo.AnyVersion)
		if err == nil || errors.Is(err, zoo.ErrNoNode) {
			c.Phase(program.Consumed, program.Subject{Path: path})
			return true, nil
		}
		return false, err
	})
}

func takesOne(q fifoQueue, c zoo.Client, _ recipe.Params) error {
	_, err := q.take(c)
	return err
}

// takeAll takes a consumer's share: in the order, and each as claim does.
func takeAll(q fifoQueue, c zoo.Client, p recipe.Params, order func(a, b string) int,
	claim func(zoo.Client, string) (bool, error)) error {
	for left := share(p); left > 0; {
		names, _, more, err := c.ChildrenW(q.dir)
		if err != nil {
			return err
		}
		if len(names) == 0 {
			if _, err := c.Await(0, more); err != nil {
				return err
			}
			continue
		}
		got, err := claim(c, q.dir+"/"+slices.MinFunc(names, order))
		if err != nil {
			return err
		}
		if got {
			left--
		}
	}
	return nil
}

// ackMutant is a queue with acknowledgement whose consumers look for their next item in another way.
func ackMutant(r recipe.Recipe, next func(ackQueue, zoo.Client) (string, error)) recipe.Recipe {
	return withMain(r, func(c zoo.Client, p recipe.Params) error {
		q := newAckQueue(p.Root)
		return q.consume(c, p, func(c zoo.Client) (string, error) { return next(q, c) })
	})
}

// afterOne is a queue whose consumers go home when they have worked one item off.
func afterOne(r recipe.Recipe) recipe.Recipe {
	return withMain(r, func(c zoo.Client, p recipe.Params) error {
		q, worked := newAckQueue(p.Root), false
		return q.consume(c, p, func(c zoo.Client) (string, error) {
			if worked {
				return "", nil
			}
			worked = true
			return q.next(c)
		})
	})
}

func newest(q ackQueue, c zoo.Client) (string, error) {
	return nextBy(q, c, func(a, b string) int { return kit.ByNumber(b, a) })
}

func leastUrgent(q ackQueue, c zoo.Client) (string, error) {
	return nextBy(q, c, func(a, b string) int { return strings.Compare(b, a) })
}

func latestDue(q ackQueue, c zoo.Client) (string, error) {
	return nextDue(q, c, func(a, b string) int { return strings.Compare(b, a) })
}

func oldestDue(q ackQueue, c zoo.Client) (string, error) { return nextDue(q, c, kit.ByNumber) }

// nextDue is delayQueue.next in another order among the items that are due.
func nextDue(q ackQueue, c zoo.Client, order func(a, b string) int) (string, error) {
	clock := delayQueue{q}
	for {
		free, all, changed, err := q.waiting(c)
		if err != nil {
			return "", err
		}
		wait := recipe.Patience
		if len(free) > 0 {
			wait = clock.due(slices.Min(free)) - c.Now()
		}
		if wait <= 0 {
			due := slices.DeleteFunc(free, func(name string) bool { return clock.due(name) > c.Now() })
			if name, err := q.markFirst(c, []string{slices.MinFunc(due, order)}); name != "" || err != nil {
				return name, err
			}
			continue
		}
		c.Phase(program.Waiting, program.Subject{})
		_, err = c.Await(wait, changed...)
		if late := errors.Is(err, zoo.ErrTimeout); err != nil && !late || late && all == 0 {
			return "", ignoreTimeout(err)
		}
	}
}

// nextBy is priorityQueue.next in another order.
func nextBy(q ackQueue, c zoo.Client, order func(a, b string) int) (string, error) {
	for {
		free, all, changed, err := q.waiting(c)
		if err != nil {
			return "", err
		}
		if len(free) > 0 {
			if name, err := q.markFirst(c, []string{slices.MinFunc(free, order)}); name != "" || err != nil {
				return name, err
			}
			continue
		}
		came, err := kit.WaitFor(c, changed...)
		if err != nil || !came && all == 0 {
			return "", err
		}
	}
}

// crewMutant is work-assignment whose leader steps down instead of handing out tasks.
func crewMutant() recipe.Recipe {
	return withMain(workAssignmentRecipe, func(c zoo.Client, p recipe.Params) error {
		w := crew{members: p.Root + "/members", tasks: p.Root + "/tasks", hold: p.Hold}
		me, err := kit.Join(c, w.members, "member-")
		if err != nil {
			return err
		}
		if err := w.follow(c, me); err != nil {
			return err
		}
		lead := program.Subject{Path: w.members + "/" + me, Fence: kit.Number(me)}
		c.Phase(program.Leading, lead)
		c.Phase(program.Released, lead)
		return kit.Remove(c, lead.Path)
	})
}
