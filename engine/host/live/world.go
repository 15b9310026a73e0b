package live

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/process"
	"github.com/zkviz/zkviz/engine/observe/capture"
	"github.com/zkviz/zkviz/engine/stores/remote/real"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// world is one run. mu guards everything in it and everything that it points to; a method that takes mu itself says so.
type world struct {
	cfg   Config
	acl   []zk.ACL // of znodes that clients create; constant once the clients exist
	mu    sync.Mutex
	sink  event.Sink
	seq   event.Seq
	began time.Time // when the run's clock started, zero before
	ended bool      // RunEnded is in the log: nothing may follow
	over  chan struct{}
	err   error // why it couldn't go on

	clients []*client
	running int // clients whose process has not ended
	busy    int // clients that will act without another one waking them

	away      bool          // no server is in reach
	open      bool          // faults may still come in
	lastFault time.Duration // the end of the last planned fault
	settle    process.Settling[*client]

	known     *capture.Cluster
	unknown   []doubt       // writes with unknown outcome
	uncertain int           // how many such writes are still unresolved
	ask       chan struct{} // asks for a look at the sessions that may be over

	servers   []*outside // of an ensemble; constant once the run has begun
	rolesLeft bool       // the log says that some servers don't report their role

	nodes     *real.Nodes
	stores    process.Stores
	owner     owner
	processes sync.WaitGroup
}

func newWorld(ctx context.Context, cfg Config, procs []systems.Program, sink event.Sink) *world {
	w := &world{
		cfg: cfg, sink: sink, over: make(chan struct{}),
		running: len(procs), busy: len(procs),
		ask: make(chan struct{}, 1),
	}
	w.known = capture.NewCluster(w.emit, w.lookSoon, w.checkDone)
	w.nodes = real.NewNodes(ctx, cfg.Nodes, cfg.Root, cfg.Latency, host{w})
	for i, p := range procs {
		w.clients = append(w.clients, newClient(w, event.Actor(i+1), p))
	}
	return w
}

// locked runs f under mu.
func (w *world) locked(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
}

func (w *world) now() time.Duration {
	if w.began.IsZero() {
		return 0
	}
	return time.Since(w.began)
}

// emit appends e to the log.
func (w *world) emit(e event.Event) event.Seq {
	if w.ended {
		return 0
	}
	if int(w.seq) >= w.cfg.MaxEvents-1 && e.Kind != event.RunEnded {
		w.end(event.EndEvents)
		return 0
	}
	w.seq++
	e.Seq, e.At = w.seq, w.now()
	w.sink.Append(e)
	return w.seq
}

// end ends the log, and with it every call in which a process waits.
func (w *world) end(why event.Reason) { w.endWith(event.Event{Kind: event.RunEnded, Reason: why}) }

// endWith is like end, but takes the whole event.
func (w *world) endWith(e event.Event) {
	if w.ended {
		return
	}
	w.emit(e)
	w.ended = true
	close(w.over)
	for _, c := range w.clients {
		c.sockets.End(0)
		c.cond.Broadcast()
	}
}

// play lets the processes run to their end.
func (w *world) play(ctx context.Context, d *adminConn, inject <-chan fault.Fault) {
	w.locked(func() {
		w.began, w.open = time.Now(), inject != nil
		w.plan(func(f fault.Fault) bool { return f.Hold == 0 })
	})
	for _, c := range w.clients {
		w.processes.Go(c.live)
	}
	w.start(func() { w.keepLooking(d) })
	w.start(func() { w.nodes.KeepMarks(w.over) })
	for {
		select {
		case <-w.over:
			return
		case <-ctx.Done():
			w.locked(func() { w.end(event.EndCancelled) })
			return
		case f, ok := <-inject:
			if !ok {
				inject = nil
				w.locked(func() { w.open = false })
				break
			}
			w.locked(func() { w.injectNow(f) })
		}
	}
}

// keepLooking watches silent sessions until the run is over.
func (w *world) keepLooking(d *adminConn) {
	every := time.NewTicker(lookEvery)
	defer every.Stop()
	var still time.Time // since when nothing can happen any more
	for {
		select {
		case <-w.over:
			return
		case <-w.ask:
		case <-every.C:
		}
		if err := d.keepMark(w.cfg.Root); err != nil {
			w.locked(func() { w.giveUp(err) })
			return
		}
		var this int
		w.locked(func() { this = w.known.BeginLook(); w.known.Settle(time.Now()) })
		if w.findOut(d) && w.look(d) {
			w.locked(func() { w.known.Looked(this, time.Now()) })
		}
		w.locked(func() { still = w.checkStuck(still); w.nodes.Tick(); w.checkDone() })
	}
}

// giveUp ends a run that cannot go on.
func (w *world) giveUp(err error) {
	if !w.ended {
		w.err = err
		w.endWith(event.EndOf(err))
	}
}

// stuckAfter is how long everybody may wait for everybody: a stranger might still come and help.
const stuckAfter = 3 * time.Second

// lives reports whether the client's program has not ended.
func (w *world) lives(client event.Actor) bool { return !w.clients[client-1].state.Ended }

// checkStuck ends a run once all clients have long waited for each other. It returns since when that is so.
func (w *world) checkStuck(since time.Time) time.Time {
	quiet := w.busy == 0 && w.running > 0 && !w.open && w.now() > w.lastFault && !w.nodes.Ends(w.lives)
	for _, c := range w.clients {
		if !c.state.Ended && !c.state.Later && !c.waitsForOthers() || c.mayBeOver() {
			quiet = false
		}
	}
	switch {
	case !quiet:
		return time.Time{}
	case since.IsZero():
		return time.Now()
	case time.Since(since) > stuckAfter:
		w.end(event.EndStuck)
	}
	return since
}

func (w *world) injectNow(f fault.Fault) {
	if f.Client >= 1 && f.Client <= len(w.clients) {
		f.At = w.now().Round(time.Millisecond)
		w.inject(f)
	}
}

// checkDone ends the run once every process has ended and no session or uncertain write is left to wait for.
func (w *world) checkDone() {
	alive := func(c *client) bool { return c.Session != 0 && !c.Gone }
	if w.running == 0 && w.uncertain == 0 && !w.nodes.Ends(w.lives) && !slices.ContainsFunc(w.clients, alive) {
		w.end(event.EndAllDone)
	}
}

// lookSoon asks for a look at the sessions that may be over.
func (w *world) lookSoon() {
	select {
	case w.ask <- struct{}{}:
	default:
	}
}

// checkSettled wakes the first client that waits for everyone else to wait, if they all do.
func (w *world) checkSettled() {
	if w.busy > 0 {
		return
	}
	if c, ok := w.settle.Next(func(c *client) bool { return !c.state.Paused && !c.state.Stalled }); ok {
		c.resume()
	}
}

// stopGrace is how long processes get to return after the end of a run.
const stopGrace = 5 * time.Second

// stopClients ends the remaining sessions. It takes mu.
func (w *world) stopClients() {
	var all sync.WaitGroup
	for _, c := range w.clients {
		all.Go(c.disband)
	}
	all.Wait()
}
