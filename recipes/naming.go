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

// naming hands out numbers that nobody ever gets again, and keeps a list of who is there under which.
type naming struct {
	ids      string // its counter is that of the names of its children, which go again at once
	services string // the parent of one ephemeral znode for each service that runs, with its address
	address  string // this one's
}

// newID takes the number of a sequential znode. The parent counts on when the znode is gone.
func (n naming) newID(c zoo.Client) (int64, error) {
	name, err := kit.Join(c, n.ids, "id-")
	if err != nil {
		return 0, err
	}
	return kit.Number(name), kit.Remove(c, n.ids+"/"+name)
}

// register lists the service. The id in its name is its own, so a name that is there was made by a call
// whose answer was lost.
func (n naming) register(c zoo.Client, id int64) (string, error) {
	path := n.services + "/service-" + strconv.FormatInt(id, 10)
	for {
		_, err := c.Create(path, []byte(n.address), zoo.Ephemeral)
		switch {
		case errors.Is(err, zoo.ErrNodeExists):
			return path, nil
		case !kit.Unknown(err):
			return path, err
		}
	}
}

// lookUp finds out who is there.
func (n naming) lookUp(c zoo.Client) (int, error) {
	for {
		names, _, err := c.Children(n.services)
		if !kit.Unknown(err) {
			return len(names), err
		}
	}
}

func (n naming) serve(c zoo.Client, p recipe.Params) error {
	id, err := n.newID(c)
	if err != nil {
		return err
	}
	c.Phase(program.Named, program.Subject{Path: n.ids, Fence: id})
	path, err := n.register(c, id)
	if err != nil {
		return err
	}
	others, err := n.lookUp(c)
	if err != nil {
		return err
	}
	c.Note("saw " + strconv.Itoa(others))
	if err := kit.Bill(c, id, p.Hold); err != nil {
		return err
	}
	return kit.Remove(c, path)
}

var namingRecipe = recipe.Recipe{
	Kind:     recipe.Right,
	Name:     "naming",
	File:     "naming.go",
	Promises: []string{promise.Unique, promise.Announced, promise.Progress, promise.Clean},
	Sources: []string{"ZooKeeper documentation, Recipes and Solutions: Name Service",
		"Apache Curator, Service Discovery"},
	MinClients: 1,
	Drawing:    event.Drawing{Stores: kit.Bills()},
	Parents:    func(root string) []string { return []string{root, root + "/ids", root + "/services"} },
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		n := naming{ids: p.Root + "/ids", services: p.Root + "/services", address: kit.Address(p)}
		for range p.Rounds {
			if err := n.serve(c, p); err != nil {
				return err
			}
		}
		return nil
	}),
}
