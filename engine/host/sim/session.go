package sim

import (
	"cmp"
	"math"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/process"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// session is a client's session as its client library knows it, with its connections: handshakes, heartbeats, giving
// up a connection and opening the next.
type session struct {
	client   *client
	id       int64 // 0 before the first welcome
	password []byte
	timeout  time.Duration // as last negotiated
	expired  bool          // the client has learned that the session is over
	seen     int64         // the last zxid in a reply

	conn    *conn
	trying  *conn    // on which it asks for the session
	attempt int64    // the running one
	servers []zab.ID // an ensemble's servers, in the order in which it tries them
	tried   int
}

// requested returns the timeout that the client requests.
func (s *session) requested() time.Duration {
	return cmp.Or(s.client.proc.SessionTimeout, s.client.w.cfg.SessionTimeout)
}

// dial opens a connection and asks for the session.
func (s *session) dial() {
	c := s.client
	s.attempt++
	if wait := c.w.server.pause(c); wait > 0 {
		c.w.agenda.Add(c.w.now+wait, action{step: stepDial, client: c, n: s.attempt})
		return
	}
	s.connect()
}

// redial ends the pause before an attempt.
func (s *session) redial(attempt int64) {
	if attempt == s.attempt && s.conn == nil && !s.client.state.Ended && !s.expired && !s.client.crashed {
		s.connect()
	}
}

// connect opens the next connection, and asks for the session on it.
func (s *session) connect() {
	c := s.client
	k := c.w.server.connect(c)
	s.trying = k
	k.hello = s.hello()
	k.sendUp(action{step: stepHello},
		event.Event{Kind: event.MsgSent, Actor: c.id, Op: event.Connect, Cause: c.cause})
	c.w.agenda.Add(c.w.now+s.connectTimeout(), action{step: stepReconnect, client: c, n: s.attempt})
}

// hello returns a handshake that asks for the session, or for a new one.
func (s *session) hello() wire.ConnectRequest {
	ms := int32(min(s.requested().Milliseconds(), math.MaxInt32))
	return wire.ConnectRequest{LastZxidSeen: s.seen, TimeoutMS: ms, HasReadOnly: true, Session: s.id, Password: s.password}
}

// connectTimeout returns how long an attempt to connect may take before the next: a tenth of the session's timeout, but
// never less than the network needs.
func (s *session) connectTimeout() time.Duration {
	c := s.client
	return max(s.requested()/10, 4*(c.w.cfg.Latency+c.w.cfg.Jitter)) + c.w.server.slack()
}

// reconnect gives up the running attempt and the call that waits for it, and begins another.
func (s *session) reconnect(attempt int64) {
	c := s.client
	if attempt != s.attempt || s.conn != nil || c.state.Ended || s.expired {
		return
	}
	c.requests.fail(zoo.ErrConnectionLoss)
	if !c.state.Ended && s.conn == nil {
		s.dial()
	}
}

// receive takes the server's message, or the end of its connection.
func (s *session) receive(a *action) {
	c := s.client
	k := a.conn
	if a.step == stepHungUp {
		if !k.cut() {
			s.hungUp(k, a.cause)
		}
		return
	}
	if k.lost(&k.down, a, event.ZooKeeper, c.id) || s.abandoned(a) {
		if a.step == stepNotify {
			c.state.Inbound--
			c.update()
		}
		return
	}
	k.heard = c.w.now
	switch a.step {
	case stepWelcome:
		s.welcome(k, a.cause)
	case stepReply:
		c.requests.replied(a.req, a.cause)
	case stepNotify:
		s.notified(a)
	}
}

// abandoned reports whether the message came on a connection that the client has given up. That includes a welcome
// to another session than its present one. With an ensemble an earlier attempt no longer counts: it went to another
// server, and the client may have seen less then.
func (s *session) abandoned(a *action) bool {
	if a.step == stepWelcome {
		return s.client.state.Ended || s.conn != nil || s.expired || a.conn.hello.Session != s.id ||
			a.conn.server != 0 && a.conn != s.trying
	}
	return !a.conn.open
}

// welcome takes the answer to a handshake.
func (s *session) welcome(k *conn, cause event.Seq) {
	c := s.client
	if k.welcome.Session == 0 {
		s.learnExpiry(cause)
		return
	}
	if s.id == 0 {
		s.id, s.password = k.welcome.Session, k.welcome.Password
	}
	s.timeout = time.Duration(k.welcome.TimeoutMS) * time.Millisecond
	s.conn = k
	k.open = true
	c.silenced = 0
	c.emit(event.Event{Kind: event.ConnOpened, Peer: k.peer(), Session: s.id, N: int64(s.timeout),
		Cause: cause})
	c.w.agenda.Add(c.w.now+s.timeout/3, action{step: stepHeartbeat, client: c, conn: k})
	s.restoreWatches()
	switch {
	case c.state.For == process.ForConnection:
		c.wake()
	case c.requests.pending != nil && !c.requests.pending.Sent:
		c.requests.send(c.requests.pending)
	}
	c.update()
}

// restoreWatches sends the watches that haven't fired to a server that doesn't know them.
func (s *session) restoreWatches() {
	c := s.client
	standing := c.watches.Standing()
	if c.state.Restores = len(standing) > 0; c.state.Restores {
		c.requests.send(setWatches(standing, s.seen))
	}
}

// heartbeat pings a server after a third of the timeout without a message to it, and gives up one that was silent
// for two thirds.
func (s *session) heartbeat(k *conn) {
	c := s.client
	if k != s.conn || c.state.Ended {
		return
	}
	now, timeout := c.w.now, s.timeout
	if now-k.heard >= timeout*2/3 {
		s.disconnect(k, event.ConnSilent, c.silenced)
		return
	}
	if now-k.sent >= timeout/3 {
		k.sendUp(action{step: stepPing}, event.Event{Kind: event.MsgSent, Actor: c.id, Op: event.Ping})
	}
	next := min(k.sent+timeout/3, k.heard+timeout*2/3)
	c.w.agenda.Add(next, action{step: stepHeartbeat, client: c, conn: k})
}

// hungUp takes the server's end of a connection.
func (s *session) hungUp(k *conn, cause event.Seq) {
	switch {
	case s.client.state.Ended:
	case k == s.conn:
		s.disconnect(k, event.ConnHungUp, cause)
	case s.conn == nil && k == s.trying && k.server != 0: // a server of an ensemble; the next may accept it
		if k.reason == event.ConnZxidAhead {
			s.client.emit(event.Event{Kind: event.ConnClosed, Peer: k.peer(), Reason: k.reason, Cause: cause})
		}
		s.reconnect(s.attempt)
	}
}

// disconnect gives up a connection. The outcome of a pending request is unknown.
func (s *session) disconnect(k *conn, why event.Reason, cause event.Seq) {
	c := s.client
	k.open = false
	s.conn, c.state.Restores = nil, false
	c.update()
	c.emit(event.Event{Kind: event.ConnClosed, Reason: why, Cause: cause})
	s.dial()
	if c.requests.pending != nil && c.requests.pending.Sent {
		c.requests.fail(zoo.ErrConnectionLoss)
	}
}

// learnExpiry records that the client learns that its session is over.
func (s *session) learnExpiry(cause event.Seq) {
	c := s.client
	s.expired = true
	c.watches.Forget()
	c.emit(event.Event{Kind: event.ConnClosed, Reason: event.BySessionExpired, Cause: cause})
	switch c.state.For {
	case process.ForReply:
		c.requests.fail(zoo.ErrSessionExpired)
	case process.ForWatch, process.ForTimer:
		c.wake()
	case process.ForSettled:
		c.w.settle.Leave(c)
		c.wake()
	}
}

// misled reports whether the client believes in a connection on which something was lost, or which the server has
// ended.
func (s *session) misled() bool {
	k := s.conn
	return k != nil && (k.up.broken || k.down.broken || k.over())
}

// notified delivers a watch event to the process.
func (s *session) notified(a *action) {
	c := s.client
	c.state.Inbound--
	c.emit(event.Event{Kind: event.WatchDelivered, Path: a.path, Type: uint8(a.typ), Cause: a.cause})
	awaited := c.watches.Fire(zoo.WatchEvent{Type: a.typ, Path: a.path})
	if awaited && c.state.For == process.ForWatch {
		c.wake()
		return
	}
	c.update()
}
