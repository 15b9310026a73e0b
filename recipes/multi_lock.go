package recipes

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// multiLock is several locks that are held together or not at all.
type multiLock struct{ dirs []string }

// Lock takes the locks in an order that is the same for everybody, so that no two clients can each hold what
// the other waits for. If it does not get one in time, it gives back those that it has.
func (m multiLock) Lock(c zoo.Client, patience time.Duration) (held []program.Subject, got bool, err error) {
	for _, dir := range slices.Sorted(slices.Values(m.dirs)) {
		one, got, err := timedLock{dir}.Lock(c, patience)
		if err != nil {
			return held, false, err
		}
		if !got {
			c.Phase(program.GaveUp, one)
			return nil, false, m.Unlock(c, held)
		}
		held = append(held, one)
	}
	return held, true, nil
}

// Unlock gives back all of them, the last one first.
func (m multiLock) Unlock(c zoo.Client, held []program.Subject) error {
	for _, one := range slices.Backward(held) {
		if err := kit.Remove(c, one.Path); err != nil {
			return err
		}
	}
	return nil
}

// accounts returns what a client needs, in the order in which it comes to them: the first of three moves something
// from a to b, the second from b to a, the third has to do with b alone. If the first two took them as they
// come, each would hold what the other waits for.
func accounts(p recipe.Params) []string {
	a, b := p.Root+"/a", p.Root+"/b"
	switch p.Index % 3 {
	case 1:
		return []string{a, b}
	case 2:
		return []string{b, a}
	}
	return []string{b}
}

// entries returns what a client does to its accounts: it takes from the first and gives to the other, or pays into one.
func entries(p recipe.Params) []string {
	switch p.Index % 3 {
	case 1:
		return []string{"10 from a", "10 to b"}
	case 2:
		return []string{"10 from b", "10 to a"}
	}
	return []string{"10 to b"}
}

func useMultiLock(c zoo.Client, p recipe.Params) error {
	m := multiLock{accounts(p)}
	held, got, err := m.Lock(c, patience(p))
	if err == nil && !got {
		if err := c.Sleep(errand); err != nil {
			return err
		}
		held, _, err = m.Lock(c, 0)
	}
	if err != nil {
		return err
	}
	last := held[len(held)-1]
	c.Phase(program.Holding, last)
	if err := kit.Transfer(c, p.Hold, entries(p)...); err != nil {
		return err
	}
	c.Phase(program.Released, last)
	return m.Unlock(c, held)
}

var multiLockRecipe = recipe.Recipe{
	Kind:     recipe.Right,
	Name:     "multi-lock",
	File:     "multi_lock.go",
	Promises: []string{promise.TruthExclusion, promise.Progress, promise.Clean},
	Limits:   []string{promise.BeliefExclusion},
	Sources:  []string{"Apache Curator, InterProcessMultiLock"},

	MinClients: 1,
	Drawing:    event.Drawing{Stores: kit.Accounts()},
	Parents:    func(root string) []string { return []string{root, root + "/a", root + "/b"} },
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.Repeat(c, p, func(p recipe.Params) error { return useMultiLock(c, p) })
	}),
}
