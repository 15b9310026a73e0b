package pitfalls

import (
	"slices"
	"strconv"
	"strings"

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
	group  string // the parent of one znode for each member
	orders string // the parent of one persistent znode for each order, which begins with the member that it's for
}

// forMember returns how the names of a member's orders begin.
func forMember(name string) string { return "for-" + strconv.FormatInt(kit.Number(name), 10) + "-" }

// serve signs in, handles orders until none has come for a while, and signs out.
func (g memberForGood) serve(c zoo.Client, p recipe.Params) error {
	path, err := c.Create(g.group+"/member-", nil, zoo.PersistentSequential)
	for kit.Unknown(err) {
		path, err = c.Create(g.group+"/member-", nil, zoo.PersistentSequential)
	}
	if err != nil {
		return err
	}
	for {
		order, err := g.next(c, forMember(path))
		if err != nil {
			return err
		}
		if order == "" {
			return kit.Remove(c, path)
		}
		if err := kit.Handle(c, order, p.Hold); err != nil {
			return err
		}
		if err := kit.Remove(c, g.orders+"/"+order); err != nil {
			return err
		}
	}
}

// next waits for the oldest order whose name begins with prefix, and returns "" when none has come for a while.
func (g memberForGood) next(c zoo.Client, prefix string) (string, error) {
	for {
		names, _, more, err := c.ChildrenW(g.orders)
		if kit.Unknown(err) {
			continue
		}
		if err != nil {
			return "", err
		}
		names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.HasPrefix(name, prefix) })
		if len(names) > 0 {
			return kit.First(names), nil
		}
		came, err := kit.WaitFor(c, more)
		if err != nil || !came {
			return "", err
		}
	}
}

// send looks who is there, and sends an order to one of them: the nth, counted around.
func (g memberForGood) send(c zoo.Client, nth int) error {
	members, err := kit.List(c, g.group)
	if err != nil {
		return err
	}
	c.Phase(program.Saw, program.Subject{Path: g.group, Fence: int64(len(members))})
	if len(members) == 0 {
		return nil
	}
	slices.SortFunc(members, byDigits)
	prefix := g.orders + "/" + forMember(members[nth%len(members)])
	path, err := c.Create(prefix, []byte("from "+c.Name()), zoo.PersistentSequential)
	if err != nil {
		return err
	}
	return kit.Order(c, strings.TrimPrefix(path, g.orders+"/"))
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
	Parents:    func(root string) []string { return []string{root, root + "/group", root + "/orders"} },
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		g := memberForGood{p.Root + "/group", p.Root + "/orders"}
		if groupRole(p.Index, p.Clients) == member {
			return g.serve(c, p)
		}
		nth := p.Index - p.Clients/2 - 1
		return kit.Repeat(c, p, func(p recipe.Params) error {
			if err := c.Work(p.Hold); err != nil {
				return err
			}
			err := kit.Insist(func() error { return g.send(c, nth) })
			nth++
			return err
		})
	}),
}
