package kit

import (
	"errors"
	"time"

	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/stores/etcd"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// EtcdSession is an etcd lease that its process keeps alive. The keys attached to it exist as long as it does.
type EtcdSession struct {
	*etcd.Client
	*Term
	ID etcd.LeaseID
}

// UseEtcd opens a session, runs use with it, and revokes it.
func UseEtcd(w systems.World, lasts time.Duration, use func(*EtcdSession) error) error {
	s, err := openEtcd(w, lasts)
	if err != nil {
		return err
	}
	stop := w.Beside(s.live)
	err = use(s)
	stop()
	if err != nil {
		return err // after an error, etcd ends the session by itself
	}
	_, err = Ensure(func() (bool, error) { return s.Revoke(s.ID) })
	return err
}

// openEtcd opens a session. If the reply is lost, a lease stays that nobody keeps alive: it expires.
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

// EtcdQueue is a queue of keys, one for each session: the key that was created first comes first.
type EtcdQueue struct {
	*EtcdSession
	Prefix string // common to all keys of the queue
}

// NewEtcdQueue returns the queue of a run.
func NewEtcdQueue(s *EtcdSession, p recipe.Params) EtcdQueue { return EtcdQueue{s, p.Root + "/lock/"} }

// Key returns the session's own key.
func (q EtcdQueue) Key() string { return q.Prefix + q.ID.String() }

// Join puts the session's key into the queue. It returns the key, and whether it comes first.
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
			// From the next revision on: so the watch also reports changes since the look.
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
