package pitfalls

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// failover is a lock with a fencing number at a primary that answers before its replica has heard of it. When the
// replica takes over, the key is gone and the counter is back: two hold, and both have the same number.
type failover struct {
	*kit.RedisKey
	counter string
}

func (l failover) Lock(w systems.World) (*kit.Lease, error) {
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

func (l failover) take(w systems.World, token string) (*kit.Lease, error) {
	asked := w.Now()
	number, err := l.AcquireWithFence(l.Name, l.counter, token, l.RedisKey.Lease)
	if kit.Unknown(err) {
		_, err := l.Unlock(w, &kit.Lease{Token: token})
		return nil, err
	}
	if err != nil || number == 0 {
		return nil, err
	}
	mine := program.Subject{Path: l.Name, Fence: number}
	return kit.NewLease(mine, token, l.RedisKey.Lease, asked), nil
}

func (l failover) Unlock(_ systems.World, held *kit.Lease) (mine bool, err error) {
	return kit.Ensure(func() (bool, error) { return l.CompareAndDelete(l.Name, held.Token) })
}

var failoverRecipe = recipe.Recipe{
	Kind:       recipe.Pitfall,
	Name:       "redis-failover",
	Cure:       "etcd-mutex",
	OtherCures: []string{"fenced-lock"},
	File:       Dir + "redis_failover.go",
	Promises:   []string{promise.Fenced},
	Sources: []string{"Redis documentation, Distributed locks: Why failover-based implementations are not enough",
		"K. Kingsbury, Jepsen: Redis"},
	FoundWithin: 500,
	Seen: "clients=2&hold=6s&latency=400ms&jitter=20ms&stagger=1s&" +
		"fault=lag+node-1+at+0s+for+20s&fault=failover+node-1+at+3s",
	MinClients: 2,
	Systems:    []event.System{{Kind: event.RedisSystem, Servers: 2}},
	Keeps:      []string{"fence"},
	Drawing:    event.Drawing{Kind: event.DrawName, Gate: "lock", Stores: kit.Ledger()},
	Main: func(w systems.World, p recipe.Params) error {
		l := failover{kit.NewRedisKey(w, p), p.Root + "/fence"}
		return kit.Repeat(w, p, func(p recipe.Params) error {
			return kit.UseLeaseOnce(w, l, func(held *kit.Lease) error { return kit.Record(w, held.Fence, p.Hold) })
		})
	},
}
