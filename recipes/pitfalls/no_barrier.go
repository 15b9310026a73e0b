package pitfalls

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// The prices before and after.
const (
	oldPrice = 10
	newPrice = 20
)

// useNoBarrier is a till that changes its price as soon as it's ready itself. Until the others are, one shop has two
// prices.
func useNoBarrier(c zoo.Client, p recipe.Params) error {
	if err := kit.Charge(c, oldPrice); err != nil {
		return err
	}
	if err := c.Work(p.Hold); err != nil { // it gets ready
		return err
	}
	c.Phase(program.Passed, program.Subject{Path: p.Root + "/start"})
	return kit.ChargeFor(c, newPrice, p.Hold)
}

var noBarrierRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "no-barrier",
	Cure:        "barrier",
	File:        Dir + "no_barrier.go",
	Promises:    []string{promise.Barrier},
	FoundWithin: 10,
	Sources:     []string{"ZooKeeper documentation, Recipes and Solutions: Barriers, which says what they are for"},
	MinClients:  2,
	Drawing: event.Drawing{Kind: event.DrawBarrier, Queue: "members", Gate: "start", Shows: event.ShowReads,
		Stores: kit.Prices()},
	Parents: func(root string) []string { return []string{root, root + "/members"} },
	Main:    recipe.OnZooKeeper(useNoBarrier),
}
