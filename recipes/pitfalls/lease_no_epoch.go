package pitfalls

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// leaseNoEpoch looks at its clock once, before its work, finds that the lease stands, and writes without saying which
// owner it is. If it is stopped in between, the lease ends and another owns the name, but the log takes the entries of
// both.
type leaseNoEpoch struct{ *kit.EtcdName }

func (l leaseNoEpoch) Lock(w systems.World) (*kit.Lease, error) {
	w.Phase(program.Waiting, program.Subject{})
	for {
		held, seen, err := l.Try(w)
		if held != nil {
			return held, nil
		}
		if err == nil {
			err = l.AwaitEnd(seen)
		}
		if err != nil && !kit.Unknown(err) {
			return nil, err
		}
	}
}

func useNoEpoch(w systems.World, l leaseNoEpoch, p recipe.Params) error {
	held, err := l.Lock(w)
	if err != nil {
		return err
	}
	if held.Over(w) {
		return kit.ErrOver
	}
	w.Phase(program.Holding, held.Subject)
	defer w.Beside(func(w systems.World) error { return l.Renew(w, held) })()
	const noFence = 0
	if err := w.Write(ledger, w.Name()+" begins", noFence); err != nil {
		return err
	}
	if err := w.Work(p.Hold); err != nil {
		return err
	}
	if err := w.Write(ledger, w.Name()+" ends", noFence); err != nil {
		return err
	}
	w.Phase(program.Released, held.Subject)
	_, err = l.Release()
	return err
}

var leaseNoEpochRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "lease-no-epoch",
	Cure:        "server-lease",
	File:        Dir + "lease_no_epoch.go",
	Promises:    []string{promise.Fenced},
	Sources:     []string{"M. Kleppmann, How to do distributed locking", "zkviz, engine/run/shared: doc.go"},
	FoundWithin: 500,
	Seen:        "clients=2&hold=2s&session-timeout=3s&fault=pause+client-1+at+1s+for+6s",
	MinClients:  2,
	Systems:     oneEtcd(),
	Drawing:     event.Drawing{Kind: event.DrawName, Gate: "lock", Stores: kit.Ledger()},
	Main: func(w systems.World, p recipe.Params) error {
		l := leaseNoEpoch{kit.NewEtcdName(w, p)}
		return kit.Repeat(w, p, func(p recipe.Params) error { return useNoEpoch(w, l, p) })
	},
}
