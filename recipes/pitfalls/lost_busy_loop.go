package pitfalls

import (
	"fmt"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// busyLoop is a configuration whose readers remember that they were woken and never forget it: after the first
// change they ask again and again, without waiting for the next.
type busyLoop struct{ path string }

// mostReads ends a reader that would go on for ever.
const mostReads = 1000

func (f busyLoop) follow(c zoo.Client, last string) error {
	woken, seen := false, int32(-1)
	for range mostReads {
		text, stat, changed, err := c.GetW(f.path)
		if kit.Unknown(err) {
			continue
		}
		if err != nil {
			return err
		}
		if stat.Version > seen {
			seen = stat.Version
			c.Phase(program.Saw, program.Subject{Path: f.path, Fence: int64(seen)})
			if err := kit.Sell(c, string(text)); err != nil {
				return err
			}
		}
		if string(text) == last {
			return nil
		}
		if woken {
			continue // this is where it should have been set back
		}
		if woken, err = kit.WaitFor(c, changed); err != nil {
			return err
		}
		if !woken {
			break
		}
	}
	c.Phase(program.GaveUp, program.Subject{Path: f.path})
	return nil
}

func (f busyLoop) change(c zoo.Client, text string) error {
	return kit.Insist(func() error {
		stat, err := c.Set(f.path, []byte(text), zoo.AnyVersion)
		if err == nil {
			c.Phase(program.Published, program.Subject{Path: f.path, Fence: int64(stat.Version)})
		}
		return err
	})
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

var lostBusyLoopRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "lost-busy-loop",
	Cure:        "configuration",
	File:        Dir + "lost_busy_loop.go",
	Promises:    []string{promise.Progress},
	FoundWithin: 50,
	Sources:     []string{"kazoo issue 26"},
	MinClients:  2,
	Drawing:     event.Drawing{Stores: kit.Shelf(), Shows: event.ShowReads},
	Role:        configRole,
	Parents:     func(root string) []string { return []string{root, root + "/config"} },
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		f := busyLoop{p.Root + "/config"}
		setting := func(n int) string { return fmt.Sprintf("price %d", 10*n) }
		if configRole(p.Index, p.Clients) == reader {
			return f.follow(c, setting(p.Rounds))
		}
		n := 0
		return kit.Repeat(c, p, func(p recipe.Params) error {
			if err := c.Work(p.Hold); err != nil {
				return err
			}
			n++
			return f.change(c, setting(n))
		})
	}),
}
