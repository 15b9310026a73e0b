package live

import (
	"cmp"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/process"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/capture"
	"github.com/zkviz/zkviz/engine/stores/remote/real"
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/zkclient"
)

// client is one process and its connection to ZooKeeper. It implements zoo.Client for the process, which runs in a
// goroutine. Its world's mu guards it.
type client struct {
	*capture.Client
	zkclient.Calls
	w    *world
	name string
	proc systems.Program
	cond *sync.Cond // signals any change that someone may wait for

	zk    *zk.Conn
	link  *link   // welcomed and still in use, else nil
	stale []*link // given up by the client, but the server doesn't know yet
	away  int     // how many new connections in a row the server has closed at once

	expired bool // the client knows that its session has ended

	state   process.Waiting
	holds   process.Holds
	timed   bool // its wait for a watch has a timeout
	crashed bool

	pausedAt    time.Time
	pauseEnd    time.Time
	cuts        int // how many cuts overlap
	slow        int // how many delays overlap
	dropNext    bool
	expire      bool // as soon as a connection can carry the request
	closing     bool // it has asked the server to end the session
	marked      bool // its marker exists: once that is gone, so is the session
	endedAt     time.Time
	expireCause event.Seq

	sockets   *real.Sockets // to nodes of other systems
	stallEnd  time.Time
	interrupt error // what Sleep and Work must return
	pushed    int   // the part of state.Inbound that nodes have sent

	call    *call
	unsure  int // its writes with an outcome that is still unknown
	watches zkclient.Watches
	lines   *process.Lines
	cause   event.Seq
}

func newClient(w *world, id event.Actor, p systems.Program) *client {
	c := &client{
		w: w, name: id.String(), proc: p, cond: sync.NewCond(&w.mu),
		state: process.Waiting{Away: true}, lines: process.NewLines(w.cfg.Source),
	}
	c.Client = &capture.Client{ID: id, Inbound: c.inbound, Latency: c.latency}
	c.Calls = zkclient.Calls{Asker: c}
	c.sockets = w.nodes.Sockets(id, &c.dropNext)
	return c
}

// live runs the client's goroutine. It takes mu.
func (c *client) live() {
	if c.Sleep(c.proc.Start) != nil {
		return
	}
	c.w.mu.Lock()
	c.awaitOther()
	if c.awake() {
		c.emit(event.Event{Kind: event.ClientStarted, Text: c.proc.Role})
	}
	c.w.mu.Unlock()
	err := c.connect()
	if err == nil {
		err = c.proc.Main(c)
	}
	c.exit(err)
}

// awaitOther waits for the end of the client after which this one starts.
func (c *client) awaitOther() {
	if c.proc.After == 0 {
		return
	}
	other := c.w.clients[c.proc.After-1]
	c.state.Later = true
	c.update()
	for !other.state.Ended && !c.halted() {
		c.cond.Wait()
	}
	c.state.Later = false
	c.update()
}

// timeout returns the session timeout that the client asks for.
func (c *client) timeout() time.Duration {
	return cmp.Or(c.proc.SessionTimeout, c.w.cfg.SessionTimeout)
}

// connect waits for the session and creates the marker that shows when the session ends. It takes mu.
func (c *client) connect() error {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	if err := c.refusal(); err != nil {
		return err // the connections may be closed already
	}
	conn, _, err := zk.Connect(c.w.cfg.Servers, c.timeout(),
		zk.WithDialer(c.dial), zk.WithHostProvider(&admin.Hosts{Start: int(c.ID)}), admin.Silent(), zk.WithLogInfo(false))
	if err != nil {
		return err
	}
	c.zk = conn
	for c.link == nil && !c.halted() && !c.expired {
		c.cond.Wait()
	}
	for {
		if err := c.refusal(); err != nil {
			return err
		}
		c.w.mu.Unlock()
		_, err := conn.Create(marker(c.w.cfg.Root, c.name), nil, zk.FlagEphemeral, c.w.acl)
		c.w.mu.Lock()
		switch admin.CodeOf(err) {
		case zoo.OK, zoo.ErrNodeExists:
			c.marked = true
			return nil
		case zoo.ErrConnectionLoss:
		default:
			return err
		}
	}
}

// exit ends the process and closes its session. It takes mu.
func (c *client) exit(err error) {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	if !c.awake() {
		return
	}
	c.closeSession()
	if !c.awake() {
		return
	}
	c.sockets.End(c.emit(process.Exited(err)))
	c.finish()
	c.w.checkDone()
}

func (c *client) closeSession() {
	conn := c.zk
	if conn == nil {
		return
	}
	if c.link == nil || c.expired {
		c.w.start(conn.Close) // waits for an answer that will not come
		return
	}
	c.closing = true
	c.begin(&zkclient.Request{Op: event.CloseSession, Ask: wire.Request{Op: wire.OpCloseSession}})
	c.w.mu.Unlock()
	conn.Close()
	c.w.mu.Lock()
	c.finishCall(nil)
}

// finish marks the process as ended and starts those that come after it.
func (c *client) finish() {
	c.state.Ended, c.endedAt = true, time.Now()
	c.w.running--
	c.update()
	c.cond.Broadcast()
	for _, next := range c.w.clients {
		if next.state.Later && next.proc.After == int(c.ID) {
			next.cond.Broadcast()
		}
	}
}

// disband closes the client's remaining connections after the run. It takes mu.
func (c *client) disband() {
	c.w.mu.Lock()
	conn := c.zk
	dead := c.crashed || c.expired || c.link == nil
	links := append(c.stale, c.link)
	c.w.mu.Unlock()
	if conn != nil && !dead {
		conn.Close()
	} else if conn != nil {
		c.w.start(conn.Close)
	}
	for _, l := range links {
		if l != nil {
			_ = l.Conn.Close() // it may be closed already
		}
	}
}

// halted reports whether the process must return.
func (c *client) halted() bool { return c.crashed || c.w.ended }

// awake waits until the program may run. It returns false if the process must return.
func (c *client) awake() bool {
	for (c.state.Paused || c.state.Stalled) && !c.halted() {
		c.cond.Wait()
	}
	return !c.halted()
}

// refusal returns the reason not to try a call, nil if there is none.
func (c *client) refusal() error {
	switch {
	case c.halted():
		return zoo.ErrStopped
	case c.expired:
		return zoo.ErrSessionExpired
	}
	return nil
}

// emit appends an event that the client itself causes.
func (c *client) emit(e event.Event) event.Seq {
	e.Actor = c.ID
	if e.Cause == 0 {
		e.Cause = c.cause
	}
	c.cause = c.w.emit(e)
	return c.cause
}

// resume ends the process's wait.
func (c *client) resume() {
	c.state.For = process.ForNothing
	c.update()
	c.cond.Broadcast()
}

// update updates the world's count of busy clients.
func (c *client) update() {
	c.state.Away = c.link == nil && c.cuts == 0
	if c.state.Update(&c.w.busy) {
		c.w.checkSettled()
	}
}
