package real

import (
	"context"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/process"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// world is one run. It and all that it points to are guarded by mu. A method that takes mu itself says so in its
// comment.
type world struct {
	cfg   Config
	mu    sync.Mutex
	sink  event.Sink
	seq   event.Seq
	began time.Time
	ended bool
	over  chan struct{}
	err   error

	nodes     *Nodes
	threads   []*thread // the programs, by client, without the threads beside them
	running   int
	busy      int
	refused   int
	settle    process.Settling[*thread]
	stores    process.Stores
	open      bool // faults may still be injected
	lastFault time.Duration
	all       sync.WaitGroup // programs, and readers of their connections
}

func newWorld(ctx context.Context, cfg Config, programs []systems.Program, sink event.Sink) *world {
	w := &world{cfg: cfg, sink: sink, over: make(chan struct{}), running: len(programs), busy: len(programs)}
	w.nodes = NewNodes(ctx, cfg.Nodes, cfg.Root, cfg.Latency, w)
	for i, p := range programs {
		w.threads = append(w.threads, newThread(newHome(w, event.Actor(i+1)), p))
	}
	return w
}

func (w *world) locked(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
}

// Lock and Unlock implement Host, as do Now, Emit, After, Go and Fail.
func (w *world) Lock()   { w.mu.Lock() }
func (w *world) Unlock() { w.mu.Unlock() }

func (w *world) Go(f func()) { w.all.Go(f) }

func (w *world) Fail(err error) {
	if !w.ended {
		w.err = err
		w.endWith(event.EndOf(err))
	}
}

func (w *world) Now() time.Duration {
	if w.began.IsZero() {
		return 0
	}
	return time.Since(w.began)
}

func (w *world) Emit(e event.Event) event.Seq {
	if w.ended {
		return 0
	}
	if int(w.seq) >= w.cfg.MaxEvents-1 && e.Kind != event.RunEnded {
		w.end(event.EndEvents)
		return 0
	}
	w.seq++
	e.Seq, e.At = w.seq, w.Now()
	w.sink.Append(e)
	return w.seq
}

// end ends the log, and all calls in which programs wait.
func (w *world) end(why event.Reason) { w.endWith(event.Event{Kind: event.RunEnded, Reason: why}) }

// endWith is end with a whole event.
func (w *world) endWith(e event.Event) {
	if w.ended {
		return
	}
	w.Emit(e)
	w.ended = true
	close(w.over)
	for _, t := range w.threads {
		t.home.crash(0)
	}
}

// tick is how often the world checks what has expired, and whether anything can still happen.
const tick = 50 * time.Millisecond

// stuckAfter is how long all programs may wait for each other, as clients outside the run might still change something.
const stuckAfter = 3 * time.Second

// play runs the programs until they end. It takes mu.
func (w *world) play(ctx context.Context, inject <-chan fault.Fault) {
	w.locked(func() {
		w.began, w.open = time.Now(), inject != nil
		w.Emit(event.Event{Kind: event.RunStarted, Text: w.cfg.Recipe, Path: w.cfg.Root, N: w.began.UnixMilli()})
		w.plan(func(f fault.Fault) bool { return f.Hold == 0 })
	})
	for _, t := range w.threads {
		w.all.Go(t.live)
	}
	w.all.Go(func() { w.nodes.KeepMarks(w.over) })
	every := time.NewTicker(tick)
	defer every.Stop()
	var still time.Time
	for done := false; !done; {
		select {
		case <-w.over:
			done = true
		case <-ctx.Done():
			w.locked(func() { w.end(event.EndCancelled) })
		case now := <-every.C:
			w.locked(func() {
				w.nodes.Tick()
				w.checkDone()
				still = w.checkStuck(now, still)
			})
		case f, ok := <-inject:
			if !ok {
				inject = nil
				w.locked(func() { w.open = false })
				break
			}
			w.locked(func() {
				f.At = w.Now().Round(time.Millisecond)
				w.inject(f)
			})
		}
	}
	w.all.Wait()
}

// checkDone ends the run once all programs have ended, and all that they left has expired.
func (w *world) checkDone() {
	if w.running == 0 && !w.nodes.Ends(w.lives) {
		w.end(event.EndAllDone)
	}
}

// lives reports whether the client's program has not ended.
func (w *world) lives(client event.Actor) bool { return !w.threads[client-1].state.Ended }

// checkStuck ends a run in which every program waits for another and none will come. It returns since when this is so.
func (w *world) checkStuck(now, since time.Time) time.Time {
	quiet := w.busy == 0 && w.running > 0 && w.refused == 0 && !w.open && w.Now() > w.lastFault && !w.nodes.Ends(w.lives)
	for _, t := range w.threads {
		quiet = quiet && (t.state.Ended || t.state.Later || !t.timed && !t.home.paused)
	}
	switch {
	case !quiet:
		return time.Time{}
	case since.IsZero():
		return now
	case now.Sub(since) > stuckAfter:
		w.end(event.EndStuck)
	}
	return since
}

// After implements Host: it calls f, with mu held, after d, unless the run is over by then.
func (w *world) After(d time.Duration, f func()) {
	time.AfterFunc(d, func() {
		w.locked(func() {
			if !w.ended {
				f()
			}
		})
	})
}

// checkSettled resumes the first program that waits until all others wait.
func (w *world) checkSettled() {
	if w.busy > 0 {
		return
	}
	if t, ok := w.settle.Next(func(t *thread) bool { return !t.home.paused && !t.stalled }); ok {
		t.state.For = process.ForNothing
		t.update()
		t.home.cond.Broadcast()
	}
}

// gotIn makes the refused programs try again before they count as waiting.
func (w *world) gotIn() {
	if w.refused == 0 {
		return
	}
	w.refused = 0
	for _, t := range w.threads {
		if t.state.Refused {
			t.state.Refused = false
			t.update()
		}
	}
}

// plan schedules the faults whose time counts from now.
func (w *world) plan(these func(fault.Fault) bool) {
	for _, f := range w.cfg.Faults {
		if these(f) {
			w.lastFault = max(w.lastFault, w.Now()+f.At+f.For)
			w.After(f.At, func() { w.inject(f) })
		}
	}
}

// inject injects a fault. It changes nothing if the client has ended, and doesn't happen if it is for a hold that is
// over.
func (w *world) inject(f fault.Fault) {
	if f.Client < 1 || f.Client > len(w.threads) {
		return
	}
	t := w.threads[f.Client-1]
	if !t.holds.During(f.Hold) {
		return
	}
	h := t.home
	cause := w.Emit(event.Event{Kind: event.FaultInjected, Peer: h.id, Text: f.String()})
	if t.state.Ended {
		return
	}
	switch f.Kind {
	case fault.Crash, fault.Vanish:
		if f.Kind == fault.Vanish {
			h.sockets.Sever()
			cause = h.emit(event.Event{Kind: event.ClientVanished, Cause: cause})
		}
		h.crash(h.emit(event.Event{Kind: event.ClientCrashed, Cause: cause}))
		t.finish()
	case fault.Pause:
		h.pause(f.For, cause)
	case fault.Stall:
		t.stall(f.For, cause)
	case fault.Cut:
		h.sockets.Cut(f.For)
	case fault.Drop:
		h.dropNext = true
	case fault.Delay:
		h.sockets.Delay(f.For)
	}
}
