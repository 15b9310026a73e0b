package pitfalls

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// setNX is a key without an end: never are two inside, but when the holder crashes, nobody ever is again. It is enough
// that a reply is lost: then the holder waits for itself.
type setNX struct{ *kit.RedisKey }

func (l setNX) Lock(w systems.World) (program.Subject, error) {
	w.Phase(program.Waiting, program.Subject{})
	token := l.Token(w)
	for try := 1; ; try++ {
		got, err := l.SetNX(l.Name, token)
		if err == nil && got {
			return program.Subject{Path: l.Name}, nil
		}
		if err != nil && !kit.Unknown(err) {
			return program.Subject{}, err
		}
		if err := l.Polls.Wait(w, try); err != nil {
			return program.Subject{}, err
		}
	}
}

func (l setNX) Unlock(systems.World, program.Subject) error {
	return kit.Insist(func() error {
		_, err := l.Del(l.Name)
		return err
	})
}

// oneRedis is a Redis that nobody replicates.
func oneRedis() []event.System { return []event.System{{Kind: event.RedisSystem, Servers: 1}} }

var setNXRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "redis-setnx",
	Cure:        "redis-set-nx-px",
	File:        Dir + "redis_setnx.go",
	Promises:    []string{promise.Progress},
	Sources:     []string{"Redis documentation, SETNX: Design pattern: Locking with SETNX"},
	FoundWithin: 50,
	Seen:        "clients=3&hold=6s&latency=400ms&jitter=20ms&stagger=1s&fault=crash+client-1+at+4s",
	MinClients:  1,
	Systems:     oneRedis(),
	Drawing:     event.Drawing{Kind: event.DrawName, Gate: "lock", Stores: kit.Printer()},
	Main: func(w systems.World, p recipe.Params) error {
		return kit.UseLock(w, setNX{kit.NewRedisKey(w, p)}, p)
	},
}
