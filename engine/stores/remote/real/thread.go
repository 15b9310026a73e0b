package real

import (
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/process"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// home is a process: what its program shares with the threads beside it.
type home struct {
	w       *world
	id      event.Actor
	cond    *sync.Cond // on the world's mu: something that the process may wait for has changed
	sockets *Sockets

	dropNext bool
	gone     bool // it has crashed, or the run is over: its calls return
	paused   bool
	pauseEnd time.Time
}

func newHome(w *world, id event.Actor) *home {
	h := &home{w: w, id: id, cond: sync.NewCond(&w.mu)}
	h.sockets = w.nodes.Sockets(id, &h.dropNext)
	return h
}

func (h *home) emit(e event.Event) event.Seq {
	e.Actor = h.id
	return h.w.Emit(e)
}

// crash closes the process's connections and makes its calls return.
func (h *home) crash(cause event.Seq) {
	h.gone = true
	h.sockets.End(cause)
	h.cond.Broadcast()
}

func (h *home) pause(d time.Duration, cause event.Seq) {
	h.emit(event.Event{Kind: event.ClientPaused, N: int64(d), Cause: cause})
	if end := time.Now().Add(d); end.After(h.pauseEnd) {
		h.pauseEnd = end
	}
	if !h.paused {
		h.paused = true
		h.sockets.Freeze()
	}
	h.w.threads[h.id-1].update()
	h.w.After(d, func() {
		if h.gone || !h.paused || time.Now().Before(h.pauseEnd) {
			return
		}
		h.paused = false
		h.emit(event.Event{Kind: event.ClientResumed})
		h.sockets.Thaw()
		h.w.threads[h.id-1].update()
		h.cond.Broadcast()
	})
}

// thread is a program, or a thread beside one. It implements systems.World, and runs as a goroutine.
type thread struct {
	home    *home
	program systems.Program
	main    *thread // of a thread beside a program: that program

	state     process.Waiting
	holds     process.Holds
	timed     bool // its wait has a timeout
	stalled   bool
	stallEnd  time.Time
	stopped   bool  // of a thread beside a program: it should return
	interrupt error // the error for Sleep and Work to return
	source    *process.Lines
	cause     event.Seq
}

func newThread(h *home, p systems.Program) *thread {
	return &thread{home: h, program: p, source: process.NewLines(h.w.cfg.Source)}
}

var _ systems.World = (*thread)(nil)

// live runs the program, in a goroutine. It takes mu.
func (t *thread) live() {
	w := t.home.w
	if t.Sleep(t.program.Start) != nil {
		return
	}
	w.mu.Lock()
	t.awaitOther()
	err := t.Ready()
	if err == nil {
		t.Emit(event.Event{Kind: event.ClientStarted, Text: t.program.Role})
	}
	w.mu.Unlock()
	if err != nil {
		return
	}
	err = t.program.Main(t)
	w.mu.Lock()
	defer w.mu.Unlock()
	if t.Ready() != nil || t.state.Ended {
		return
	}
	t.home.crash(t.Emit(process.Exited(err))) // its connections close with it
	t.finish()
}

// awaitOther waits until the client that this one comes after has ended.
func (t *thread) awaitOther() {
	if t.program.After == 0 {
		return
	}
	other := t.home.w.threads[t.program.After-1]
	t.state.Later = true
	t.update()
	for !other.state.Ended && !t.home.gone {
		other.home.cond.Wait()
	}
	t.state.Later = false
	t.update()
}

// finish records that the program has ended.
func (t *thread) finish() {
	w := t.home.w
	if t.state.Ended {
		return
	}
	if t.state.Refused {
		t.state.Refused = false
		w.refused--
	}
	t.state.Ended = true
	w.settle.Leave(t)
	t.update()
	t.home.cond.Broadcast()
	w.running--
	w.checkDone()
}

// Emit implements Caller.
func (t *thread) Emit(e event.Event) event.Seq {
	if e.Cause == 0 {
		e.Cause = t.cause
	}
	t.cause = t.home.emit(e)
	return t.cause
}

// update updates the world's count of programs that may still do something.
func (t *thread) update() {
	if t.main != nil {
		return
	}
	t.state.Paused, t.state.Stalled = t.home.paused, t.stalled
	if t.state.Update(&t.home.w.busy) || t.home.w.busy == 0 {
		t.home.w.checkSettled()
	}
}

// Ready implements Caller.
func (t *thread) Ready() error {
	for (t.home.paused || t.stalled) && !t.home.gone && !t.stopped {
		t.home.cond.Wait()
	}
	if t.home.gone || t.stopped || t.home.w.ended {
		return program.ErrStopped
	}
	return nil
}

// disturbed is Ready, but also returns the error of a thread beside the program.
func (t *thread) disturbed() error {
	if err := t.Ready(); err != nil {
		return err
	}
	err := t.interrupt
	t.interrupt = nil
	return err
}

func (t *thread) stall(d time.Duration, cause event.Seq) {
	t.Emit(event.Event{Kind: event.ProcessStalled, N: int64(d), Cause: cause})
	if end := time.Now().Add(d); end.After(t.stallEnd) {
		t.stallEnd = end
	}
	t.stalled = true
	t.update()
	t.home.w.After(d, func() {
		if t.home.gone || !t.stalled || time.Now().Before(t.stallEnd) {
			return
		}
		t.stalled = false
		t.Emit(event.Event{Kind: event.ProcessMoves})
		t.update()
		t.home.cond.Broadcast()
	})
}

// Name implements program.Process.
func (t *thread) Name() string { return t.home.id.String() }

// Now implements program.Process.
func (t *thread) Now() time.Duration {
	t.home.w.mu.Lock()
	defer t.home.w.mu.Unlock()
	return t.home.w.Now()
}

// Sleep implements program.Process.
func (t *thread) Sleep(d time.Duration) error {
	t.home.w.mu.Lock()
	defer t.home.w.mu.Unlock()
	return t.sleep(d)
}

func (t *thread) sleep(d time.Duration) error {
	end := time.Now().Add(d)
	if d > 0 {
		defer t.WakeAt(end).Stop()
	}
	for {
		if err := t.disturbed(); err != nil || !time.Now().Before(end) {
			return err
		}
		t.home.cond.Wait()
	}
}

// Wait implements Caller.
func (t *thread) Wait() { t.home.cond.Wait() }

// Wake implements Caller: it wakes all that wait for something of this process.
func (t *thread) Wake() { t.home.cond.Broadcast() }

// Waits implements Caller.
func (t *thread) Waits(what process.Wait, kept, ends bool) {
	t.state.For, t.state.Kept, t.timed = what, 0, ends
	if kept {
		t.state.Kept = 1
	}
	t.update()
}

// Inbound implements Caller.
func (t *thread) Inbound(n int) {
	t.state.Inbound = n
	t.update()
}

// Line implements Caller.
func (t *thread) Line() uint16 { return t.source.At() }

// WakeAt implements Caller.
func (t *thread) WakeAt(at time.Time) *time.Timer {
	return time.AfterFunc(time.Until(at), func() { t.home.w.locked(t.home.cond.Broadcast) })
}

// Poll implements program.Process.
func (t *thread) Poll(d time.Duration) error {
	w := t.home.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := t.Ready(); err != nil {
		return err
	}
	t.Emit(process.Refused(max(d, 0)))
	if t.main == nil && !t.state.Refused {
		t.state.Refused = true
		w.refused++
		t.update()
	}
	return t.sleep(d)
}

// Work implements program.Process.
func (t *thread) Work(d time.Duration) error {
	w := t.home.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if d != program.UntilSettled {
		return t.sleep(d)
	}
	if err := t.disturbed(); err != nil {
		return err
	}
	w.settle.Join(t)
	t.state.For = process.ForSettled
	t.update()
	for t.state.For == process.ForSettled && !t.home.gone && t.interrupt == nil {
		t.home.cond.Wait()
	}
	w.settle.Leave(t)
	t.state.For = process.ForNothing
	t.update()
	return t.disturbed()
}

// Write implements program.Process. The stores are the host's.
func (t *thread) Write(store, text string, fence int64) error {
	w := t.home.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := t.Ready(); err != nil {
		return err
	}
	kind, err := w.stores.Take(store, fence)
	t.Emit(event.Event{Kind: kind, Path: store, Text: event.Preview([]byte(text)), N: fence})
	return err
}

// Phase implements program.Process.
func (t *thread) Phase(p program.Phase, about program.Subject) {
	w := t.home.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if t.Ready() != nil {
		return
	}
	t.Emit(process.Phase(p, about))
	if n := t.holds.Phase(p); n > 0 && t.main == nil {
		w.plan(func(f fault.Fault) bool { return f.Client == int(t.home.id) && f.Hold == n })
	}
	if p.Inside() {
		w.gotIn()
	}
}

// Note implements program.Process.
func (t *thread) Note(text string) {
	t.home.w.mu.Lock()
	defer t.home.w.mu.Unlock()
	if t.Ready() == nil {
		t.Emit(process.Note(text))
	}
}

// ZooKeeper implements systems.World. There is none in this run.
func (t *thread) ZooKeeper() zoo.Client { panic("this run has no ZooKeeper") }

// Connect implements systems.World.
func (t *thread) Connect(node int) remote.Conn {
	t.home.w.mu.Lock()
	defer t.home.w.mu.Unlock()
	return t.home.sockets.Connect(node, t)
}

// Beside implements systems.World.
func (t *thread) Beside(main func(systems.World) error) (stop func()) {
	w := t.home.w
	b := newThread(t.home, systems.Program{Main: main})
	b.main = t
	w.all.Go(func() {
		err := main(b)
		w.locked(func() {
			if err != nil && !b.stopped {
				t.interrupt = err
				t.home.cond.Broadcast()
			}
		})
	})
	return func() {
		w.locked(func() {
			b.stopped = true
			t.interrupt = nil
			t.home.sockets.Leave(b, t.cause)
			t.home.cond.Broadcast()
		})
	}
}
