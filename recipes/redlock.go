package recipes

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/stores/redis"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// redlockNodes know nothing of each other.
const redlockNodes = 5

// redlock is the same key at several nodes: anyone who has it at most of them is inside.
type redlock struct {
	key    string
	lease  time.Duration
	enough int // nodes
	tries  int
	polls  recipe.Poll
}

func (l *redlock) Lock(w systems.World) (*kit.Lease, error) {
	w.Phase(program.Waiting, program.Subject{})
	for {
		l.tries++
		token := fmt.Sprintf("%s#%d", w.Name(), l.tries)
		held := kit.NewLease(program.Subject{Path: l.key}, token, l.lease, w.Now())
		set, _, err := l.askAll(w, func(r *redis.Client) (bool, error) { return r.SetNXPX(l.key, token, l.lease) })
		if err != nil || set >= l.enough && !held.Over(w) {
			return held, err
		}
		// Those that have said nothing may have set it.
		if _, err := l.Unlock(w, held); err != nil {
			return nil, err
		}
		if err := l.polls.Wait(w, l.tries); err != nil {
			return nil, err
		}
	}
}

// Unlock deletes the key wherever it is still this holder's.
func (l *redlock) Unlock(w systems.World, held *kit.Lease) (mine bool, err error) {
	_, gone, err := l.askAll(w, func(r *redis.Client) (bool, error) { return r.CompareAndDelete(l.key, held.Token) })
	return redlockNodes-gone >= l.enough, err
}

var errAllReplied = errors.New("all have replied")

// askAll asks all nodes at once, and counts what they say within a part of the lease.
func (l *redlock) askAll(w systems.World, ask func(*redis.Client) (bool, error)) (yes, no int, err error) {
	var said [2]atomic.Int32
	var left atomic.Int32
	left.Store(redlockNodes)
	for node := 1; node <= redlockNodes; node++ {
		defer w.Beside(func(w systems.World) error {
			did, err := ask(redis.New(w.Connect(node)))
			switch {
			case err != nil:
			case did:
				said[1].Add(1)
			default:
				said[0].Add(1)
			}
			if left.Add(-1) == 0 {
				return errAllReplied
			}
			return nil
		})()
	}
	err = w.Sleep(l.lease / 4)
	if errors.Is(err, errAllReplied) {
		err = nil
	}
	return int(said[1].Load()), int(said[0].Load()), err
}

var redlockRecipe = recipe.Recipe{
	Kind:     recipe.Right,
	Name:     "redlock",
	File:     "redlock.go",
	Promises: []string{promise.TruthExclusion, promise.Progress},
	Limits:   []string{promise.BeliefExclusion},
	Sources: []string{"Redis documentation, Distributed locks: The Redlock algorithm",
		"M. Kleppmann, How to do distributed locking", "S. Sanfilippo, Is Redlock safe?"},
	MinClients: 1,
	Systems:    []event.System{{Kind: event.RedisSystem, Servers: redlockNodes, Apart: true}},
	Drawing:    event.Drawing{Kind: event.DrawName, Gate: "lock", Stores: kit.Printer()},
	Main: func(w systems.World, p recipe.Params) error {
		l := redlock{key: p.Root + "/lock", lease: p.Lease, enough: redlockNodes/2 + 1, polls: p.Polling()}
		return kit.UseLease(w, &l, p)
	},
}
