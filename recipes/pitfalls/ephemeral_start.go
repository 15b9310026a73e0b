package pitfalls

import (
	"errors"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// ephemeralStart is a barrier whose start goes with the member that made it. A member that was out of reach
// while the start was there is never told of it: a watch that comes back finds nothing, as before.
type ephemeralStart struct {
	start   string
	members string
	size    int
}

func (b ephemeralStart) enter(c zoo.Client) error {
	open, isOpen, err := b.watchStart(c)
	if err != nil || isOpen {
		return err
	}
	me, err := kit.Join(c, b.members, "member-")
	if err != nil {
		return err
	}
	if err := b.openIfLast(c); err != nil {
		return err
	}
	c.Phase(program.Waiting, program.Subject{Path: b.members + "/" + me})
	_, err = c.Await(0, open)
	return err
}

func (b ephemeralStart) watchStart(c zoo.Client) (open zoo.Watch, isOpen bool, err error) {
	for {
		isOpen, _, open, err = c.ExistsW(b.start)
		if !kit.Unknown(err) {
			return open, isOpen, err
		}
	}
}

// openIfLast creates the start as if it were a member: so that nobody need clean up.
func (b ephemeralStart) openIfLast(c zoo.Client) error {
	for {
		names, _, err := c.Children(b.members)
		if err == nil && len(names) >= b.size {
			_, err = c.Create(b.start, nil, zoo.Ephemeral)
		}
		switch {
		case errors.Is(err, zoo.ErrNodeExists):
			return nil
		case !kit.Unknown(err):
			return err
		}
	}
}

var ephemeralStartRecipe = recipe.Recipe{
	Kind:       recipe.Pitfall,
	Name:       "ephemeral-start",
	Cure:       "barrier",
	File:       Dir + "ephemeral_start.go",
	Promises:   []string{promise.Barrier},
	Sources:    []string{"ZooKeeper Programmer's Guide, Watches: a znode that comes and goes meanwhile is missed"},
	MinClients: 2,
	Parents:    func(root string) []string { return []string{root, root + "/members"} },
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		b := ephemeralStart{start: p.Root + "/start", members: p.Root + "/members", size: p.Clients}
		for range p.Rounds { // what each has to do before they meet
			if err := c.Work(p.Hold); err != nil {
				return err
			}
		}
		if err := b.enter(c); err != nil {
			return err
		}
		c.Phase(program.Passed, program.Subject{Path: b.start})
		return c.Work(p.Hold)
	}),
}
