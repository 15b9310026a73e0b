package server

import (
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/znode"
	"github.com/zkviz/zkviz/engine/zoo"
)

// Conn is one connection to the server, from the moment that it is accepted.
type Conn struct {
	s       *Server
	link    Link
	id      znode.Watcher
	addr    string // as the scheme ip writes it
	actor   event.Actor
	session *session      // nil until the handshake was answered
	timeout time.Duration // of the session, as this connection negotiated it
	ids     []zoo.ID      // whom it has shown itself to be, and its address, in ZooKeeper's order
	known   map[zoo.ID]struct{}
	closed  bool
	cause   event.Seq // of its end
	lingers bool      // it is closed, and Forget is to take out its watches

	// At a server of an ensemble.
	waits    []waiting // what is not answered yet
	readOnly bool      // the client's handshake has the field
	claims   int64     // the session that it has asked for
	proves   bool      // with the right password
}

// Connect accepts a connection. The first thing that comes over it must be a handshake, and nothing else may be
// handled before.
func (s *Server) Connect(link Link, from From) *Conn {
	c := &Conn{s: s, link: link, addr: AddrText(from.Addr), actor: from.Actor}
	c.ids = []zoo.ID{{Scheme: "ip", ID: c.addr}}
	if n := len(s.free); n > 0 {
		c.id, s.free = s.free[n-1], s.free[:n-1]
		s.conns[c.id] = c
	} else {
		c.id = znode.Watcher(len(s.conns))
		s.conns = append(s.conns, c)
	}
	return c
}

// AddrText is how ZooKeeper writes an address, in the scheme ip and elsewhere: as Java does, which leaves no zeros out.
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

// Greet answers the handshake: with a new session, with the client's old one, or with a refusal.
func (c *Conn) Greet(q *wire.ConnectRequest, now time.Duration, cause event.Seq) {
	s := c.s
	if c.closed || c.session != nil {
		return
	}
	s.now = now
	if n := s.sessions[q.Session]; s.cfg.Ensemble != nil && c.actor == event.ZooKeeper && n != nil {
		c.actor = n.actor // also of one that is not let in
	}
	if q.LastZxidSeen > s.tree.Zxid() && !s.cfg.IgnoreSeen {
		c.close(event.ConnZxidAhead, cause)
		return
	}
	if s.cfg.Ensemble != nil {
		c.greet(q, cause)
		return
	}
	c.timeout = s.negotiate(q.TimeoutMS)
	switch {
	case q.Session != 0:
		s.renew(c, q, cause)
	case s.cfg.MaxSessions > 0 && len(s.sessions) >= s.cfg.MaxSessions:
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

// Lost is the end of the connection, from the client's side or in between. Its watches go with it, its session
// stays. Nothing may be called on the Conn afterwards but Forget, and Lost, which does nothing any more.
func (c *Conn) Lost(now time.Duration, cause event.Seq) {
	if !c.closed {
		c.s.now = now
		c.leave(cause)
	}
}

// Forget takes out at most Config.Portion of the watches of a connection that is over, for hosts that let others in
// between. It reports whether there may be more. A change meanwhile spends those that it concerns for nothing.
func (c *Conn) Forget() (more bool) {
	if !c.lingers {
		return false
	}
	gone := c.s.watches.DropSome(c.id, c.s.cfg.Portion)
	c.sayRemoved(gone, c.cause)
	if c.lingers = len(gone) == c.s.cfg.Portion; !c.lingers {
		c.giveID()
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
			c.session.owed++
		}
	}
	if s.cfg.Portion > 0 && s.watches.Of(c.id) > s.cfg.Portion {
		c.lingers = true
		return
	}
	gone := s.watches.Drop(c.id)
	c.giveID()
	c.sayRemoved(gone, cause)
}

// giveID lets another connection have the number of one that is over and has no watches.
func (c *Conn) giveID() {
	c.s.conns[c.id] = nil
	c.s.free = append(c.s.free, c.id)
}

func (c *Conn) sayRemoved(gone []znode.Fired, cause event.Seq) {
	for _, f := range gone {
		c.s.emit(event.Event{Kind: event.WatchRemoved, Peer: c.actor, Path: f.Path, Watch: f.Watch, Cause: cause})
	}
}

func (c *Conn) caller() znode.Caller { return znode.Caller{IDs: c.ids, Known: c.known} }

// Owned is how many ephemeral znodes the connection's session owns.
func (c *Conn) Owned() int {
	if c.session == nil {
		return 0
	}
	return c.s.tree.Owned(c.session.id)
}

// Closed reports whether the connection is over, whichever side ended it.
func (c *Conn) Closed() bool { return c.closed }

// Session is the number of the connection's session, 0 before the handshake was answered.
func (c *Conn) Session() int64 {
	if c.session == nil {
		return 0
	}
	return c.session.id
}

// Actor is who the log says the client is, 0 before the handshake was answered, unless the host named it.
func (c *Conn) Actor() event.Actor { return c.actor }

// Timeout is the session's, as this connection negotiated it.
func (c *Conn) Timeout() time.Duration { return c.timeout }
