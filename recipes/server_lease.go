package recipes

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// serverLease is how several servers of zkviz agree on which of them owns a class (engine/run/shared): a key with an
// end, which its owner renews. The revision at which it was created is the owner's epoch, and the log refuses what an
// earlier epoch writes.
//
// The servers do this on the key-value store of NATS, and the recipe on etcd. On NATS, each write of a value restarts
// its time, so a server renews its key by writing it again if nobody else has; on etcd, a lease does that for the key.
// On NATS, a server that waits also looks every few seconds, in case that a message was lost; etcd's watch misses
// nothing. A new owner writes a mark into the log before all else. Here, its first entry is that mark.
type serverLease struct{ *kit.EtcdName }

func (l serverLease) Lock(w systems.World) (*kit.Lease, error) {
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

// Unlock deletes the key if it is still this owner's.
func (l serverLease) Unlock(systems.World, *kit.Lease) (mine bool, err error) { return l.Release() }

var serverLeaseRecipe = recipe.Recipe{
	Kind:     recipe.Right,
	Name:     "server-lease",
	File:     "server_lease.go",
	Promises: []string{promise.TruthExclusion, promise.Fenced, promise.Progress, promise.Clean},
	Limits:   []string{promise.BeliefExclusion},
	Sources: []string{"zkviz, engine/run/shared: doc.go, own.go, lease.go",
		"etcd documentation: transactions and leases"},
	MinClients: 1,
	Systems:    oneEtcd(),
	Drawing:    event.Drawing{Kind: event.DrawName, Gate: "lock", Stores: kit.Ledger()},
	Main: func(w systems.World, p recipe.Params) error {
		l := serverLease{kit.NewEtcdName(w, p)}
		return kit.Repeat(w, p, func(p recipe.Params) error {
			work := func(held *kit.Lease) error { return kit.Record(w, held.Fence, p.Hold) }
			return kit.UseLeaseOnce(w, l, work, l.Renew)
		})
	},
}
