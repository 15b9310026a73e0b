package standby

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/run/shared"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
)

// own waits until this server owns the ensemble, and joins it, again and again.
func (p *peer) own(ctx context.Context) error {
	for ctx.Err() == nil {
		lease, err := p.bus.Own(ctx, p.of.name)
		if err == nil {
			p.of.setJoins(true)
			err = p.lead(ctx, lease)
			p.of.setJoins(false)
			releasing, cancel := context.WithTimeout(context.WithoutCancel(ctx), shared.LeaseFor)
			lease.Release(releasing)
			cancel()
		}
		if errors.Is(err, shared.ErrFull) {
			err = fmt.Errorf("%w: %w", errUnshared, err)
		}
		if final := (finalError{}); errors.As(err, &final) || errors.Is(err, errUnshared) {
			return err
		}
		if ctx.Err() == nil {
			p.of.cfg.Log.Warn("an ensemble can't be joined for all here now", "error", err)
			hub.Pause(ctx, letOthers)
		}
	}
	return nil
}

// owner is a server that joins for all.
type owner struct {
	*peer
	epoch uint64      // of the lease
	log   *shared.Log // nil before there is one
	name  string      // its name
	prev  *shared.Log // the one before
	last  uint64      // the log's last entry
	bytes int         // of the log, as far as known
	since time.Time   // the log's age is counted from here
	tree  txnlog.Tree // receives loading's znodes
	stop  context.CancelCauseFunc

	mu      sync.Mutex
	moved   *sync.Cond // messages were taken, or the end has come
	over    bool
	state   *replay.State // nil before the tree is known
	loading *replay.State // a tree that is still incomplete
	zk      int64         // the leader's epoch
	away    time.Time     // when the search for a leader began; zero while there is one
	fresh   bool          // state isn't what the log leads to: another begins
	waiting [][]byte      // encoded
	waits   int           // their size in bytes
}

// lead joins, and appends what it learns, as long as the lease lasts.
func (p *peer) lead(ctx context.Context, lease *shared.Lease) error {
	ctx, stop := context.WithCancelCause(ctx)
	var beside sync.WaitGroup
	defer beside.Wait()
	defer stop(nil)
	beside.Go(func() {
		select {
		case <-lease.Lost():
			stop(shared.ErrNotOwner)
		case <-ctx.Done():
		}
	})
	o := &owner{peer: p, epoch: lease.Epoch(), stop: stop, away: time.Now()}
	o.moved = sync.NewCond(&o.mu)
	p.settle(ctx)
	if log, _ := p.at(); log != "" {
		if err := o.recall(ctx, log); err != nil {
			return err
		}
	}
	answer := func(context.Context, []byte) []byte { return encode(talk{Log: o.current()}) }
	if err := lease.Answer(answer); err != nil {
		return err
	}
	cfg := p.cfg
	cfg.Zxid, cfg.Lost = 0, o.lost
	if o.state != nil {
		cfg.Zxid = o.state.Zxid
	}
	beside.Go(func() { o.run(ctx) })
	err := p.of.cfg.Learn(ctx, cfg, o.taker())
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return finalError{err}
}

// current returns the name of the owner's log, or "".
func (o *owner) current() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.log == nil {
		return ""
	}
	return o.name
}
