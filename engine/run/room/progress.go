package room

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// progressEvery is how long a request waits for a computation before the page learns how far that is, and the shortest
// time between two such messages.
const progressEvery = 500 * time.Millisecond

// progress counts the events of a computation for those who wait for it. It is an event.Sink.
type progress struct{ events atomic.Int64 }

// eventsPerCount is how many events are counted at once.
const eventsPerCount = 1024

// Append counts e. A log that is computed again counts from where it is longer than before.
func (p *progress) Append(e event.Event) {
	if e.Seq%eventsPerCount == 0 && int64(e.Seq) > p.events.Load() {
		p.events.Store(int64(e.Seq))
	}
}

// so says how many events have been counted.
func (p *progress) so() protocol.Progress { return protocol.Progress{Events: int(p.events.Load())} }

// teller is the key of the function in a request's context that learns how far its computation is.
type teller struct{}

func withTeller(ctx context.Context, tell func(*protocol.Progress)) context.Context {
	return context.WithValue(ctx, teller{}, tell)
}

// tell says how far the computation is that a request waits for, or with nil that it has ended: what was said before is
// out of date then.
func tell(ctx context.Context, far *protocol.Progress) {
	if f, ok := ctx.Value(teller{}).(func(*protocol.Progress)); ok {
		f(far)
	}
}

// telling says how far a computation is, now and then, to who waits for it, until the caller calls end.
func telling(ctx context.Context, so func() protocol.Progress) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var told sync.WaitGroup
	told.Go(func() {
		again := time.NewTicker(progressEvery)
		defer again.Stop()
		for {
			select {
			case <-again.C:
				far := so()
				tell(ctx, &far)
			case <-ctx.Done():
				return
			}
		}
	})
	return func() {
		cancel()
		told.Wait()
		tell(ctx, nil)
	}
}

var errStopped = sentence.Error("refused.stopped") // protocol.Stopped

// carryOut carries out a request until the page stops it with stop, and meanwhile tells the page how far it is.
func (c *visit) carryOut(ctx context.Context, m protocol.Request) error {
	err := c.do(withTeller(ctx, func(far *protocol.Progress) {
		if far != nil {
			far.Do = m.Do
		}
		c.mu.Lock()
		c.computing = far
		c.mu.Unlock()
		c.bell.Ring()
	}), m)
	if err != nil && context.Cause(ctx) == errStopped {
		return errStopped
	}
	return err
}

// stopAsks ends the requests that aren't done.
func (c *visit) stopAsks() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stop != nil {
		c.stop(errStopped)
	}
	for i := range c.asks {
		c.asks[i].err = errStopped
	}
}
