package pitfalls

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// getDel looks whose the key is, and then deletes it. Between the two its time may be up and the key the next one's:
// then a third gets in beside that one.
type getDel struct{ *kit.RedisKey }

func (l getDel) Lock(w systems.World) (*kit.Lease, error) {
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

func (l getDel) Unlock(_ systems.World, held *kit.Lease) (mine bool, err error) {
	return kit.Ensure(func() (bool, error) {
		there, _, err := l.Get(l.Name)
		if err != nil || there != held.Token {
			return false, err
		}
		return l.Del(l.Name)
	})
}

var getDelRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "redis-get-del",
	Cure:        "redis-set-nx-px",
	File:        Dir + "redis_get_del.go",
	Promises:    []string{promise.TruthExclusion},
	Sources:     []string{"A Japanese article on locks: GET, then DEL", "Redis documentation, SET: Patterns"},
	FoundWithin: 500,
	Seen: "clients=3&hold=4s&session-timeout=7s&latency=400ms&jitter=20ms&stagger=1s&" +
		"fault=pause+client-1+at+6200ms+for+4s",
	MinClients: 3,
	Systems:    oneRedis(),
	Drawing:    event.Drawing{Kind: event.DrawName, Gate: "lock", Stores: kit.Printer()},
	Main: func(w systems.World, p recipe.Params) error {
		return kit.UseLease(w, getDel{kit.NewRedisKey(w, p)}, p)
	},
}
