package recipes

import (
	"github.com/zkviz/zkviz/engine/zoo"
	"github.com/zkviz/zkviz/recipes/kit"
)

// group is who is there: each member has an ephemeral znode, and whoever wants to know lists them.
type group struct{ dir string }

// stay joins the group for as many rounds as told.
func (g group) stay(c zoo.Client, p kit.Params) error {
	me, err := kit.Join(c, g.dir, "member-")
	if err != nil {
		return err
	}
	for range p.Rounds {
		if err := c.Work(p.Hold); err != nil {
			return err
		}
	}
	return kit.Remove(c, g.dir+"/"+me)
}

// observe follows the group until everyone has gone home, or nobody comes.
func (g group) observe(c zoo.Client) error {
	came := false
	for {
		names, _, changed, err := c.ChildrenW(g.dir)
		if kit.Unknown(err) {
			continue
		}
		if err != nil {
			return err
		}
		c.Phase(zoo.Saw, zoo.Subject{Path: g.dir, Fence: int64(len(names))})
		came = came || len(names) > 0
		if came && len(names) == 0 {
			return nil
		}
		told, err := kit.WaitFor(c, changed)
		if err != nil {
			return err
		}
		if !told && !came {
			c.Phase(zoo.GaveUp, zoo.Subject{Path: g.dir})
			return nil
		}
	}
}

const (
	member   = "member"
	observer = "observer"
)

func groupRole(index, clients int) string {
	if index <= clients/2 {
		return member
	}
	return observer
}

func groupMembershipRecipe() kit.Recipe {
	return kit.Recipe{
		Kind:       kit.Right,
		Name:       "group-membership",
		Summary:    "Who is there: each member has an ephemeral znode, which goes with it, and observers are told of every change.",
		File:       "group_membership.go",
		Promises:   []string{kit.Progress, kit.Current, kit.Clean},
		Cost:       "2 requests for each member; with K observers each change makes K wakeups and K lists of all members.",
		Sources:    []string{"ZooKeeper documentation, Recipes and Solutions: Group Membership", "Apache Curator, GroupMember", "kazoo, Party"},
		MinClients: 2,
		Role:       groupRole,
		Parents:    func(root string) []string { return []string{root, root + "/group"} },
		Main: func(c zoo.Client, p kit.Params) error {
			g := group{p.Root + "/group"}
			if groupRole(p.Index, p.Clients) == member {
				return g.stay(c, p)
			}
			return g.observe(c)
		},
	}
}
