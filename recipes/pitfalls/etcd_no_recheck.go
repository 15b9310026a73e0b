package pitfalls

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// noRecheck takes it for its turn once nobody is ahead. But its own lease may have ended while it waited, and its key
// with that: then those behind it have got in meanwhile.
type noRecheck struct{ kit.EtcdQueue }

func (l noRecheck) Lock(w systems.World) (program.Subject, error) {
	mine, first, err := l.Join(w)
	if err != nil || first {
		return mine, err
	}
	return mine, l.AwaitFirst(mine)
}

func (l noRecheck) Unlock(_ systems.World, held program.Subject) error {
	_, err := kit.Ensure(func() (bool, error) { return l.Delete(held.Path) })
	return err
}

// useNoRecheck puts its name down first of all: then one sees who got in after whom.
func useNoRecheck(w systems.World, l noRecheck, p recipe.Params) error {
	held, err := l.Lock(w)
	if err != nil {
		return err
	}
	w.Phase(program.Holding, held)
	const noFence = 0
	if err := w.Write(ledger, w.Name()+" begins", noFence); err != nil {
		return err
	}
	if err := w.Work(p.Hold); err != nil {
		return err
	}
	w.Phase(program.Released, held)
	return l.Unlock(w, held)
}

func oneEtcd() []event.System { return []event.System{{Kind: event.EtcdSystem, Servers: 1}} }

var noRecheckRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "etcd-no-recheck",
	Cure:        "etcd-mutex",
	File:        Dir + "etcd_no_recheck.go",
	Promises:    []string{promise.Fenced},
	Sources:     []string{"K. Kingsbury, Jepsen: etcd 3.4.3", "etcd #11456"},
	FoundWithin: 500,
	Seen:        "clients=3&hold=6s&session-timeout=4s&fault=pause+client-2+at+1s+for+7s",
	MinClients:  3,
	Systems:     oneEtcd(),
	Drawing:     event.Drawing{Kind: event.DrawQueue, Queue: "lock", Stores: kit.Ledger()},
	Main: func(w systems.World, p recipe.Params) error {
		return kit.UseEtcd(w, p.Lease, func(s *kit.EtcdSession) error {
			l := noRecheck{kit.NewEtcdQueue(s, p)}
			return kit.Repeat(w, p, func(p recipe.Params) error { return useNoRecheck(w, l, p) })
		})
	},
}
