package recipes

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

func wrongLeases() []Mutant {
	return []Mutant{
		{"deletes the key, of whatever client", leaseMutant(setNXPXRecipe, func(w systems.World, p recipe.Params) kit.Leased {
			return deletesAny{newSetNXPX(w, p)}
		}), promise.TruthExclusion},
		{"takes its lease for longer than it is",
			leaseMutant(setNXPXRecipe, func(w systems.World, p recipe.Params) kit.Leased {
				return overstays{newSetNXPX(w, p)}
			}), promise.BeliefExclusion},
		{"counts its lease from the reply", leaseMutant(setNXPXRecipe, func(w systems.World, p recipe.Params) kit.Leased {
			return countsLate{newSetNXPX(w, p)}
		}), promise.BeliefExclusion},
		{"takes two nodes of five for enough", leaseMutant(redlockRecipe, func(_ systems.World, p recipe.Params) kit.Leased {
			return &redlock{key: p.Root + "/lock", lease: p.Lease, enough: 2, polls: p.Polling()}
		}), promise.BeliefExclusion},
		{"gives everybody the same number", fencedMutant(), promise.Fenced},
	}
}

func newSetNXPX(w systems.World, p recipe.Params) setNXPX {
	return setNXPX{kit.NewRedisKey(w, p)}
}

// leaseMutant is a recipe with another lock.
func leaseMutant(r recipe.Recipe, lock func(systems.World, recipe.Params) kit.Leased) recipe.Recipe {
	r.Main = func(w systems.World, p recipe.Params) error { return kit.UseLease(w, lock(w, p), p) }
	return r
}

type deletesAny struct{ setNXPX }

func (l deletesAny) Unlock(systems.World, *kit.Lease) (bool, error) {
	return kit.Ensure(func() (bool, error) { return l.Del(l.Name) })
}

type overstays struct{ setNXPX }

func (l overstays) Lock(w systems.World) (*kit.Lease, error) {
	held, err := l.setNXPX.Lock(w)
	if held != nil {
		held.Renew(w.Now() + time.Second)
	}
	return held, err
}

type countsLate struct{ setNXPX }

func (l countsLate) Lock(w systems.World) (*kit.Lease, error) {
	held, err := l.setNXPX.Lock(w)
	if held != nil {
		held.Renew(w.Now())
	}
	return held, err
}

// fencedMutant is redis-fenced whose counter does not count.
func fencedMutant() recipe.Recipe {
	r := fencedKeyRecipe
	r.Main = func(w systems.World, p recipe.Params) error {
		l := newSetNXPX(w, p)
		return kit.Repeat(w, p, func(p recipe.Params) error {
			return kit.UseLeaseOnce(w, l, func(*kit.Lease) error { return kit.Record(w, 1, p.Hold) })
		})
	}
	return r
}
