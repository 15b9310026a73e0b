package pitfalls

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

// firstFreeName lists a service under the first name that nobody has. The name of a service that died is free, so the
// next one gets it, and what was meant for the dead one reaches the new one.
type firstFreeName struct{ services, address string }

// register tries one name after the other. The znode goes with the service's session, and the name is free again.
func (n firstFreeName) register(c zoo.Client) (path string, id int64, err error) {
	for {
		path = n.services + "/service-" + strconv.FormatInt(id, 10)
		_, err = c.Create(path, []byte(n.address), zoo.Ephemeral)
		switch {
		case errors.Is(err, zoo.ErrNodeExists):
			id++
		case !kit.Unknown(err):
			return path, id, err
		}
	}
}

func (n firstFreeName) serve(c zoo.Client, p recipe.Params) error {
	path, id, err := n.register(c)
	if err != nil {
		return err
	}
	c.Phase(program.Named, program.Subject{Path: n.services, Fence: id})
	if err := kit.Bill(c, id, p.Hold); err != nil {
		return err
	}
	return kit.Remove(c, path)
}

var firstFreeNameRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "first-free-name",
	Cure:        "naming",
	File:        Dir + "first_free_name.go",
	Promises:    []string{promise.Unique},
	FoundWithin: 50,
	Sources:     []string{"ZooKeeper documentation, Recipes and Solutions: Name Service"},
	MinClients:  2,
	Drawing:     event.Drawing{Stores: kit.Bills()},
	Parents:     func(root string) []string { return []string{root, root + "/services"} },
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		n := firstFreeName{p.Root + "/services", kit.Address(p)}
		return kit.Repeat(c, p, func(p recipe.Params) error { return n.serve(c, p) })
	}),
}
