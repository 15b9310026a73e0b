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

// unsafeRetry is a counter that repeats a write whose answer was lost. The first try may have gone through,
// and others may have counted on since: the second one sets the counter back, and numbers come twice.
type unsafeRetry struct{ path string }

func (s unsafeRetry) raise(c zoo.Client) (int64, error) {
	for {
		n, version, err := s.read(c)
		if err != nil {
			return 0, err
		}
		next := []byte(strconv.FormatInt(n+1, 10))
		_, err = c.Set(s.path, next, version)
		if kit.Unknown(err) {
			// Our own write may have moved the version on, so the version must not stand in the way.
			err = kit.Insist(func() error {
				_, err := c.Set(s.path, next, zoo.AnyVersion)
				return err
			})
		}
		if !errors.Is(err, zoo.ErrBadVersion) {
			return n + 1, err
		}
	}
}

func (s unsafeRetry) read(c zoo.Client) (int64, int32, error) {
	for {
		text, stat, err := c.Get(s.path)
		if kit.Unknown(err) {
			continue
		}
		if err != nil || len(text) == 0 {
			return 0, stat.Version, err
		}
		n, err := strconv.ParseInt(string(text), 10, 64)
		return n, stat.Version, err
	}
}

var unsafeRetryRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "unsafe-retry",
	Cure:        "shared-counter",
	File:        Dir + "unsafe_retry.go",
	Promises:    []string{promise.Unique},
	FoundWithin: 200,
	Sources: []string{"ZooKeeper documentation, Recipes and Solutions: Recoverable Errors",
		"ZooKeeper Programmer's Guide, Building Blocks: Handling Errors"},
	MinClients: 2,
	Drawing:    event.Drawing{Stores: kit.Invoices(), Shows: event.ShowReads},
	Parents:    func(root string) []string { return []string{root, root + "/counter"} },
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		s := unsafeRetry{p.Root + "/counter"}
		return kit.Repeat(c, p, func(p recipe.Params) error {
			n, err := s.raise(c)
			if err != nil {
				return err
			}
			c.Phase(program.Counted, program.Subject{Path: s.path, Fence: n})
			return kit.Invoice(c, n, p.Hold)
		})
	}),
}
