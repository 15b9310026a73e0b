package kit

import (
	"errors"
	"time"

	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/stores/etcd"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// EtcdName is a name that one server at a time owns: a key that exists as long as its owner renews it. Each owner has a
// lease of its own, made when it tries to take the name, so that those who wait have nothing to renew.
type EtcdName struct {
	*etcd.Client
	Key   string
	Lasts time.Duration // as asked for: etcd may grant more
	lease etcd.LeaseID  // of the last try
}

// NewEtcdName returns the name of a run.
func NewEtcdName(w systems.World, p recipe.Params) *EtcdName {
	return &EtcdName{Client: etcd.New(w.Connect(1)), Key: p.Root + "/lock", Lasts: p.Lease}
}

// believed returns for how long an owner believes in its lease: the last sixth is more than clocks drift.
func believed(lease time.Duration) time.Duration { return lease - lease/6 }

// Try creates the key. It returns nil if another has it, and then the revision at which it looked.
func (n *EtcdName) Try(w systems.World) (held *Lease, at int64, err error) {
	for {
		held, at, err = n.create(w)
		if !errors.Is(err, etcd.ErrLeaseNotFound) { // the try took longer than the lease
			return held, at, err
		}
	}
}

// create is one try, with a new lease. The owner's time counts from before the first request, since etcd's may.
func (n *EtcdName) create(w systems.World) (held *Lease, at int64, err error) {
	asked := w.Now()
	id, lasts, err := n.Grant(n.Lasts)
	if err != nil {
		return nil, 0, err
	}
	n.lease = id
	var key etcd.KV
	err = Insist(func() (err error) {
		key, at, err = n.Create(n.Key, w.Name(), id)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	if key.Lease == id {
		return NewLease(program.Subject{Path: n.Key, Fence: key.Created}, id.String(), believed(lasts), asked), at, nil
	}
	_, err = n.Release()
	return nil, at, err
}

// AwaitEnd waits until the key has been deleted since it was seen at a revision.
func (n *EtcdName) AwaitEnd(seen int64) error {
	err := n.WatchDeletion(n.Key, seen+1)
	if err == nil {
		_, err = n.Next(0)
	}
	return err
}

// Renew runs next to an owner's work and renews its lease, over a connection of its own.
func (n *EtcdName) Renew(w systems.World, held *Lease) error {
	e := etcd.New(w.Connect(1))
	return held.KeepAlive(w, func() (bool, error) {
		_, there, err := e.KeepAlive(n.lease)
		return there, err
	})
}

// Release ends the lease, and deletes the key if it is still under it. It reports whether the lease still stood.
func (n *EtcdName) Release() (mine bool, err error) {
	return Ensure(func() (bool, error) { return n.Revoke(n.lease) })
}
