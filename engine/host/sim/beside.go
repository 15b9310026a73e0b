package sim

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/process"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// What runs beside a program, in the same process, is a client of its own without a session. It has a coroutine,
// timers and connections, and is paused and crashes with the program.

// Beside implements systems.World.
func (c *client) Beside(main func(systems.World) error) (stop func()) {
	b := newClient(c.w, c.id, systems.Program{Main: main})
	b.main, b.lines, b.state.Away = c, c.lines, false
	c.beside = append(c.beside, b)
	c.w.agenda.Add(c.w.now, action{step: stepStartBeside, client: b})
	return func() {
		b.end()
		c.beside = slices.DeleteFunc(c.beside, func(o *client) bool { return o == b })
		c.interrupt = nil
	}
}

// end ends what runs beside a program, whatever it is doing.
func (c *client) end() {
	if c.state.Ended {
		return
	}
	c.crashed = true
	c.halt()
	c.finish()
}

// interruptMain makes the program's Sleep or Work return an error. It may be running now.
func (c *client) interruptMain(err error) {
	if err == nil {
		return
	}
	c.main.interrupt = err
	c.w.agenda.Add(c.w.now, action{step: stepInterrupt, client: c.main, cause: c.cause})
}

// wakeInterrupted ends a running Sleep or Work.
func (c *client) wakeInterrupted() {
	if c.interrupt != nil && !c.state.Ended && (c.state.For == process.ForTimer || c.state.For == process.ForSettled) {
		c.wake()
	}
}

// interruption returns why a Sleep or Work ends early.
func (c *client) interruption() error {
	if err := c.refusal(); err != nil {
		return err
	}
	err := c.interrupt
	c.interrupt = nil
	return err
}

// hangUp ends the connections to nodes. A machine that has vanished sends no ends.
func (c *client) hangUp() {
	for _, l := range c.nodeClients {
		if k := l.conn; k != nil {
			l.conn, k.abandoned = nil, true
			if !c.vanished {
				k.sendEnd(c.cause)
			}
		}
	}
	c.nodeClients = nil
}

// vanish crashes the client without notifying any node.
func (c *client) vanish(cause event.Seq) {
	c.vanished = true
	for _, b := range c.beside {
		b.vanished = true
	}
	c.crash(c.emit(event.Event{Kind: event.ClientVanished, Cause: cause}))
}
