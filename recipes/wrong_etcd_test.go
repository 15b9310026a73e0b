package recipes

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/stores/etcd"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

func wrongEtcd() []Mutant {
	next := func(at int64) int64 { return at + 1 }
	return []Mutant{
		{"does not wait for those ahead", etcdMutant(func(kit.EtcdQueue, program.Subject) error { return nil }),
			promise.TruthExclusion},
		{"takes it for its turn when the one just ahead goes", etcdMutant(func(q kit.EtcdQueue, mine program.Subject) error {
			return await(q, mine, etcd.LastCreated, next, true)
		}), promise.TruthExclusion},
		{"watches from now on", etcdMutant(func(q kit.EtcdQueue, mine program.Subject) error {
			return await(q, mine, etcd.LastCreated, func(int64) int64 { return 0 }, false)
		}), promise.Progress},
		{"watches the first", etcdMutant(func(q kit.EtcdQueue, mine program.Subject) error {
			return await(q, mine, etcd.FirstCreated, next, false)
		}), promise.OneWakeup},
	}
}

// etcdMutant is etcd-mutex that waits in another way.
func etcdMutant(wait func(kit.EtcdQueue, program.Subject) error) recipe.Recipe {
	r := etcdMutexRecipe
	r.Main = func(w systems.World, p recipe.Params) error {
		return kit.UseEtcd(w, p.Lease, func(s *kit.EtcdSession) error {
			l := waitsSomehow{etcdMutex{kit.NewEtcdQueue(s, p)}, wait}
			return kit.Repeat(w, p, func(p recipe.Params) error {
				return kit.UseLeaseOnce(w, l, func(held *kit.Lease) error { return kit.Record(w, held.Fence, p.Hold) })
			})
		})
	}
	return r
}

type waitsSomehow struct {
	etcdMutex
	wait func(kit.EtcdQueue, program.Subject) error
}

func (l waitsSomehow) Lock(w systems.World) (*kit.Lease, error) {
	mine, first, err := l.Join(w)
	if err == nil && !first {
		err = l.wait(l.EtcdQueue, mine)
	}
	if err == nil && l.Over(w) {
		err = kit.ErrOver
	}
	return &kit.Lease{Subject: mine, Term: l.Term}, err
}

// await is EtcdQueue.AwaitFirst with another key to watch, from another revision on, and perhaps only once.
func await(q kit.EtcdQueue, mine program.Subject, pick etcd.Pick, from func(at int64) int64, once bool) error {
	for {
		a, err := q.Do(etcd.Call{Then: []etcd.Op{{Kind: etcd.Get, Key: q.Prefix, Pick: pick, Before: mine.Fence}}})
		if err == nil && a.Results[0].N == 0 {
			return nil
		}
		if err == nil {
			err = q.WatchDeletion(a.Results[0].Key, from(a.Revision))
		}
		if err == nil {
			_, err = q.Next(0)
		}
		if !kit.Unknown(err) && (err != nil || once) {
			return err
		}
	}
}
