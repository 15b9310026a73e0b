package live

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/process"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/remote/real"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// beside runs next to a client's program in the same process, like a timer's thread. It stops when the process is
// paused, but not when only the program is stalled. It implements systems.World.
type beside struct {
	*client
	stopped bool
	cause   event.Seq
}

var (
	_ systems.World = (*beside)(nil)
	_ real.Caller   = besideCaller{}
)

// Beside implements systems.World.
func (c *client) Beside(main func(systems.World) error) (stop func()) {
	b := &beside{client: c}
	c.w.processes.Go(func() {
		err := main(b)
		c.w.locked(func() {
			if err != nil && !b.stopped {
				c.interrupt = err
				c.cond.Broadcast()
			}
		})
	})
	return func() {
		c.w.locked(func() {
			b.stopped = true
			c.interrupt = nil
			c.sockets.Leave(besideCaller{b}, c.cause)
			c.cond.Broadcast()
		})
	}
}

// ready waits while the process is paused. It returns an error if calls are no longer answered.
func (b *beside) ready() error {
	for b.state.Paused && !b.halted() && !b.stopped {
		b.cond.Wait()
	}
	if b.halted() || b.stopped || b.state.Ended {
		return program.ErrStopped
	}
	return nil
}

func (b *beside) emit(e event.Event) event.Seq {
	e.Actor = b.ID
	if e.Cause == 0 {
		e.Cause = b.cause
	}
	b.cause = b.w.emit(e)
	return b.cause
}

// say emits an event, unless the process is over.
func (b *beside) say(e event.Event) error {
	b.w.mu.Lock()
	defer b.w.mu.Unlock()
	err := b.ready()
	if err == nil {
		b.emit(e)
	}
	return err
}

// Sleep implements program.Process.
func (b *beside) Sleep(d time.Duration) error {
	b.w.mu.Lock()
	defer b.w.mu.Unlock()
	end := time.Now().Add(d)
	if d > 0 {
		defer b.wakeAt(end).Stop()
	}
	for {
		if err := b.ready(); err != nil || !time.Now().Before(end) {
			return err
		}
		b.cond.Wait()
	}
}

// Work implements program.Process. It never waits for others to settle.
func (b *beside) Work(d time.Duration) error { return b.Sleep(max(d, 0)) }

// Poll implements program.Process.
func (b *beside) Poll(d time.Duration) error {
	if err := b.say(process.Refused(max(d, 0))); err != nil {
		return err
	}
	return b.Sleep(d)
}

// Write implements program.Process.
func (b *beside) Write(store, text string, fence int64) error {
	b.w.mu.Lock()
	defer b.w.mu.Unlock()
	if err := b.ready(); err != nil {
		return err
	}
	kind, err := b.w.stores.Take(store, fence)
	b.emit(event.Event{Kind: kind, Path: store, Text: event.Preview([]byte(text)), N: fence})
	return err
}

// Phase implements program.Process.
func (b *beside) Phase(p program.Phase, about program.Subject) { _ = b.say(process.Phase(p, about)) }

// Note implements program.Process.
func (b *beside) Note(text string) { _ = b.say(process.Note(text)) }

// ZooKeeper implements systems.World. It panics: only one thread at a time may use the program's session.
func (b *beside) ZooKeeper() zoo.Client {
	panic("what runs beside a program has no session of its own")
}

// Connect implements systems.World.
func (b *beside) Connect(node int) remote.Conn {
	b.w.mu.Lock()
	defer b.w.mu.Unlock()
	return b.sockets.Connect(node, besideCaller{b})
}

// besideCaller adapts beside for its connections. It implements real.Caller.
type besideCaller struct{ *beside }

func (b besideCaller) Ready() error                    { return b.ready() }
func (b besideCaller) Wait()                           { b.cond.Wait() }
func (b besideCaller) Wake()                           { b.cond.Broadcast() }
func (b besideCaller) WakeAt(at time.Time) *time.Timer { return b.wakeAt(at) }
func (b besideCaller) Emit(e event.Event) event.Seq    { return b.emit(e) }
func (b besideCaller) Line() uint16                    { return 0 }
func (b besideCaller) Waits(process.Wait, bool, bool)  {}
func (b besideCaller) Inbound(int)                     {}
