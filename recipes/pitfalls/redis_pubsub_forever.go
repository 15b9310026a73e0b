package pitfalls

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/stores/redis"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// pubSubForever waits to be told that the holder has left. A holder that crashes tells nobody: its key ends, and
// everybody goes on waiting.
type pubSubForever struct {
	*kit.RedisKey
	channel string
}

func (l pubSubForever) Lock(w systems.World) (*kit.Lease, error) {
	w.Phase(program.Waiting, program.Subject{})
	token := l.Token(w)
	held, err := l.Take(w, token)
	if err != nil || held != nil {
		return held, err
	}
	messages := redis.New(w.Connect(1)) // where somebody has subscribed, nothing else can be asked
	defer messages.Close()
	for {
		held, err := l.listen(w, messages, token)
		if !kit.Unknown(err) {
			return held, err
		}
	}
}

// listen tries once more, now that no message can be missed, and whenever one comes.
func (l pubSubForever) listen(w systems.World, messages *redis.Client, token string) (*kit.Lease, error) {
	if err := messages.Subscribe(l.channel); err != nil {
		return nil, err
	}
	for {
		held, err := l.Take(w, token)
		if err != nil || held != nil {
			return held, err
		}
		if _, err := messages.Next(0); err != nil {
			return nil, err
		}
	}
}

// Unlock deletes the key if it is still this holder's, and tells all who wait, in one step of Redis.
func (l pubSubForever) Unlock(_ systems.World, held *kit.Lease) (mine bool, err error) {
	return kit.Ensure(func() (bool, error) { return l.ReleaseAndPublish(l.Name, held.Token, l.channel) })
}

var pubSubForeverRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "redis-pubsub-forever",
	Cure:        "redis-signal-list",
	File:        Dir + "redis_pubsub_forever.go",
	Promises:    []string{promise.Progress},
	Sources:     []string{"Redisson #3891, #5761", "Redis documentation, Pub/sub: Delivery semantics"},
	FoundWithin: 50,
	Seen:        "clients=3&hold=6s&session-timeout=6s&latency=400ms&jitter=20ms&stagger=1s&fault=crash+client-1+at+4s",
	MinClients:  2,
	Contest:     recipe.Once(),
	Systems:     oneRedis(),
	Drawing:     event.Drawing{Kind: event.DrawName, Gate: "lock", Stores: kit.Printer()},
	Main: func(w systems.World, p recipe.Params) error {
		return kit.UseLease(w, pubSubForever{kit.NewRedisKey(w, p), p.Root + "/released"}, p)
	},
}
