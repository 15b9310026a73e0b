package recipes

import (
	"errors"
	"fmt"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// configuration is one znode that one client changes and all others follow.
type configuration struct{ path string }

// change sets the text. Who finds it there already has only missed the answer.
func (f configuration) change(c zoo.Client, text string) error {
	for {
		now, stat, err := c.Get(f.path)
		if err == nil && string(now) != text {
			stat, err = c.Set(f.path, []byte(text), stat.Version)
		}
		switch {
		case err == nil:
			c.Phase(program.Published, f.version(stat))
			return nil
		case !kit.Unknown(err) && !errors.Is(err, zoo.ErrBadVersion):
			return err
		}
	}
}

// follow applies every version that it sees, until the last. It may miss some: a watch says that there is
// something new, and reading gives the newest.
func (f configuration) follow(c zoo.Client, last string) error {
	for {
		text, stat, changed, err := c.GetW(f.path)
		if kit.Unknown(err) {
			continue
		}
		if err != nil {
			return err
		}
		c.Phase(program.Saw, f.version(stat))
		if err := kit.Sell(c, string(text)); err != nil {
			return err
		}
		if string(text) == last {
			return nil
		}
		told, err := kit.WaitFor(c, changed)
		if err != nil {
			return err
		}
		if !told {
			c.Phase(program.GaveUp, program.Subject{Path: f.path})
			return nil
		}
	}
}

func (f configuration) version(stat zoo.Stat) program.Subject {
	return program.Subject{Path: f.path, Fence: int64(stat.Version)}
}

const (
	admin  = "administrator"
	reader = "reader"
)

func configRole(index, _ int) string {
	if index == 1 {
		return admin
	}
	return reader
}

func useConfiguration(c zoo.Client, p recipe.Params) error {
	f := configuration{p.Root + "/config"}
	setting := func(n int) string { return fmt.Sprintf("price %d", 10*n) }
	if configRole(p.Index, p.Clients) == reader {
		return f.follow(c, setting(p.Rounds))
	}
	for n := range p.Rounds {
		if err := c.Work(p.Hold); err != nil {
			return err
		}
		if err := f.change(c, setting(n+1)); err != nil {
			return err
		}
	}
	return nil
}

var configurationRecipe = recipe.Recipe{
	Kind:       recipe.Right,
	Name:       "configuration",
	File:       "configuration.go",
	Promises:   []string{promise.Progress, promise.Current, promise.Clean},
	Sources:    []string{"ZooKeeper documentation, Recipes and Solutions: Configuration", "Apache Curator, SharedValue"},
	MinClients: 2,
	Drawing:    event.Drawing{Stores: kit.Shelf(), Shows: event.ShowReads},
	Role:       configRole,
	Parents:    func(root string) []string { return []string{root, root + "/config"} },
	Main:       recipe.OnZooKeeper(useConfiguration),
}
