package sim

import (
	"iter"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/process"
	"github.com/zkviz/zkviz/engine/systems"
	"github.com/zkviz/zkviz/engine/zab"
)

// client is one process and the ZooKeeper client library inside it. It implements systems.World for the
// process, which runs as a coroutine.
type client struct {
	process.Calls
	w    *world
	id   event.Actor
	name string
	proc systems.Program

	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool

	state    process.Waiting
	holds    process.Holds
	crashed  bool
	vanished bool // nobody was told of its crash
	stalled  bool // only the program is paused, not what runs beside it
	halted   bool // the process is told to return
	refused  int  // calls, since that or since it knows that its session is over
	timer    int64

	pausedTo time.Duration
	held     []action // what arrived meanwhile
	cut      bool
	cuts     int // how many cuts overlap
	slow     int // how many delays overlap

	wires     []*line   // to nodes of other systems
	beside    []*client // what runs beside the program, in the same process
	main      *client   // of what runs beside one, the program
	interrupt error     // that Sleep and Work of the program are to return

	conn     *conn
	trying   *conn    // that it asks for a session on
	servers  []zab.ID // of an ensemble, in the order in which it tries them
	tried    int
	cutFrom  map[zab.ID]int // servers that nothing gets through to, and how many cuts overlap
	session  *session
	expired  bool // it has learnt that its session is over
	dropNext bool
	attempt  int64
	seen     int64 // the last zxid in a reply

	op       *process.Request // that the process waits for
	last     *process.Request // of the process, to be used again
	write    *write           // likewise, of a store outside
	watches  process.Watches
	overdue  bool
	cause    event.Seq // what its next act follows from
	silenced event.Seq // why the server hears nothing, if it does not
	lines    *process.Lines
}

func newClient(w *world, id event.Actor, p systems.Program) *client {
	c := &client{
		w: w, id: id, name: id.String(), proc: p, lines: process.NewLines(w.cfg.Source),
		state: process.Waiting{Away: true},
	}
	c.Calls = process.Calls{Asker: c, ACL: w.open}
	return c
}

// start begins the process, if the one that it comes after is gone: it connects, then runs.
func (c *client) start() {
	if after := c.proc.After; after > 0 && !c.w.clients[after-1].state.Ended {
		c.w.later++
		c.state.Later = true
		c.update()
		return
	}
	c.emit(event.Event{Kind: event.ClientStarted, Text: c.proc.Role})
	if c.w.cfg.NoZooKeeper {
		c.run()
		return
	}
	c.next, c.stop = iter.Pull(c.body)
	c.state.For = process.ForConnection
	c.dial()
}

// run begins a program that needs no session.
func (c *client) run() {
	c.next, c.stop = iter.Pull(c.body)
	c.wake()
}

// body is the coroutine.
func (c *client) body(yield func(struct{}) bool) {
	c.yield = yield
	err := c.proc.Main(c)
	if !c.halted {
		c.close()
	}
	if c.halted {
		return
	}
	c.state.Ended = true
	if c.main != nil {
		c.say(err)
		return
	}
	c.emit(process.Exited(err))
}

// wake lets the process run until it waits again.
func (c *client) wake() {
	c.state.For = process.ForNothing
	c.timer++
	c.next()
	if c.state.Ended {
		c.finish()
		return
	}
	c.update()
}

// park waits until somebody wakes the process. It reports false if the process must return.
func (c *client) park(on process.Wait) bool {
	c.state.For = on
	c.update()
	if !c.yield(struct{}{}) {
		c.halted = true
	}
	return !c.halted
}

// finish counts the process out.
func (c *client) finish() {
	c.state.Ended = true
	c.hangUp()
	if c.main != nil {
		return
	}
	c.w.running--
	if c.state.Refused {
		c.state.Refused = false
		c.w.refused--
	}
	if c.conn != nil {
		c.conn.atClient = false
	}
	c.stopWaiting()
	c.update()
	for _, next := range c.w.clients {
		if next.state.Later && next.proc.After == int(c.id) {
			next.stopWaiting()
			next.update()
			c.w.agenda.Add(c.w.now, action{step: stepStart, client: next})
		}
	}
}

// stopWaiting ends the wait for the end of another client.
func (c *client) stopWaiting() {
	if c.state.Later {
		c.state.Later = false
		c.w.later--
	}
}

// halt makes the process return from whatever it waits for.
func (c *client) halt() {
	c.halted = true
	for _, b := range c.beside {
		b.end()
	}
	if c.stop != nil {
		c.stop()
	}
}

// update keeps the world's count of who will still do something.
func (c *client) update() {
	if c.main != nil {
		return // what runs beside a program is not waited for
	}
	c.state.Away = c.conn == nil && !c.cut && !c.w.cfg.NoZooKeeper
	c.state.Update(&c.w.busy)
}

// misled reports that the client takes a connection for open on which something was lost: it will find out
// and come back. One that has ended will not.
func (c *client) misled() bool {
	return !c.state.Ended && (c.conn != nil && (c.conn.up.broken || c.conn.down.broken || c.conn.over()) ||
		slices.ContainsFunc(c.wires, (*line).misled))
}

func (c *client) emit(e event.Event) event.Seq {
	e.Actor = c.id
	if e.Cause == 0 {
		e.Cause = c.cause
	}
	c.cause = c.w.emit(e)
	return c.cause
}

// setTimer wakes the process after d, unless something else does before.
func (c *client) setTimer(d time.Duration) {
	c.w.agenda.Add(c.w.now+min(d, MaxTime), action{step: stepTimer, client: c, n: c.timer}) // no run lasts longer
}

func (c *client) timerFired(n int64) {
	if n == c.timer && (c.state.For == process.ForTimer || c.state.For == process.ForWatch) {
		c.overdue = true
		c.wake()
	}
}
