package recipes

import (
	"errors"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// barrier holds its members back until there are as many as it waits for.
type barrier struct {
	start   string // the znode that opens it
	members string // the parent of one znode for each member that has come
	size    int
}

func (b barrier) enter(c zoo.Client) error {
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

// watchStart comes first, so that the start cannot be missed.
func (b barrier) watchStart(c zoo.Client) (open zoo.Watch, isOpen bool, err error) {
	for {
		isOpen, _, open, err = c.ExistsW(b.start)
		if !kit.Unknown(err) {
			return open, isOpen, err
		}
	}
}

// openIfLast creates the start once everyone is there. Two members may both see that: one creates it, the
// other finds it done. It is persistent, or it would go when its creator leaves.
func (b barrier) openIfLast(c zoo.Client) error {
	for {
		names, _, err := c.Children(b.members)
		if err == nil && len(names) >= b.size {
			_, err = c.Create(b.start, nil, zoo.Persistent)
		}
		switch {
		case errors.Is(err, zoo.ErrNodeExists):
			return nil
		case !kit.Unknown(err):
			return err
		}
	}
}

// The prices before and after.
const (
	oldPrice = 10
	newPrice = 20
)

// useBarrier is a till that changes its price when all are ready for the new one.
func useBarrier(c zoo.Client, p recipe.Params) error {
	if err := kit.Charge(c, oldPrice); err != nil {
		return err
	}
	b := barrier{start: p.Root + "/start", members: p.Root + "/members", size: p.Clients}
	if err := b.enter(c); err != nil {
		return err
	}
	c.Phase(program.Passed, program.Subject{Path: b.start})
	return kit.ChargeFor(c, newPrice, p.Hold)
}

var barrierRecipe = recipe.Recipe{
	Kind:     recipe.Right,
	Name:     "barrier",
	File:     "barrier.go",
	Promises: []string{promise.Barrier},
	Limits:   []string{promise.Progress},
	Harms:    []string{"crash"},
	Sources: []string{"ZooKeeper documentation, Recipes and Solutions: Barriers",
		"A Chinese article on what ZooKeeper is: the synchronous queue"},
	Keeps:      []string{"start"},
	MinClients: 1,
	Drawing: event.Drawing{Kind: event.DrawBarrier, Queue: "members", Gate: "start", Shows: event.ShowReads,
		Stores: kit.Prices()},
	Parents: func(root string) []string { return []string{root, root + "/members"} },
	Main:    recipe.OnZooKeeper(useBarrier),
}
