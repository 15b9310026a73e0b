package recipes

import (
	"errors"
	"strconv"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// doubleBarrier lets its members in together and out together, round after round. Each round has names of
// its own, so that nothing that is left of one lets anybody through in the next.
type doubleBarrier struct {
	root    string
	arrived string // the parent of one persistent znode for each arrival: it counts even if its member dies
	inside  string // the parent of one ephemeral znode for each member that has not yet done its part
	size    int
	me      string // the member's letter
}

// round is one passage of one member.
type round struct{ ready, arrival, presence, prefix string }

func (b doubleBarrier) round(number int) round {
	prefix := "round-" + strconv.Itoa(number) + "-"
	return round{
		ready:    b.root + "/ready-" + strconv.Itoa(number),
		arrival:  b.arrived + "/" + prefix + b.me,
		presence: b.inside + "/" + prefix + b.me,
		prefix:   prefix,
	}
}

func (b doubleBarrier) enter(c zoo.Client, r round) error {
	// The watch comes first, so that the start cannot be missed.
	open, isOpen, err := watchFor(c, r.ready)
	if err != nil || isOpen {
		return err
	}
	if err := b.arrive(c, r); err != nil {
		return err
	}
	c.Phase(program.Waiting, program.Subject{Path: r.presence})
	for {
		if err := b.openIfLast(c, r); err != nil {
			return err
		}
		// The last to arrive may die before it has opened: look again now and then.
		if told, err := kit.WaitFor(c, open); told || err != nil {
			return err
		}
	}
}

// arrive makes both znodes or none. The names are the member's own: one that is there was made by a call
// whose answer was lost.
func (b doubleBarrier) arrive(c zoo.Client, r round) error {
	return kit.Insist(func() error {
		_, err := c.Multi(
			zoo.CreateOp(r.arrival, nil, zoo.Persistent),
			zoo.CreateOp(r.presence, nil, zoo.Ephemeral))
		return made("", err)
	})
}

// openIfLast counts the arrivals, which are apart from everything else and never go before the round is
// open. Two members may both see the last one: one opens, the other finds it done.
func (b doubleBarrier) openIfLast(c zoo.Client, r round) error {
	names, err := kit.List(c, b.arrived)
	if err != nil || len(withPrefix(names, r.prefix)) < b.size {
		return err
	}
	return kit.Insist(func() error { return made(c.Create(r.ready, nil, zoo.Persistent)) })
}

// leave takes the own presence away and waits until nobody's is left. A member that dies is not waited for:
// its presence goes with its session.
func (b doubleBarrier) leave(c zoo.Client, r round) error {
	if err := kit.Remove(c, r.presence); err != nil {
		return err
	}
	for {
		names, err := kit.List(c, b.inside)
		if err != nil {
			return err
		}
		others := withPrefix(names, r.prefix)
		if len(others) == 0 {
			return nil
		}
		if err := kit.WaitGone(c, b.inside+"/"+others[0], 0); err != nil {
			return err
		}
	}
}

// tidy removes what the round needs no more: nobody is inside, so nobody waits for it to open.
func (b doubleBarrier) tidy(c zoo.Client, r round) error {
	return errors.Join(kit.Remove(c, r.arrival), kit.Remove(c, r.ready))
}

// useDoubleBarrier is a till that opens and closes with the others, with a new price each time.
func useDoubleBarrier(c zoo.Client, p recipe.Params) error {
	b := doubleBarrier{
		root: p.Root, arrived: p.Root + "/arrived", inside: p.Root + "/inside", size: p.Clients,
		me: event.Actor(p.Index).Letter(),
	}
	for number := range p.Rounds {
		r := b.round(number + 1)
		about := program.Subject{Path: r.presence}
		if err := b.enter(c, r); err != nil {
			return err
		}
		c.Phase(program.Passed, about)
		if err := kit.ChargeFor(c, oldPrice*(number+1), p.Hold); err != nil {
			return err
		}
		c.Phase(program.Leaving, about)
		if err := b.leave(c, r); err != nil {
			return err
		}
		c.Phase(program.Left, about)
		if err := b.tidy(c, r); err != nil {
			return err
		}
	}
	return nil
}

var doubleBarrierRecipe = recipe.Recipe{
	Kind:     recipe.Right,
	Name:     "double-barrier",
	File:     "double_barrier.go",
	Promises: []string{promise.Barrier, promise.Together},
	Limits:   []string{promise.Progress},
	Harms:    []string{"crash"},
	Sources: []string{"ZooKeeper documentation, Recipes and Solutions: Double Barriers",
		"Apache Curator, DistributedDoubleBarrier"},
	MinClients: 1,
	Drawing:    event.Drawing{Stores: kit.Prices()},
	Keeps:      []string{"ready-", "arrived"},
	Parents: func(root string) []string {
		return []string{root, root + "/arrived", root + "/inside"}
	},
	Main: recipe.OnZooKeeper(useDoubleBarrier),
}
