package sim

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/process"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// The client library's side of a connection: handshake, heartbeats, giving up and coming back.

// dial opens a connection and asks for the session.
func (c *client) dial() {
	c.attempt++
	if wait := c.w.server.pause(c); wait > 0 {
		c.w.agenda.Add(c.w.now+wait, action{step: stepDial, client: c, n: c.attempt})
		return
	}
	c.connect()
}

// redial ends the pause before an attempt.
func (c *client) redial(attempt int64) {
	if attempt == c.attempt && c.conn == nil && !c.state.Ended && !c.expired && !c.crashed {
		c.connect()
	}
}

func (c *client) connect() {
	k := c.w.server.connect(c)
	c.trying = k
	k.ask(c.session, c.seen)
	k.sendUp(action{step: stepHello}, event.Event{Kind: event.MsgSent, Actor: c.id, Op: event.Connect, Cause: c.cause})
	c.w.agenda.Add(c.w.now+c.patience(), action{step: stepReconnect, client: c, n: c.attempt})
}

// ask sets the session for which the handshake asks.
func (k *conn) ask(n *session, seen int64) {
	k.asks = n
	k.hello = wire.ConnectRequest{LastZxidSeen: seen, TimeoutMS: k.client.askMS(), HasReadOnly: true}
	if n != nil {
		k.hello.Session, k.hello.Password = n.id, n.password
	}
}

// patience returns how long an attempt to connect may take before the next: a tenth of the session's timeout, but
// never less than the network needs.
func (c *client) patience() time.Duration {
	return max(c.timeout()/10, 4*(c.w.cfg.Latency+c.w.cfg.Jitter)) + c.w.server.slack()
}

// reconnect gives up the running attempt and the call that waits for it, and begins another.
func (c *client) reconnect(attempt int64) {
	if attempt != c.attempt || c.conn != nil || c.state.Ended || c.expired {
		return
	}
	c.fail(zoo.ErrConnectionLoss)
	if !c.state.Ended && c.conn == nil {
		c.dial()
	}
}

func (c *client) receive(a action) {
	k := a.conn
	if a.step == stepHungUp {
		if !k.cut() {
			c.hungUp(k, a.cause)
		}
		return
	}
	if k.lost(&k.down, a, event.ZooKeeper, c.id) || c.abandoned(a) {
		if a.step == stepNotify {
			c.state.Inbound--
			c.update()
		}
		return
	}
	k.heard = c.w.now
	switch a.step {
	case stepWelcome:
		c.welcome(k, a.cause)
	case stepReply:
		c.replied(a.req, a.cause)
	case stepNotify:
		c.notified(a)
	}
}

// abandoned reports whether the message came on a connection that the client has given up. That includes a welcome
// to another session than its present one. With an ensemble an earlier attempt no longer counts: it went to another
// server, and the client may have seen less then.
func (c *client) abandoned(a action) bool {
	if a.step == stepWelcome {
		return c.state.Ended || c.conn != nil || c.expired || a.conn.asks != c.session ||
			a.conn.server != 0 && a.conn != c.trying
	}
	return !a.conn.atClient
}

func (c *client) welcome(k *conn, cause event.Seq) {
	if k.welcome.Session == 0 {
		c.learnExpiry(cause)
		return
	}
	if c.session == nil {
		c.session = &session{id: k.welcome.Session, password: k.welcome.Password}
	}
	c.session.timeout = time.Duration(k.welcome.TimeoutMS) * time.Millisecond
	c.conn = k
	k.atClient = true
	c.silenced = 0
	c.emit(event.Event{Kind: event.ConnOpened, Peer: k.at(), Session: c.session.id, N: int64(c.session.timeout),
		Cause: cause})
	c.w.agenda.Add(c.w.now+c.session.timeout/3, action{step: stepBeat, client: c, conn: k})
	c.rearm()
	switch {
	case c.state.For == process.ForConnection:
		c.wake()
	case c.op != nil && !c.op.Sent:
		c.transmit(c.op)
	}
	c.update()
}

// rearm sends the watches that haven't fired to a server that has forgotten them.
func (c *client) rearm() {
	standing := c.watches.Standing()
	if c.state.Restores = len(standing) > 0; c.state.Restores {
		c.transmit(setWatches(standing, c.seen))
	}
}

// beat pings a server after a third of the timeout without a message to it, and gives up one that was silent for
// two thirds.
func (c *client) beat(k *conn) {
	if k != c.conn || c.state.Ended {
		return
	}
	now, timeout := c.w.now, c.session.timeout
	if now-k.heard >= timeout*2/3 {
		c.disconnect(k, event.ConnSilent, c.silenced)
		return
	}
	if now-k.sent >= timeout/3 {
		k.sendUp(action{step: stepPing}, event.Event{Kind: event.MsgSent, Actor: c.id, Op: event.Ping})
	}
	next := min(k.sent+timeout/3, k.heard+timeout*2/3)
	c.w.agenda.Add(next, action{step: stepBeat, client: c, conn: k})
}

func (c *client) hungUp(k *conn, cause event.Seq) {
	switch {
	case c.state.Ended:
	case k == c.conn:
		c.disconnect(k, event.ConnHungUp, cause)
	case c.conn == nil && k == c.trying && k.server != 0: // a server of an ensemble; the next may accept it
		if k.why == event.ConnZxidAhead {
			c.emit(event.Event{Kind: event.ConnClosed, Peer: k.at(), Reason: k.why, Cause: cause})
		}
		c.reconnect(c.attempt)
	}
}

// disconnect gives up a connection. The outcome of a pending request is unknown.
func (c *client) disconnect(k *conn, why event.Reason, cause event.Seq) {
	k.atClient = false
	c.conn, c.state.Restores = nil, false
	c.update()
	c.emit(event.Event{Kind: event.ConnClosed, Reason: why, Cause: cause})
	c.dial()
	if c.op != nil && c.op.Sent {
		c.fail(zoo.ErrConnectionLoss)
	}
}

// learnExpiry records that the client learns that its session is over.
func (c *client) learnExpiry(cause event.Seq) {
	c.expired = true
	c.watches.Forget()
	c.emit(event.Event{Kind: event.ConnClosed, Reason: event.BySessionExpired, Cause: cause})
	switch c.state.For {
	case process.ForReply:
		c.fail(zoo.ErrSessionExpired)
	case process.ForWatch, process.ForTimer:
		c.wake()
	case process.ForSettled:
		c.w.settle.Leave(c)
		c.wake()
	}
}

// notified delivers a watch event to the process.
func (c *client) notified(a action) {
	c.state.Inbound--
	c.emit(event.Event{Kind: event.WatchDelivered, Path: a.path, Type: uint8(a.typ), Cause: a.cause})
	awaited := c.watches.Fire(zoo.WatchEvent{Type: a.typ, Path: a.path})
	if awaited && c.state.For == process.ForWatch {
		c.wake()
		return
	}
	c.update()
}
