package recipes

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// signalList is a key with an end, and a list beside it: a holder that leaves puts an element there, which Redis gives
// to the client that has waited for it longest.
type signalList struct {
	*kit.RedisKey
	signal string // the list
}

func (l signalList) Lock(w systems.World) (*kit.Lease, error) {
	w.Phase(program.Waiting, program.Subject{})
	token := l.Token(w)
	for {
		held, err := l.Take(w, token)
		if err != nil || held != nil {
			return held, err
		}
		// Not forever: a holder that crashes leaves no element, nor does a client that crashes as it is woken.
		if _, _, err := l.BLPop(l.signal, l.Lease); err != nil && !kit.Unknown(err) {
			return nil, err
		}
	}
}

// Unlock deletes the key if it is still this holder's and wakes one who waits, in one step of Redis. An element that is
// left from before goes, so that there is one at most.
func (l signalList) Unlock(_ systems.World, held *kit.Lease) (mine bool, err error) {
	return kit.Ensure(func() (bool, error) { return l.ReleaseAndSignal(l.Name, l.signal, held.Token, l.Lease) })
}

var signalListRecipe = recipe.Recipe{
	Kind:       recipe.Right,
	Name:       "redis-signal-list",
	File:       "redis_signal_list.go",
	Promises:   []string{promise.TruthExclusion, promise.Progress},
	Limits:     []string{promise.BeliefExclusion},
	Sources:    []string{"python-redis-lock", "Redis documentation, BLPOP"},
	MinClients: 1,
	Contest:    recipe.Once(),
	Systems:    oneRedis(),
	Drawing:    event.Drawing{Kind: event.DrawName, Gate: "lock", Stores: kit.Printer()},
	Main: func(w systems.World, p recipe.Params) error {
		return kit.UseLease(w, signalList{kit.NewRedisKey(w, p), p.Root + "/signal"}, p)
	},
}
