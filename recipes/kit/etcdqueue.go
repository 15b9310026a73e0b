package kit

import (
	"errors"
	"time"

	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/stores/etcd"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// EtcdSession is a lease of etcd that its process keeps alive: what it puts under it is there for as long.
type EtcdSession struct {
	*etcd.Client
	*Term
	ID etcd.LeaseID
}

// UseEtcd has a process do something with a session, and ends that.
func UseEtcd(w systems.World, lasts time.Duration, use func(*EtcdSession) error) error {
	s, err := openEtcd(w, lasts)
	if err != nil {
		return err
	}
	stop := w.Beside(s.live)
	err = use(s)
	stop()
	if err != nil {
		return err // who is not well leaves the end to etcd
	}
	_, err = Ensure(func() (bool, error) { return s.Revoke(s.ID) })
	return err
}

// openEtcd begins a session. If the reply is lost there is a lease that nobody keeps alive: it ends by itself.
func openEtcd(w systems.World, lasts time.Duration) (*EtcdSession, error) {
	s := &EtcdSession{Client: etcd.New(w.Connect(1))}
	for {
		asked := w.Now()
		id, granted, err := s.Grant(lasts)
		if !Unknown(err) {
			s.ID, s.Term = id, NewTerm(granted, asked)
			return s, err
		}
	}
}

// live keeps the session alive, over a connection of its own.
func (s *EtcdSession) live(w systems.World) error {
	e := etcd.New(w.Connect(1))
	return s.Term.KeepAlive(w, func() (bool, error) {
		_, there, err := e.KeepAlive(s.ID)
		return there, err
	})
}

// EtcdQueue is a queue of keys of which each is under its session: whose key was created first is first.
type EtcdQueue struct {
	*EtcdSession
	Prefix string // that all keys of the queue begin with
}

// NewEtcdQueue is the queue of a run.
func NewEtcdQueue(s *EtcdSession, p Params) EtcdQueue { return EtcdQueue{s, p.Root + "/lock/"} }

// Key is the session's own.
func (q EtcdQueue) Key() string { return q.Prefix + q.ID.String() }

// Join puts the session's key into the queue. It returns where it is, and whether that is first.
func (q EtcdQueue) Join(w systems.World) (mine program.Subject, first bool, err error) {
	w.Phase(program.Waiting, program.Subject{Path: q.Key()})
	var me, head etcd.KV
	err = Insist(func() (err error) {
		me, head, err = q.Queue(q.Prefix, q.Key(), w.Name(), q.ID)
		return err
	})
	if errors.Is(err, etcd.ErrLeaseNotFound) {
		err = ErrOver
	}
	return program.Subject{Path: q.Key(), Fence: me.Created}, head.Key == me.Key, err
}

// AwaitFirst waits until nobody in the queue is ahead of mine.
func (q EtcdQueue) AwaitFirst(mine program.Subject) error {
	for {
		ahead, there, at, err := q.LastBefore(q.Prefix, mine.Fence)
		if err == nil && !there {
			return nil
		}
		if err == nil {
			// From the next revision on: what has happened since the look is told as well.
			err = q.WatchDeletion(ahead.Key, at+1)
		}
		if err == nil {
			_, err = q.Next(0)
		}
		if err != nil && !Unknown(err) {
			return err
		}
	}
}
