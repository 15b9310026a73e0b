package sim

import (
	"iter"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/process"
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/engine/zookeeper/zkclient"
)

// client is one process with its ZooKeeper client library. It implements systems.World and zoo.Client for the
// process, which runs as a coroutine; the calls of a zoo.Client that a server answers go through its requests.
type client struct {
	zkclient.Calls
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
	vanished bool // it crashed and its connections don't end
	halted   bool // the process was told to return
	timer    int64
	overdue  bool
	lines    *process.Lines
	cause    event.Seq // the cause of its next act
	silenced event.Seq // why the server receives nothing from it, if so

	session     session
	requests    requests
	watches     zkclient.Watches
	network     network
	pause       pause
	nodeClients []*nodeClient // to nodes of other systems
	write       *storeWrite   // to an external store, for which the process waits

	beside    []*client // what runs beside the program, in the same process
	main      *client   // the program, for a client that runs beside one
	interrupt error     // the error that the program's Sleep or Work returns next
}

func newClient(w *world, id event.Actor, p systems.Program) *client {
	c := &client{
		w: w, id: id, name: id.String(), proc: p, lines: process.NewLines(w.cfg.Source),
		state: process.Waiting{Away: true},
	}
	c.session.client, c.requests.client, c.network.client, c.pause.client = c, c, c, c
	c.Calls = zkclient.Calls{Asker: &c.requests, ACL: w.acl}
	return c
}

// start begins the process once the one that it follows has ended: it connects, then runs.
func (c *client) start() {
	if after := c.proc.After; after > 0 && !c.w.clients[after-1].state.Ended {
		c.w.waitToStart++
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
	c.session.dial()
}

// run begins a program that needs no session.
func (c *client) run() {
	c.next, c.stop = iter.Pull(c.body)
	c.wake()
}

// body runs as the coroutine.
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
		c.interruptMain(err)
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

// park waits until somebody wakes the process. It returns false if the process must return.
func (c *client) park(on process.Wait) bool {
	c.state.For = on
	c.update()
	if !c.yield(struct{}{}) {
		c.halted = true
	}
	return !c.halted
}

// finish removes the process from the counts.
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
	if c.session.conn != nil {
		c.session.conn.open = false
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

// stopWaiting ends the wait for another client's end.
func (c *client) stopWaiting() {
	if c.state.Later {
		c.state.Later = false
		c.w.waitToStart--
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

// update maintains the world's count of clients that will still do something.
func (c *client) update() {
	if c.main != nil {
		return // no client waits for what runs beside a program
	}
	c.state.Away = c.session.conn == nil && c.network.cuts == 0 && !c.w.cfg.NoZooKeeper
	c.state.Update(&c.w.busy)
}

// misled reports whether the client believes in a connection on which something was lost: it will find out and come
// back, unless it has ended.
func (c *client) misled() bool {
	return !c.state.Ended && (c.session.misled() || slices.ContainsFunc(c.nodeClients, (*nodeClient).misled))
}

// emit logs an act of the client, which becomes the cause of the next.
func (c *client) emit(e event.Event) event.Seq {
	e.Actor = c.id
	if e.Cause == 0 {
		e.Cause = c.cause
	}
	c.cause = c.w.emit(e)
	return c.cause
}

// setTimer wakes the process after d, unless something else does earlier.
func (c *client) setTimer(d time.Duration) {
	c.w.agenda.Add(c.w.now+min(d, MaxTime), action{step: stepTimer, client: c, n: c.timer}) // no run lasts longer
}

// timerFired wakes the process if it still waits for that timer.
func (c *client) timerFired(n int64) {
	if n == c.timer && (c.state.For == process.ForTimer || c.state.For == process.ForWatch) {
		c.overdue = true
		c.wake()
	}
}
