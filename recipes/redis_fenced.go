package recipes

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// fencedKey is a key with an end, and a counter beside it without one: anyone who sets the key raises the counter, and
// has a greater number than all holders before. The store behind the lock refuses smaller ones.
type fencedKey struct {
	*kit.RedisKey
	counter string
}

func (l fencedKey) Lock(w systems.World) (*kit.Lease, error) {
	w.Phase(program.Waiting, program.Subject{})
	token := l.Token(w)
	for try := 1; ; try++ {
		held, err := l.take(w, token)
		if err != nil || held != nil {
			return held, err
		}
		if err := l.Polls.Wait(w, try); err != nil {
			return nil, err
		}
	}
}

// take sets the key and raises the counter in one step of Redis, if the key is not there.
func (l fencedKey) take(w systems.World, token string) (*kit.Lease, error) {
	asked := w.Now()
	number, err := l.AcquireWithFence(l.Name, l.counter, token, l.RedisKey.Lease)
	if kit.Unknown(err) {
		// Perhaps the key is set, and nobody knows with which number: it is given back.
		_, err := l.Unlock(w, &kit.Lease{Token: token})
		return nil, err
	}
	if err != nil || number == 0 {
		return nil, err
	}
	mine := program.Subject{Path: l.Name, Fence: number}
	return kit.NewLease(mine, token, l.RedisKey.Lease, asked), nil
}

// Unlock deletes the key if it is still this holder's. The counter stays.
func (l fencedKey) Unlock(_ systems.World, held *kit.Lease) (mine bool, err error) {
	return kit.Ensure(func() (bool, error) { return l.CompareAndDelete(l.Name, held.Token) })
}

var fencedKeyRecipe = recipe.Recipe{
	Kind:       recipe.Right,
	Name:       "redis-fenced",
	File:       "redis_fenced.go",
	Promises:   []string{promise.TruthExclusion, promise.Fenced, promise.Progress},
	Limits:     []string{promise.BeliefExclusion},
	Sources:    []string{"M. Kleppmann, How to do distributed locking", "bsm/redislock: fencing tokens"},
	MinClients: 1,
	Systems:    oneRedis(),
	Keeps:      []string{"fence"},
	Drawing:    event.Drawing{Kind: event.DrawName, Gate: "lock", Stores: kit.Ledger()},
	Main: func(w systems.World, p recipe.Params) error {
		l := fencedKey{kit.NewRedisKey(w, p), p.Root + "/fence"}
		return kit.Repeat(w, p, func(p recipe.Params) error {
			return kit.UseLeaseOnce(w, l, func(held *kit.Lease) error { return kit.Record(w, held.Fence, p.Hold) })
		})
	},
}
