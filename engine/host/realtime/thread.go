package realtime

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/process"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// Thread is a program, or a thread beside one in the same process, like a timer's. It implements systems.World, and
// runs in a goroutine. A thread beside a program stops when the process is paused, but not when the program is stalled.
type Thread struct {
	*Process
	State  process.Waiting
	Lost   error          // what Sleep, Work and Poll return from now on, if not nil
	Source *process.Lines // finds the line of the recipe that makes a call

	program   systems.Program
	holds     process.Holds
	timed     bool      // its wait has a timeout
	pushed    int       // the part of State.Inbound that nodes have sent
	endedAt   time.Time // when the program ended
	stopped   bool      // of a thread beside a program: it should return
	interrupt error     // the error of a thread beside it, for Sleep and Work to return
	cause     event.Seq
}

func newThread(s *Process, p systems.Program) *Thread {
	return &Thread{Process: s, program: p, Source: process.NewLines(s.w.cfg.Source)}
}

var _ systems.World = (*Thread)(nil)

// run runs the program, in a goroutine. It takes the lock.
func (t *Thread) run() {
	if t.Sleep(t.program.Start) != nil {
		return
	}
	t.w.Lock()
	t.awaitOther()
	err := t.Ready()
	if err == nil {
		t.Emit(event.Event{Kind: event.ClientStarted, Text: t.program.Role})
	}
	t.w.Unlock()
	if err != nil {
		return
	}
	err = t.program.Main(t)
	t.w.Lock()
	defer t.w.Unlock()
	if t.Ready() == nil {
		t.halt(t.Emit(process.Exited(err))) // its connections close with it
		t.finish()
	}
}

// awaitOther waits until the client that this one comes after has ended.
func (t *Thread) awaitOther() {
	if t.program.After == 0 {
		return
	}
	other := t.w.threads[t.program.After-1]
	t.State.Later = true
	t.Update()
	for !other.State.Ended && !t.gone {
		t.Wait()
	}
	t.State.Later = false
	t.Update()
}

// finish records that the program has ended, and wakes those that come after it.
func (t *Thread) finish() {
	t.State.Ended, t.endedAt = true, time.Now()
	t.w.settle.Leave(t)
	t.Update()
	t.Wake()
	for _, next := range t.w.threads {
		if next.State.Later && next.program.After == int(t.id) {
			next.Wake()
		}
	}
	t.w.running--
	t.w.CheckDone()
}

// EndedAt returns when the program ended.
func (t *Thread) EndedAt() time.Time { return t.endedAt }

// Cause returns the event that causes what the thread does next.
func (t *Thread) Cause() event.Seq { return t.cause }

// Emit logs an event that the thread causes.
func (t *Thread) Emit(e event.Event) event.Seq {
	e.Actor = t.id
	if e.Cause == 0 {
		e.Cause = t.cause
	}
	t.cause = t.w.Emit(e)
	return t.cause
}

// Update updates the world's count of programs that may still do something. Call it when State has changed.
func (t *Thread) Update() {
	if t != t.main {
		return
	}
	if t.State.Update(&t.w.busy) || t.w.busy == 0 {
		t.w.checkSettled()
	}
}

// Ready waits until the thread may run, and returns an error if its calls no longer get replies.
func (t *Thread) Ready() error {
	for (t.main.State.Paused || t.State.Stalled) && !t.gone && !t.stopped {
		t.Wait()
	}
	if t.gone || t.stopped {
		return program.ErrStopped
	}
	return nil
}

// undisturbed is Ready, but also returns the error of a lost session, and that of a thread beside the program once.
func (t *Thread) undisturbed() error {
	if err := t.ready(); err != nil {
		return err
	}
	err := t.interrupt
	t.interrupt = nil
	return err
}

func (t *Thread) ready() error {
	if t.Ready() != nil {
		return zoo.ErrStopped
	}
	return t.Lost
}

// Resume ends the thread's wait.
func (t *Thread) Resume() {
	t.waits(process.ForNothing, false, false)
	t.Wake()
}

// AwaitWatch records that the program waits for a watch of its session, timed if it has a timeout.
func (t *Thread) AwaitWatch(timed bool) { t.waits(process.ForWatch, false, timed) }

// waits records what the program waits for: kept if a node may make it wait for another client, timed if it has a
// timeout.
func (t *Thread) waits(what process.Wait, kept, timed bool) {
	t.State.For, t.State.Kept, t.timed = what, 0, timed
	if kept {
		t.State.Kept = 1
	}
	t.Update()
}

// inbound records how many pushes of nodes the program has not taken yet.
func (t *Thread) inbound(n int) {
	t.State.Inbound += n - t.pushed
	t.pushed = n
	t.Update()
}

// Beside implements systems.World. It takes the lock, as does stop.
func (t *Thread) Beside(main func(systems.World) error) (stop func()) {
	b := newThread(t.Process, systems.Program{Main: main})
	t.w.programs.Go(func() {
		err := main(b)
		t.w.Locked(func() {
			if err != nil && !b.stopped {
				t.interrupt = err
				t.Wake()
			}
		})
	})
	return func() {
		t.w.Locked(func() {
			b.stopped = true
			t.interrupt = nil
			t.leave(b, t.cause)
			t.Wake()
		})
	}
}
