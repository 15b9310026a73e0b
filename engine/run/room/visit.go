package room

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// visit serves one viewer with three goroutines: a reader that receives requests, a worker that carries them out, and
// a writer that sends news of the room. The page decides the pace: what it has not read stays in the room's logs.
type visit struct {
	v          Viewer
	client     ClientKey
	connection *Connection
	finder     finder
	rooms      *rooms
	frames     *frames
	within     time.Duration // the limit of a request; answerTimeout if 0

	asked    hub.Bell // wakes the worker
	bell     hub.Bell // wakes the writer
	mu       sync.Mutex
	entering *entry                  // a room to follow from now on
	answers  []protocol.Message      // refusals not yet sent, and a fork or the like
	refused  int                     // refused messages so far
	asks     []ask                   // requests that are not begun
	stop     context.CancelCauseFunc // ends the request that is carried out; nil for none
	// computing says how far that is, unless the page knows; nil for nothing new.
	computing *protocol.Progress
	waiting   int   // bytes of asks
	room      *room // the room entered last, unless it was left
}

// ask is a request, or the error in it.
type ask struct {
	m     protocol.Request
	err   error
	bytes int
}

// serve serves the page until it leaves, breaks the rules, is gone, or stopping ends. The page's computations then
// end too. ctx ends when the page gives way to others.
func (c *visit) serve(ctx, stopping context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() {
		c.write(ctx, stopping)
		cancel()
		c.v.Cut() // ends read
	})
	wg.Go(func() { c.work(ctx) })
	c.read(ctx)
	cancel()
	wg.Wait()
	c.v.Cut()
	if r := c.stepOut(); r != nil {
		c.rooms.leave(r, c.client, time.Now())
	}
}

// read receives the page's requests until the connection ends.
func (c *visit) read(ctx context.Context) {
	requests := rate.NewLimiter(protocol.RequestsPerSecond, protocol.RequestBurst)
	for {
		text, err := c.v.Receive(ctx)
		if err != nil && !errors.Is(err, ErrNotText) {
			return
		}
		if !requests.Allow() {
			c.v.Close(Policy, fmt.Sprintf("more than %d messages a second", protocol.RequestsPerSecond))
			return
		}
		a := ask{err: err, bytes: len(text)}
		if err == nil {
			a.m, a.err = protocol.ParseRequest(text)
		}
		if a.err == nil && a.m.Do == protocol.Ping { // the page does it by itself
			_ = c.answer(new(protocol.Pong)) // else another answer is on its way
			continue
		}
		c.connection.use()
		if a.err == nil && a.m.Do == protocol.Stop {
			c.stopAsks()
			continue
		}
		if !c.put(a) && !c.refuse(a.m.Do, busy("busy.messages")) {
			return
		}
	}
}

// put queues a request for the worker. It reports false if too much waits already.
func (c *visit) put(a ask) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting+a.bytes > MaxAskBytes || len(c.asks) >= MaxAsks {
		return false
	}
	c.waiting += a.bytes
	c.asks = append(c.asks, a)
	c.asked.Ring()
	return true
}

// next returns the next request, or false if there is none. From now on stop ends it.
func (c *visit) next(stop context.CancelCauseFunc) (a ask, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stop, c.computing = nil, nil
	if len(c.asks) == 0 {
		c.asks = nil
		return a, false
	}
	c.stop = stop
	a, c.asks = c.asks[0], c.asks[1:]
	c.waiting -= a.bytes
	return a, true
}

// work carries out the page's requests in turn until ctx ends.
func (c *visit) work(ctx context.Context) {
	for ctx.Err() == nil {
		more := c.asked.Next()
		this, stop := context.WithCancelCause(ctx)
		a, ok := c.next(stop)
		if ok && a.err == nil {
			a.err = c.carryOut(this, a.m)
		}
		stop(nil)
		if !ok {
			select {
			case <-more:
			case <-ctx.Done():
			}
		} else if a.err != nil && ctx.Err() == nil && !c.refuse(a.m.Do, a.err) {
			return
		}
	}
}

// refuse tells the page why its request is refused. If that happens too often, it ends the connection and reports
// false.
func (c *visit) refuse(do string, err error) bool {
	say := &protocol.Refusal{Why: sentence.From(err), Do: do}
	var b Busy
	if errors.As(err, &b) {
		say.AgainMS = b.Again.Milliseconds()
	}
	c.mu.Lock()
	c.computing = nil
	c.refused++
	c.rooms.totals.refused.Add(1)
	tooMany := c.refused > MaxRefusals
	if !tooMany {
		c.answers = append(c.answers, say) // at most MaxRefusals
	}
	c.mu.Unlock()
	if tooMany {
		c.v.Close(Policy, "too many messages that had to be refused")
		return false
	}
	c.bell.Ring()
	return true
}
