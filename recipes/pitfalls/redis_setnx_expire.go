package pitfalls

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// setNXExpire sets the key, and then says when it ends. Between the two there is a key without an end: if its holder
// crashes there, everybody waits forever.
type setNXExpire struct{ *kit.RedisKey }

func (l setNXExpire) Lock(w systems.World) (*kit.Lease, error) {
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

func (l setNXExpire) take(w systems.World, token string) (*kit.Lease, error) {
	got, err := l.SetNX(l.Name, token)
	for kit.Unknown(err) {
		there := ""
		there, _, err = l.Get(l.Name)
		got = there == token
	}
	if err != nil || !got {
		return nil, err
	}
	asked := w.Now()
	err = kit.Insist(func() error {
		_, err := l.Expire(l.Name, l.RedisKey.Lease)
		return err
	})
	return kit.NewLease(program.Subject{Path: l.Name}, token, l.RedisKey.Lease, asked), err
}

func (l setNXExpire) Unlock(_ systems.World, held *kit.Lease) (mine bool, err error) {
	return kit.Ensure(func() (bool, error) { return l.CompareAndDelete(l.Name, held.Token) })
}

var setNXExpireRecipe = recipe.Recipe{
	Kind:     recipe.Pitfall,
	Name:     "redis-setnx-expire",
	Cure:     "redis-set-nx-px",
	File:     Dir + "redis_setnx_expire.go",
	Promises: []string{promise.Progress},
	Sources: []string{"redis-py #554, #818: locks before version 3.0",
		"A Japanese article on locks: SETNX, then EXPIRE"},
	FoundWithin: 200,
	Seen:        "clients=3&hold=6s&latency=400ms&jitter=20ms&stagger=1s&fault=crash+client-1+at+1400ms",
	MinClients:  2,
	Systems:     oneRedis(),
	Drawing:     event.Drawing{Kind: event.DrawName, Gate: "lock", Stores: kit.Printer()},
	Main: func(w systems.World, p recipe.Params) error {
		return kit.UseLease(w, setNXExpire{kit.NewRedisKey(w, p)}, p)
	},
}
