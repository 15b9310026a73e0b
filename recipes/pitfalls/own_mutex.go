package pitfalls

import (
	"sync"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// ownMutex keeps the threads of one process apart. But each process has a mutex of its own in its memory, and finds
// it free: two that print at the same time have their jobs on one sheet.
type ownMutex struct{ mutex sync.Mutex }

func (m *ownMutex) Lock(c zoo.Client) (program.Subject, error) {
	m.mutex.Lock()
	c.Note("own mutex")
	return program.Subject{}, nil
}

func (m *ownMutex) Unlock(zoo.Client, program.Subject) error {
	m.mutex.Unlock()
	return nil
}

var ownMutexRecipe = recipe.Recipe{
	Kind:     recipe.Pitfall,
	Name:     "own-mutex",
	Cure:     "unique-lock",
	File:     Dir + "own_mutex.go",
	Promises: []string{promise.TruthExclusion},
	Sources: []string{"A Japanese article on locks: a mutex does in one process, but not between two",
		"A Korean article on locks: two servers count the same orders"},
	FoundWithin: 10,
	Seen:        "clients=3&hold=6s&latency=400ms&jitter=20ms&stagger=1s",
	MinClients:  2,
	Drawing:     event.Drawing{Kind: event.DrawName, Gate: "lock", Stores: kit.Printer()},
	Parents:     recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.UseLock(c, &ownMutex{}, p)
	}),
}
