package recipes

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/stores/redis"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// watchdog is setNXPX for work that may take longer than the lease: beside the work, the lease is renewed.
type watchdog struct{ setNXPX }

// renew does so over a connection of its own. Redis looks whose key it is and prolongs it in one step: by then it may
// be the next client's.
func (l watchdog) renew(w systems.World, held *kit.Lease) error {
	r := redis.New(w.Connect(1))
	return held.KeepAlive(w, func() (mine bool, err error) { return r.CompareAndExpire(l.Name, held.Token, l.Lease) })
}

var watchdogRecipe = recipe.Recipe{
	Kind:       recipe.Right,
	Name:       "redis-watchdog",
	File:       "redis_watchdog.go",
	Promises:   []string{promise.TruthExclusion, promise.Progress},
	Limits:     []string{promise.BeliefExclusion},
	Sources:    []string{"Redisson, RedissonBaseLock.renewExpiration", "Redisson #4698, #7272"},
	MinClients: 1,
	Systems:    oneRedis(),
	Drawing:    event.Drawing{Kind: event.DrawName, Gate: "lock", Stores: kit.Printer()},
	Main: func(w systems.World, p recipe.Params) error {
		l := watchdog{setNXPX{kit.NewRedisKey(w, p)}}
		return kit.UseLease(w, l, p, l.renew)
	},
}
