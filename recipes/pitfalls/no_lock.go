package pitfalls

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// noLock lets everybody in. That goes well as long as nobody comes while another prints; then two jobs are on one
// sheet.
type noLock struct{}

func (noLock) Lock(zoo.Client) (program.Subject, error) { return program.Subject{}, nil }
func (noLock) Unlock(zoo.Client, program.Subject) error { return nil }

var noLockRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "no-lock",
	Cure:        "unique-lock",
	File:        Dir + "no_lock.go",
	Promises:    []string{promise.TruthExclusion},
	Sources:     []string{"A Spanish article on ZooKeeper's locks: what happens without one"},
	FoundWithin: 10,
	Seen:        "clients=3&hold=6s&latency=400ms&jitter=20ms&stagger=1s",
	MinClients:  2,
	Drawing:     event.Drawing{Kind: event.DrawName, Gate: "lock", Stores: kit.Printer()},
	Parents:     recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.UseLock(c, noLock{}, p)
	}),
}
