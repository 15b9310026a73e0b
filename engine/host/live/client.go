package live

import (
	"cmp"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/host/realtime"
	"github.com/zkviz/zkviz/engine/observe/capture"
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/zkclient"
)

// client is one process and its connection to ZooKeeper. It implements zoo.Client for the process, which runs in a
// goroutine. Its world's lock guards it.
type client struct {
	*realtime.Thread
	*capture.Client
	zkclient.Calls
	w    *world
	proc systems.Program

	zk    *zk.Conn
	link  *link   // welcomed and still in use, else nil
	stale []*link // given up by the client, but the server doesn't know yet
	away  int     // how many new connections in a row the server has closed at once

	crashed     bool
	expire      bool // as soon as a connection can carry the request
	closing     bool // it has asked the server to end the session
	marked      bool // its marker exists: once that is gone, so is the session
	expireCause event.Seq

	call    *call
	unsure  int // its writes with an outcome that is still unknown
	watches zkclient.Watches
}

func newClient(w *world, t *realtime.Thread, id event.Actor, p systems.Program) *client {
	c := &client{Thread: t, w: w, proc: p}
	c.State.Away = true
	c.Client = &capture.Client{ID: id, Inbound: c.inbound, Latency: c.Delay}
	c.Calls = zkclient.Calls{Asker: c}
	return c
}

// main runs the client's program, with a session. It takes the lock.
func (c *client) main() error {
	err := c.connect()
	if err == nil {
		err = c.proc.Main(c)
	}
	c.w.Lock()
	defer c.w.Unlock()
	if c.awake() {
		c.closeSession()
	}
	return err
}

// timeout returns the session timeout that the client asks for.
func (c *client) timeout() time.Duration {
	return cmp.Or(c.proc.SessionTimeout, c.w.cfg.SessionTimeout)
}

// connect waits for the session and creates the marker that shows when the session ends. It takes the lock.
func (c *client) connect() error {
	c.w.Lock()
	defer c.w.Unlock()
	if err := c.refusal(); err != nil {
		return err // the connections may be closed already
	}
	conn, _, err := zk.Connect(c.w.cfg.Servers, c.timeout(),
		zk.WithDialer(c.dial), zk.WithHostProvider(&admin.Hosts{Start: int(c.ID)}), admin.Silent(), zk.WithLogInfo(false))
	if err != nil {
		return err
	}
	c.zk = conn
	for c.link == nil && !c.halted() && c.Lost == nil {
		c.Wait()
	}
	for {
		if err := c.refusal(); err != nil {
			return err
		}
		c.w.Unlock()
		_, err := conn.Create(marker(c.w.cfg.Root, c.Name()), nil, zk.FlagEphemeral, c.w.acl)
		c.w.Lock()
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

func (c *client) closeSession() {
	conn := c.zk
	if conn == nil {
		return
	}
	if c.link == nil || c.Lost != nil {
		c.w.Go(conn.Close) // waits for an answer that will not come
		return
	}
	c.closing = true
	c.begin(&zkclient.Request{Op: event.CloseSession, Ask: wire.Request{Op: wire.OpCloseSession}})
	c.w.Unlock()
	conn.Close()
	c.w.Lock()
	c.finishCall(nil)
}

// disband closes the client's remaining connections after the run. It takes the lock.
func (c *client) disband() {
	c.w.Lock()
	conn := c.zk
	dead := c.crashed || c.Lost != nil || c.link == nil
	links := append(c.stale, c.link)
	c.w.Unlock()
	if conn != nil && !dead {
		conn.Close()
	} else if conn != nil {
		c.w.Go(conn.Close)
	}
	for _, l := range links {
		if l != nil {
			_ = l.Conn.Close() // it may be closed already
		}
	}
}

// halted reports whether the process must return.
func (c *client) halted() bool { return c.crashed || c.w.Ended() }

// awake waits until the program may run. It returns false if the process must return.
func (c *client) awake() bool { return c.Ready() == nil }

// refusal returns the reason not to try a call, nil if there is none.
func (c *client) refusal() error {
	if c.halted() {
		return zoo.ErrStopped
	}
	return c.Lost
}

// update is Update once the client may have got or lost a connection.
func (c *client) update() {
	c.State.Away = c.link == nil && !c.IsCut()
	c.Update()
}
