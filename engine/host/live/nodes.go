package live

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/process"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/remote/real"
)

// host gives the connections to nodes of other systems access to the run. It implements real.Host.
type host struct{ w *world }

func (h host) Lock()                           { h.w.mu.Lock() }
func (h host) Unlock()                         { h.w.mu.Unlock() }
func (h host) Now() time.Duration              { return h.w.now() }
func (h host) Emit(e event.Event) event.Seq    { return h.w.emit(e) }
func (h host) After(d time.Duration, f func()) { h.w.after(d, f) }
func (h host) Go(f func())                     { h.w.start(f) }
func (h host) Fail(err error)                  { h.w.giveUp(err) }

// caller gives a client's connections to nodes access to the client. It implements real.Caller.
type caller struct{ *client }

var _ real.Caller = caller{}

// Connect implements systems.World.
func (c *client) Connect(node int) remote.Conn {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	return c.sockets.Connect(node, caller{c})
}

// Ready implements real.Caller. An expired ZooKeeper session doesn't matter to other systems.
func (c caller) Ready() error {
	if !c.awake() {
		return program.ErrStopped
	}
	return nil
}

func (c caller) Wait()                           { c.cond.Wait() }
func (c caller) Wake()                           { c.cond.Broadcast() }
func (c caller) WakeAt(at time.Time) *time.Timer { return c.wakeAt(at) }
func (c caller) Emit(e event.Event) event.Seq    { return c.emit(e) }
func (c caller) Line() uint16                    { return c.lines.At() }

// Waits implements real.Caller.
func (c caller) Waits(what process.Wait, kept, ends bool) {
	c.state.For, c.state.Kept, c.timed = what, 0, ends
	if kept {
		c.state.Kept = 1
	}
	c.update()
}

// Inbound implements real.Caller.
func (c caller) Inbound(n int) {
	c.state.Inbound += n - c.pushed
	c.pushed = n
	c.update()
}

// waitsForOthers reports whether the client does nothing more until another client acts.
func (c *client) waitsForOthers() bool {
	return c.state.For == process.ForWatch && !c.timed || c.state.For == process.ForReply && c.state.Kept > 0
}
