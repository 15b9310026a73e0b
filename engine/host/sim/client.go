package sim

import (
	"iter"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/process"
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
	"github.com/zkviz/zkviz/engine/zookeeper/zkclient"
)

// client is one process with its ZooKeeper client library. It implements systems.World for the process, which runs
// as a coroutine.
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
	vanished bool // nobody was notified of its crash
	stalled  bool // only the program is paused, not what runs beside it
	halted   bool // the process was told to return
	refused  int  // calls refused since then, or since it knows that its session is over
	timer    int64

	pausedTo time.Duration
	held     []action // what arrived during a pause
	cut      bool
	cuts     int // how many cuts overlap
	slow     int // how many delays overlap

	wires     []*line   // to nodes of other systems
	beside    []*client // what runs beside the program, in the same process
	main      *client   // the program, for a client that runs beside one
	interrupt error     // the error that the program's Sleep or Work returns next

	conn     *conn
	trying   *conn    // on which it asks for a session
	servers  []zab.ID // an ensemble's servers, in the order in which it tries them
	tried    int
	cutFrom  map[zab.ID]int // servers that it can't reach, with the number of overlapping cuts
	session  *session
	expired  bool // it has learned that its session is over
	dropNext bool
	attempt  int64
	seen     int64 // the last zxid in a reply

	op       *zkclient.Request // for which the process waits
	last     *zkclient.Request // the process's last request, to be reused
	write    *write            // likewise, its last write to an external store
	watches  zkclient.Watches
	overdue  bool
	cause    event.Seq // the cause of its next act
	silenced event.Seq // why the server hears nothing from it, if so
	lines    *process.Lines
}

func newClient(w *world, id event.Actor, p systems.Program) *client {
	c := &client{
		w: w, id: id, name: id.String(), proc: p, lines: process.NewLines(w.cfg.Source),
		state: process.Waiting{Away: true},
	}
	c.Calls = zkclient.Calls{Asker: c, ACL: w.open}
	return c
}

// start begins the process once the one that it follows is gone: it connects, then runs.
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

// stopWaiting ends the wait for another client's end.
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

// update maintains the world's count of clients that will still do something.
func (c *client) update() {
	if c.main != nil {
		return // nobody waits for what runs beside a program
	}
	c.state.Away = c.conn == nil && !c.cut && !c.w.cfg.NoZooKeeper
	c.state.Update(&c.w.busy)
}

// misled reports whether the client believes in a connection on which something was lost: it will find out and come
// back, unless it has ended.
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

// setTimer wakes the process after d, unless something else does earlier.
func (c *client) setTimer(d time.Duration) {
	c.w.agenda.Add(c.w.now+min(d, MaxTime), action{step: stepTimer, client: c, n: c.timer}) // no run lasts longer
}

func (c *client) timerFired(n int64) {
	if n == c.timer && (c.state.For == process.ForTimer || c.state.For == process.ForWatch) {
		c.overdue = true
		c.wake()
	}
}
