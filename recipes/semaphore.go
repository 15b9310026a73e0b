package recipes

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// leases is how many clients the semaphore lets in at a time.
const leases = 2

// semaphore hands out leases, one znode each. A lock at the door lets in one client at a time to take one,
// so that only that client waits for a lease to come back.
type semaphore struct {
	door predecessorLock
	dir  string // the parent of the leases
}

func (s semaphore) Lock(c zoo.Client) (program.Subject, error) {
	door, err := s.door.Lock(c)
	if err != nil {
		return program.Subject{}, err
	}
	me, err := kit.Join(c, s.dir, "lease-")
	if err != nil {
		return program.Subject{}, err
	}
	mine := program.Subject{Path: s.dir + "/" + me}
	for {
		names, _, returned, err := c.ChildrenW(s.dir)
		if kit.Unknown(err) {
			continue
		}
		if err != nil {
			return mine, err
		}
		if len(names) <= leases {
			return mine, s.door.Unlock(c, door)
		}
		if _, err := c.Await(0, returned); err != nil {
			return mine, err
		}
	}
}

func (s semaphore) Unlock(c zoo.Client, held program.Subject) error { return kit.Remove(c, held.Path) }

var semaphoreRecipe = recipe.Recipe{
	Kind:       recipe.Right,
	Name:       "semaphore",
	Use:        recipe.ForSemaphore,
	File:       "semaphore.go",
	Promises:   []string{promise.Capacity2, promise.Progress, promise.Clean},
	Sources:    []string{"Apache Curator, InterProcessSemaphoreV2", "kazoo, Semaphore"},
	MinClients: 3,
	Drawing:    event.Drawing{Stores: kit.PrinterWithTrays(leases)},
	Parents:    func(root string) []string { return []string{root, root + "/door", root + "/leases"} },
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		s := semaphore{door: predecessorLock{dir: p.Root + "/door"}, dir: p.Root + "/leases"}
		return kit.UseLock(c, s, p)
	}),
}
