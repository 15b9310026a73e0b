package realtime

import (
	"context"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/process"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// System is what a host adds to a run: the clients' sessions with a system that is none of the run's nodes. Its methods
// are called with the world's lock held.
type System interface {
	// Suffer carries out a fault, mostly by Thread.Suffer.
	Suffer(t *Thread, f fault.Fault, cause event.Seq)
	// Resumed tells that a process goes on after a pause, before the log says so, and Healed that its network is whole
	// again.
	Resumed(client event.Actor, after time.Duration)
	Healed(client event.Actor)
	// Idle reports whether nothing needs to be waited for once all programs have ended.
	Idle() bool
}

// World is one run. Its lock guards it and all that it points to. A method is called with the lock held unless its
// comment says that it takes it.
type World struct {
	sync.Mutex
	cfg    Config
	system System
	sink   event.Sink
	seq    event.Seq
	began  time.Time // when the run's clock started, zero before
	ended  bool      // RunEnded is in the log: nothing may follow
	over   chan struct{}
	err    error // why it couldn't go on

	nodes     *nodes
	threads   []*Thread // the programs, by client, without the threads beside them
	running   int       // programs that have not ended
	busy      int       // programs that will act without another one waking them
	settle    process.Settling[*Thread]
	stores    process.Stores
	open      bool          // faults may still be injected
	lastFault time.Duration // the end of the last planned fault
	still     time.Time     // since when nothing can happen any more

	owner    Owner
	programs sync.WaitGroup // and the threads beside them
}

// NewWorld returns a run of programs: program i is client i+1. Connections to nodes can be opened until ctx ends.
func NewWorld(ctx context.Context, cfg Config, programs []systems.Program, sink event.Sink, s System) *World {
	w := &World{cfg: cfg, system: s, sink: sink, over: make(chan struct{}), running: len(programs), busy: len(programs)}
	w.nodes = newNodes(ctx, w)
	for i, p := range programs {
		w.threads = append(w.threads, newProcess(w, event.Actor(i+1), p))
	}
	return w
}

// Locked calls f with the lock held. It takes it.
func (w *World) Locked(f func()) {
	w.Lock()
	defer w.Unlock()
	f()
}

// Threads returns the programs, by client.
func (w *World) Threads() []*Thread { return w.threads }

// Go runs f in a goroutine. The run ends only after it.
func (w *World) Go(f func()) { w.owner.Go(f) }

// After calls f, with the lock held, once d has passed, unless the run is finished by then.
func (w *World) After(d time.Duration, f func()) { w.owner.After(d, func() { w.Locked(f) }) }

// Now returns the time since the run began.
func (w *World) Now() time.Duration {
	if w.began.IsZero() {
		return 0
	}
	return time.Since(w.began)
}

// Started logs the start of the run.
func (w *World) Started() {
	w.Emit(event.Event{Kind: event.RunStarted, Text: w.cfg.Recipe, Path: w.cfg.Root, N: time.Now().UnixMilli()})
}

// Emit appends e to the log.
func (w *World) Emit(e event.Event) event.Seq {
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

// Seq returns the number of the latest event.
func (w *World) Seq() event.Seq { return w.seq }

// Ended reports whether the log has ended.
func (w *World) Ended() bool { return w.ended }

// Over returns a channel that closes when the log ends.
func (w *World) Over() <-chan struct{} { return w.over }

// Err returns why the run couldn't go on.
func (w *World) Err() error { return w.err }

// Fail ends the run with an error.
func (w *World) Fail(err error) {
	if !w.ended {
		w.err = err
		w.EndWith(event.EndOf(err))
	}
}

func (w *World) end(why event.Reason) { w.EndWith(event.Event{Kind: event.RunEnded, Reason: why}) }

// EndWith ends the log with an event, and all calls in which programs wait.
func (w *World) EndWith(e event.Event) {
	if w.ended {
		return
	}
	w.Emit(e)
	w.ended = true
	close(w.over)
	for _, t := range w.threads {
		t.halt(0)
	}
}

// Finish stops the timers and waits for the programs and for what Go has started. Programs that don't return within
// grace, if it isn't 0, are left behind. It takes the lock.
func (w *World) Finish(grace time.Duration) {
	w.owner.Close()
	if grace == 0 {
		w.programs.Wait()
	} else {
		returned := make(chan struct{})
		go func() { w.programs.Wait(); close(returned) }()
		select {
		case <-returned:
		case <-time.After(grace):
		}
	}
	w.owner.Wait()
}
