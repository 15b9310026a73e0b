package standby

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/run/shared"
	"github.com/zkviz/zkviz/engine/zookeeper/learner"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// Config says which ensemble is shared.
type Config struct {
	// Bus returns what connects the servers; nil as long as nothing does.
	Bus func() *shared.Bus
	// Ensemble names the ensemble, the same at all servers that share it.
	Ensemble string
	// Learn joins the ensemble; nil for learner.Follow.
	Learn func(context.Context, learner.FollowConfig, learner.To) error
	Log   *slog.Logger
}

// Standby is one server's share in an ensemble. It is safe for concurrent use.
type Standby struct {
	cfg  Config
	name string

	mu    sync.Mutex
	joins bool
	alone time.Time // no sharing before this
}

// New returns a Standby. Follow makes it take part.
func New(cfg Config) *Standby {
	if cfg.Learn == nil {
		cfg.Learn = learner.Follow
	}
	sum := sha256.Sum256([]byte(cfg.Ensemble))
	return &Standby{cfg: cfg, name: "join-" + hex.EncodeToString(sum[:16])}
}

// Joins reports whether this server itself is the ensemble's observer, or tries to be. If not, it stands by.
func (s *Standby) Joins() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.joins
}

func (s *Standby) setJoins(to bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.joins = to
}

// errApart says that the other servers are out of reach, errAgain that reading must begin anew, and errUnshared that
// the tree or the room in NATS doesn't allow sharing.
var (
	errApart    = errors.New("the other servers are out of reach")
	errAgain    = errors.New("the shared ensemble begins anew")
	errUnshared = errors.New("this ensemble can't be shared now")
)

// finalError ends Follow.
type finalError struct{ error }

// Follow does what learner.Follow does. Another server may be the one that joins.
func (s *Standby) Follow(ctx context.Context, cfg learner.FollowConfig, to learner.To) error {
	waiting, cancel := context.WithTimeout(ctx, shared.LeaseFor)
	s.await(waiting, true)
	cancel()
	r := &reader{to: to, lost: cfg.Lost}
	for ctx.Err() == nil {
		var err error
		if s.canShare() {
			err = s.together(ctx, cfg, r)
		} else {
			err = s.byItself(ctx, cfg, r)
		}
		if final := (finalError{}); errors.As(err, &final) {
			return final.error
		}
		if ctx.Err() != nil {
			break
		}
		if errors.Is(err, errUnshared) {
			s.mu.Lock()
			s.alone = time.Now().Add(AloneFor)
			s.mu.Unlock()
		}
		s.cfg.Log.Info("the way in which servers share an ensemble changes", "why", err)
		hub.Pause(ctx, againEvery)
	}
	return context.Cause(ctx)
}

func (s *Standby) canShare() bool {
	s.mu.Lock()
	early := time.Now().Before(s.alone)
	s.mu.Unlock()
	bus := s.cfg.Bus()
	return !early && bus != nil && bus.Connected()
}

// await waits until sharing is possible, or isn't. It reports false if ctx has ended.
func (s *Standby) await(ctx context.Context, can bool) bool {
	for s.canShare() != can {
		if !hub.Pause(ctx, againEvery) {
			return false
		}
	}
	return true
}

// byItself joins without the others, until they can be reached.
func (s *Standby) byItself(ctx context.Context, cfg learner.FollowConfig, r *reader) error {
	inner, cancel := context.WithCancelCause(ctx)
	var beside sync.WaitGroup
	beside.Go(func() {
		if s.await(inner, true) {
			cancel(errAgain)
		}
	})
	s.setJoins(true)
	if r.ready {
		cfg.Zxid = r.zxid
	}
	to := r.to
	*r = reader{to: to, lost: r.lost} // what comes now, no log has
	err := s.cfg.Learn(inner, cfg, to)
	s.setJoins(false)
	over := inner.Err() == nil
	cancel(nil)
	beside.Wait()
	if over {
		return finalError{err}
	}
	return context.Cause(inner)
}

// taker returns functions that keep an owner's state.
func (o *owner) taker() learner.To {
	locked := func(do func()) error {
		o.mu.Lock()
		defer o.mu.Unlock()
		do()
		return nil
	}
	return learner.To{
		Begin: func(b learner.Beginning) error { return locked(func() { o.begin(b) }) },
		Tree: txnlog.Tree{
			Session: func(id int64, ms int32) error { return o.tree.Session(id, ms) },
			Node:    func(n *txnlog.Node) error { return o.tree.Node(n) },
		},
		Txn:    func(t *wire.Txn) error { return locked(func() { o.take(t) }) },
		Synced: func() error { return locked(o.sync) },
	}
}
