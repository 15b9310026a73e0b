package recipes

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// group is who is there: each member has an ephemeral znode, and anyone who wants to know lists them.
type group struct {
	dir    string
	orders *kit.OrderBoxes // what the list is for
}

// stay joins the group for as long as there are orders.
func (g group) stay(c zoo.Client, p recipe.Params) error {
	me, err := kit.Join(c, g.dir, kit.Member(p))
	if err != nil {
		return err
	}
	if err := g.orders.Handle(c, p.Hold); err != nil {
		return err
	}
	c.Phase(program.Done, program.Subject{Path: g.dir + "/" + me})
	return kit.Remove(c, g.dir+"/"+me)
}

// observe follows the group until as many members as told have come and gone, or no more come.
func (g group) observe(c zoo.Client, p recipe.Params, members int) error {
	for {
		names, stat, changed, err := c.ChildrenW(g.dir)
		if kit.Unknown(err) {
			continue
		}
		if err != nil {
			return err
		}
		c.Phase(program.Saw, program.Subject{Path: g.dir, Fence: int64(len(names))})
		// An empty group may be one that nobody has joined yet. The version of the children counts everybody
		// who came and everybody who went, also between two looks.
		if int(stat.Cversion) == 2*members {
			return nil
		}
		told, err := g.use(c, p, names, changed)
		if err != nil {
			return err
		}
		if !told && len(names) == 0 {
			c.Phase(program.GaveUp, program.Subject{Path: g.dir})
			return nil
		}
	}
}

// use sends an order to one of the members, unless their list changes before there is one to send, and waits for the
// list to change.
func (g group) use(c zoo.Client, p recipe.Params, members []string, changed zoo.Watch) (told bool, err error) {
	if g.orders.Sent() < p.Rounds && len(members) > 0 {
		same, err := kit.Lasts(c, p.Hold, changed)
		if err == nil && same {
			_, err = g.orders.Send(c, members)
		}
		if err != nil || !same {
			return true, err
		}
	}
	return kit.WaitFor(c, changed)
}

const (
	member   = "member"
	observer = "observer"
)

// members returns how many clients are members: half of them.
func members(clients int) int { return clients / 2 }

func groupRole(index, clients int) string {
	if index <= members(clients) {
		return member
	}
	return observer
}

var groupMembershipRecipe = recipe.Recipe{
	Kind:     recipe.Right,
	Name:     "group-membership",
	File:     "group_membership.go",
	Promises: []string{promise.MembershipTrue, promise.Progress, promise.Current, promise.Clean},
	Sources: []string{"ZooKeeper documentation, Recipes and Solutions: Group Membership", "Apache Curator, GroupMember",
		"kazoo, Party"},
	MinClients: 2,
	Drawing:    event.Drawing{Stores: kit.Orders()},
	Keeps:      []string{"orders"},
	Role:       groupRole,
	Parents:    func(root string) []string { return []string{root, root + "/group", kit.OrderParent(root)} },
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		g := group{p.Root + "/group", kit.NewOrderBoxes(p, members(p.Clients))}
		if groupRole(p.Index, p.Clients) == member {
			return g.stay(c, p)
		}
		return g.observe(c, p, members(p.Clients))
	}),
}
