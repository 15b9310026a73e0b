package server

import (
	"net/netip"
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
	addr    netip.Addr
	actor   event.Actor
	session *session      // nil until the handshake was answered
	timeout time.Duration // of the session, as this connection negotiated it
	ids     []zoo.ID      // whom it has shown itself to be, and its address
	closed  bool
}

// Connect accepts a connection. The first thing that comes over it must be a handshake.
func (s *Server) Connect(link Link, from From) *Conn {
	return &Conn{s: s, link: link, addr: from.Addr, actor: from.Actor}
}

// Greet answers the handshake: with a new session, with the client's old one, or with a refusal.
func (c *Conn) Greet(q *wire.ConnectRequest, now time.Duration, cause event.Seq) {}

// Handle carries out a request and replies. It may be any request: also one whose Op is no operation
// (wire.ErrUnimplemented), which is answered so, and ends the connection.
func (c *Conn) Handle(q *wire.Request, now time.Duration, cause event.Seq) {}

// Malformed answers a request whose body cannot be read (wire.ErrMarshalling): a write takes a zxid all the
// same.
func (c *Conn) Malformed(q *wire.Request, now time.Duration, cause event.Seq) {}

// Lost is the end of the connection, from the client's side or in between. Its watches go with it, its session
// stays. Nothing may be called on the Conn afterwards but Lost, which does nothing any more.
func (c *Conn) Lost(now time.Duration, cause event.Seq) {}

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

// IDs is whom the connection has shown itself to be, and its address last.
func (c *Conn) IDs() []zoo.ID { return c.ids }
