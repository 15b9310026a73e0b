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
	takes := func(n *kit.EtcdName) kit.Leased { return takesAnyway{serverLease{n}} }
	watches := func(n *kit.EtcdName) kit.Leased { return watchesLate{serverLease{n}} }
	believes := func(n *kit.EtcdName) kit.Leased { return believesLong{serverLease{n}} }
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
		{"takes the name from its owner", ownerMutant(takes), promise.TruthExclusion},
		{"watches from now on", ownerMutant(watches), promise.Progress},
		{"believes in its lease for longer than it is", ownerMutant(believes), promise.BeliefExclusion},
		{"calls every owner the first", firstEpoch(), promise.Fenced},
	}
}

// ownerMutant is server-lease with another lock, whose owner never renews it.
func ownerMutant(lock func(*kit.EtcdName) kit.Leased) recipe.Recipe {
	r := serverLeaseRecipe
	r.Main = func(w systems.World, p recipe.Params) error {
		l := lock(kit.NewEtcdName(w, p))
		return kit.Repeat(w, p, func(p recipe.Params) error {
			return kit.UseLeaseOnce(w, l, func(held *kit.Lease) error { return kit.Record(w, held.Fence, p.Hold) })
		})
	}
	return r
}

// firstEpoch is server-lease whose owners all write with the same epoch.
func firstEpoch() recipe.Recipe {
	r := serverLeaseRecipe
	r.Main = func(w systems.World, p recipe.Params) error {
		l := serverLease{kit.NewEtcdName(w, p)}
		return kit.Repeat(w, p, func(p recipe.Params) error {
			return kit.UseLeaseOnce(w, l, func(*kit.Lease) error { return kit.Record(w, 1, p.Hold) }, l.Renew)
		})
	}
	return r
}

// takesAnyway deletes the key of another.
type takesAnyway struct{ serverLease }

func (l takesAnyway) Lock(w systems.World) (*kit.Lease, error) {
	if _, err := l.Delete(l.Key); err != nil {
		return nil, err
	}
	return l.serverLease.Lock(w)
}

// watchesLate watches from the moment at which its watch arrives.
type watchesLate struct{ serverLease }

func (l watchesLate) Lock(w systems.World) (*kit.Lease, error) {
	for {
		held, _, err := l.Try(w)
		if held != nil {
			return held, nil
		}
		if err == nil {
			err = l.WatchDeletion(l.Key, 0)
		}
		if err == nil {
			_, err = l.Next(0)
		}
		if err != nil && !kit.Unknown(err) {
			return nil, err
		}
	}
}

// believesLong believes in its lease for longer than it is.
type believesLong struct{ serverLease }

func (l believesLong) Lock(w systems.World) (*kit.Lease, error) {
	held, err := l.serverLease.Lock(w)
	if held != nil {
		held.Renew(w.Now() + l.Lasts/2)
	}
	return held, err
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
