package recipes

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// setNXPX is a key that comes into the world with its end: anyone who sets it is inside until then, and everybody else
// tries again from time to time.
type setNXPX struct{ *kit.RedisKey }

func (l setNXPX) Lock(w systems.World) (*kit.Lease, error) {
	w.Phase(program.Waiting, program.Subject{})
	token := l.Token(w)
	for try := 1; ; try++ {
		held, err := l.Take(w, token)
		if err != nil || held != nil {
			return held, err
		}
		if err := l.Polls.Wait(w, try); err != nil {
			return nil, err
		}
	}
}

// Unlock deletes the key if it is still this holder's: one step of Redis, so that nobody else can get in between.
func (l setNXPX) Unlock(_ systems.World, held *kit.Lease) (mine bool, err error) {
	return kit.Ensure(func() (bool, error) { return l.CompareAndDelete(l.Name, held.Token) })
}

// oneRedis is a Redis that nobody replicates.
func oneRedis() []event.System { return []event.System{{Kind: event.RedisSystem, Servers: 1}} }

var setNXPXRecipe = recipe.Recipe{
	Kind:     recipe.Right,
	Name:     "redis-set-nx-px",
	File:     "redis_set_nx_px.go",
	Promises: []string{promise.TruthExclusion, promise.Progress},
	Limits:   []string{promise.BeliefExclusion},
	Sources: []string{"Redis documentation, SET: Patterns", "A Japanese article on locks: SET NX PX, and a Lua script",
		"Redis 8.4, DELEX; Valkey 9.0, DELIFEQ"},
	MinClients: 1,
	Contest:    []recipe.Poll{recipe.Steady(), recipe.Leisurely()},
	Systems:    oneRedis(),
	Drawing:    event.Drawing{Kind: event.DrawName, Gate: "lock", Stores: kit.Printer()},
	Main: func(w systems.World, p recipe.Params) error {
		return kit.UseLease(w, setNXPX{kit.NewRedisKey(w, p)}, p)
	},
}
