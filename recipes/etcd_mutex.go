package recipes

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// etcdMutex is a queue of keys, each under the lease of its client. Everybody waits for the one just ahead, and the
// revision at which a key was created is its holder's fencing number: etcd never has the same twice.
type etcdMutex struct{ kit.EtcdQueue }

func (l etcdMutex) Lock(w systems.World) (*kit.Lease, error) {
	mine, first, err := l.Join(w)
	if err != nil {
		return nil, err
	}
	if !first {
		if err := l.AwaitFirst(mine); err != nil {
			return nil, err
		}
		// Its lease may have ended while it waited, and its key with that: then it is nobody's turn but the next one's.
		if there, err := l.isThere(); err != nil || !there {
			return nil, lost(err)
		}
	}
	if l.Over(w) {
		return nil, kit.ErrOver
	}
	return &kit.Lease{Subject: mine, Token: l.ID.String(), Term: l.Term}, nil
}

// lost returns why a lock was not got whose key is gone.
func lost(err error) error {
	if err == nil {
		err = kit.ErrOver
	}
	return err
}

func (l etcdMutex) isThere() (there bool, err error) {
	err = kit.Insist(func() error {
		_, there, err = l.Get(l.Key())
		return err
	})
	return there, err
}

// Unlock deletes the key.
func (l etcdMutex) Unlock(_ systems.World, held *kit.Lease) (mine bool, err error) {
	return kit.Ensure(func() (bool, error) { return l.Delete(held.Path) })
}

func oneEtcd() []event.System { return []event.System{{Kind: event.EtcdSystem, Servers: 1}} }

var etcdMutexRecipe = recipe.Recipe{
	Kind:     recipe.Right,
	Name:     "etcd-mutex",
	File:     "etcd_mutex.go",
	Promises: []string{promise.TruthExclusion, promise.Order, promise.Fenced, promise.Progress, promise.Clean},
	Limits:   []string{promise.BeliefExclusion, promise.OneWakeup},
	// One who cannot be heard until its lease is over still watches.
	Harms: []string{"cut", "delay"},
	Sources: []string{"etcd, client/v3/concurrency: mutex.go, session.go", "etcd documentation: Lock and lease",
		"etcd #11456"},
	MinClients: 1,
	Contest:    recipe.Once(),
	Systems:    oneEtcd(),
	Drawing:    event.Drawing{Kind: event.DrawQueue, Queue: "lock", Stores: kit.Ledger()},
	// Numbers matter to the ledger. What prints beside locks without numbers prints, too.
	OtherStores: kit.Printer(),
	Main: func(w systems.World, p recipe.Params) error {
		return kit.UseEtcd(w, p.Lease, func(s *kit.EtcdSession) error {
			l := etcdMutex{kit.NewEtcdQueue(s, p)}
			return kit.Repeat(w, p, func(p recipe.Params) error {
				return kit.UseLeaseOnce(w, l, func(held *kit.Lease) error { return kit.RecordOn(w, p.Store, held.Fence, p.Hold) })
			})
		})
	},
}
