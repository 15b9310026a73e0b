package pitfalls

import (
	"errors"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// memberForGood is a group whose members sign in with persistent znodes. One that dies stays on the list: customers
// send it orders, and nobody handles them.
type memberForGood struct {
	dir    string // the parent of one znode for each member
	orders *kit.OrderBoxes
}

// serve signs in, handles orders until none has come for a while, and signs out.
func (g memberForGood) serve(c zoo.Client, p recipe.Params) error {
	path, err := c.Create(g.dir+"/"+kit.Member(p), nil, zoo.PersistentSequential)
	for kit.Unknown(err) {
		path, err = c.Create(g.dir+"/"+kit.Member(p), nil, zoo.PersistentSequential)
	}
	if err != nil {
		return err
	}
	if err := g.orders.Handle(c, p.Hold); err != nil {
		return err
	}
	c.Phase(program.Done, program.Subject{Path: path})
	return kit.Remove(c, path)
}

// order looks who is there, sends an order to one of them, and waits until it's done, or for a while.
func (g memberForGood) order(c zoo.Client) error {
	members, err := kit.List(c, g.dir)
	if err != nil {
		return err
	}
	c.Phase(program.Saw, program.Subject{Path: g.dir, Fence: int64(len(members))})
	box, err := g.orders.Send(c, members)
	if err != nil || box == "" {
		return err
	}
	about := program.Subject{Path: box}
	c.Phase(program.Waiting, about)
	switch err = kit.WaitGone(c, box, recipe.Patience); {
	case errors.Is(err, zoo.ErrTimeout):
		c.Phase(program.GaveUp, about)
		return nil
	case err == nil:
		c.Phase(program.Done, about)
	}
	return err
}

const (
	member   = "member"
	customer = "customer"
)

func groupRole(index, clients int) string {
	if index <= clients/2 {
		return member
	}
	return customer
}

var memberForGoodRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "member-for-good",
	Cure:        "group-membership",
	File:        Dir + "member_for_good.go",
	Promises:    []string{promise.Clean},
	FoundWithin: 200,
	Sources: []string{"ZooKeeper documentation, Recipes and Solutions: Group Membership, whose znodes are ephemeral",
		"Apache Curator, ServiceType: STATIC and PERMANENT instances"},
	MinClients: 2,
	Drawing:    event.Drawing{Stores: kit.Orders()},
	Keeps:      []string{"orders"},
	Role:       groupRole,
	Parents:    func(root string) []string { return []string{root, root + "/group", kit.OrderParent(root)} },
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		g := memberForGood{p.Root + "/group", kit.NewOrderBoxes(p, p.Clients/2)}
		if groupRole(p.Index, p.Clients) == member {
			return g.serve(c, p)
		}
		return kit.Repeat(c, p, func(p recipe.Params) error {
			if err := c.Work(p.Hold); err != nil {
				return err
			}
			return g.order(c)
		})
	}),
}
