package server

import (
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// Conn is one connection to the server, from when it is accepted.
type Conn struct {
	s        *Server
	link     Link
	id       znode.Watcher
	addr     string // as written in the scheme ip
	actor    event.Actor
	session  *session      // nil until the handshake is answered
	timeout  time.Duration // the session's, as this connection negotiated it
	identity identity
	closed   bool
	cause    event.Seq // of its end
	lingers  bool      // closed, but Forget must still remove its watches

	// On a server of an ensemble.
	waits    []waiting // requests without an answer yet
	readOnly bool      // the client's handshake has this field
	claims   int64     // the session that the client asked to resume
	proves   bool      // the client sent the right password
}

// Connect accepts a connection. Its first message must be a handshake.
func (s *Server) Connect(link Link, from From) *Conn {
	c := &Conn{s: s, link: link, addr: AddrText(from.Addr), actor: from.Actor}
	c.identity.ids = []zoo.ID{{Scheme: "ip", ID: c.addr}}
	s.watchers.enter(c)
	return c
}

// AddrText formats an address as ZooKeeper does in the scheme ip and elsewhere. Like Java, it doesn't abbreviate
// zeros.
func AddrText(a netip.Addr) string {
	switch a = a.Unmap(); {
	case !a.IsValid():
		return ""
	case a.Is4():
		return a.String()
	}
	bytes := a.As16()
	var groups [8]string
	for i := range groups {
		groups[i] = strconv.FormatUint(uint64(bytes[2*i])<<8|uint64(bytes[2*i+1]), 16)
	}
	return strings.Join(groups[:], ":")
}

// Greet answers the handshake with a new session, the client's old one or a refusal.
func (c *Conn) Greet(q *wire.ConnectRequest, now time.Duration, cause event.Seq) {
	s := c.s
	if c.closed || c.session != nil {
		return
	}
	s.now = now
	if n := s.sessions.all[q.Session]; s.Member.ensemble != nil && c.actor == event.ZooKeeper && n != nil {
		c.actor = n.actor // also for a client that is refused
	}
	if q.LastZxidSeen > s.tree.Zxid() && !s.cfg.IgnoreSeen {
		c.close(event.ConnZxidAhead, cause)
		return
	}
	if s.Member.ensemble != nil {
		c.s.Member.greet(c, q, cause)
		return
	}
	c.timeout = s.sessions.negotiate(q.TimeoutMS)
	switch {
	case q.Session != 0:
		s.renew(c, q, cause)
	case s.cfg.MaxSessions > 0 && len(s.sessions.all) >= s.cfg.MaxSessions:
		c.close(event.ConnSessions, cause)
		return
	default:
		cause = s.open(c, cause)
	}
	c.welcome(q.HasReadOnly, cause)
}

func (c *Conn) welcome(readOnly bool, cause event.Seq) {
	r := wire.ConnectResponse{HasReadOnly: readOnly}
	if c.session == nil {
		r.Password = make([]byte, wire.PasswordBytes)
	} else {
		r.Session, r.TimeoutMS = c.session.id, int32(c.timeout.Milliseconds())
		r.Password = password(c.session.id, c.s.cfg.Seed)
	}
	c.link.Welcome(&r, cause)
	if c.session == nil {
		c.close(event.ConnRefused, cause)
	}
}

// Lost handles the end of the connection, caused by the client or on the way. Its watches go with it, its session
// stays. Afterwards, only Forget may be called on the Conn, and Lost, which then does nothing.
func (c *Conn) Lost(now time.Duration, cause event.Seq) {
	if !c.closed {
		c.s.now = now
		c.leave(cause)
	}
}

// Forget removes at most Config.Portion watches of a closed connection, for hosts that interleave other work. It
// reports whether there may be more. Changes in between use up watches without an event.
func (c *Conn) Forget() (more bool) {
	if !c.lingers {
		return false
	}
	gone := c.s.watchers.table.DropSome(c.id, c.s.cfg.Portion)
	c.s.watchers.logRemoved(c, gone, c.cause)
	if c.lingers = len(gone) == c.s.cfg.Portion; !c.lingers {
		c.s.watchers.leave(c)
	}
	return c.lingers
}

// close ends the connection from the server's side.
func (c *Conn) close(why event.Reason, cause event.Seq) {
	if !c.closed {
		c.leave(cause)
		c.link.Close(why, cause)
	}
}

func (c *Conn) leave(cause event.Seq) {
	s := c.s
	c.closed, c.cause = true, cause
	if c.session != nil && c.session.conn == c {
		c.session.conn = nil
	}
	for _, w := range c.waits {
		if w.token != 0 {
			c.session.orphaned++
		}
	}
	if s.cfg.Portion > 0 && s.watchers.table.Of(c.id) > s.cfg.Portion {
		c.lingers = true
		return
	}
	gone := s.watchers.table.Drop(c.id)
	c.s.watchers.leave(c)
	c.s.watchers.logRemoved(c, gone, cause)
}

// Owned returns the number of ephemeral znodes that the connection's session owns.
func (c *Conn) Owned() int {
	if c.session == nil {
		return 0
	}
	return c.s.tree.Owned(c.session.id)
}

// Closed reports whether either side has ended the connection.
func (c *Conn) Closed() bool { return c.closed }

// Session returns the number of the connection's session, or 0 before the handshake is answered.
func (c *Conn) Session() int64 {
	if c.session == nil {
		return 0
	}
	return c.session.id
}

// Actor returns the client's name in the log. Unless the host set it, it is 0 before the handshake is answered.
func (c *Conn) Actor() event.Actor { return c.actor }

// Timeout returns the session's timeout as this connection negotiated it.
func (c *Conn) Timeout() time.Duration { return c.timeout }
