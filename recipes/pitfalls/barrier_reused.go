package pitfalls

import (
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// barrierReused is the double barrier as it is published, gone through twice. Nobody removes its ready znode,
// which is a child beside the members: in the second round it is there already, and lets everyone through.
type barrierReused struct {
	dir  string
	size int
}

const ready = "ready"

func (b barrierReused) enter(c zoo.Client) (me string, err error) {
	var isOpen bool
	var open zoo.Watch
	err = kit.Insist(func() (err error) {
		isOpen, _, open, err = c.ExistsW(b.dir + "/" + ready)
		return err
	})
	if err != nil {
		return "", err
	}
	me, err = kit.Join(c, b.dir, "member-")
	if err != nil || isOpen {
		return me, err
	}
	c.Phase(program.Waiting, program.Subject{Path: b.dir + "/" + me})
	names, err := kit.List(c, b.dir)
	if err == nil && len(names) >= b.size {
		err = kit.Insist(func() error {
			_, err := c.Create(b.dir+"/"+ready, nil, zoo.Persistent)
			return unlessThere(err)
		})
	}
	if err == nil {
		_, err = c.Await(0, open)
	}
	return me, err
}

func (b barrierReused) leave(c zoo.Client, me string) error {
	if err := kit.Remove(c, b.dir+"/"+me); err != nil {
		return err
	}
	for {
		names, err := kit.List(c, b.dir)
		if err != nil {
			return err
		}
		others := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == ready })
		if len(others) == 0 {
			return nil
		}
		if err := kit.WaitGone(c, b.dir+"/"+others[0], 0); err != nil {
			return err
		}
	}
}

// unlessThere takes a znode that is there already for success.
func unlessThere(err error) error {
	if zoo.CodeOf(err) == zoo.ErrNodeExists {
		return nil
	}
	return err
}

// leastRounds is what it takes to use something again.
const leastRounds = 2

func useBarrierReused(c zoo.Client, p recipe.Params) error {
	b := barrierReused{dir: p.Root + "/barrier", size: p.Clients}
	p.Rounds = max(p.Rounds, leastRounds)
	round := 0
	return kit.Repeat(c, p, func(p recipe.Params) error {
		me, err := b.enter(c)
		if err != nil {
			return err
		}
		about := program.Subject{Path: b.dir + "/" + me}
		c.Phase(program.Passed, about)
		round++
		if err := kit.ChargeFor(c, oldPrice*round, p.Hold); err != nil {
			return err
		}
		c.Phase(program.Leaving, about)
		if err := b.leave(c, me); err != nil {
			return err
		}
		c.Phase(program.Left, about)
		return nil
	})
}

var barrierReusedRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "barrier-reused",
	Cure:        "double-barrier",
	File:        Dir + "barrier_reused.go",
	Promises:    []string{promise.Barrier},
	FoundWithin: 10,
	Sources:     []string{"ZooKeeper documentation, Recipes and Solutions: Double Barriers"},
	MinClients:  2,
	Drawing:     event.Drawing{Stores: kit.Prices()},
	Keeps:       []string{"barrier"},
	Parents:     func(root string) []string { return []string{root, root + "/barrier"} },
	Main:        recipe.OnZooKeeper(useBarrierReused),
}
