package server

import "github.com/zkviz/zkviz/engine/zookeeper/wire"

// On a server of an ensemble, a session's reads wait for its earlier requests to the other servers, sent over this
// connection or a previous one.

// queues reports whether a read must wait.
func (c *Conn) queues() bool { return len(c.waits) > 0 || c.session != nil && c.session.owed > 0 }

// next returns the oldest request to the other servers. All earlier ones have been answered.
func (c *Conn) next() *wire.Request {
	c.session.owed = 0
	c.readOn()
	return c.waits[0].q
}

// readOn answers the reads that no longer have to wait.
func (c *Conn) readOn() {
	for !c.closed && c.session.owed == 0 && len(c.waits) > 0 && c.waits[0].token == 0 {
		w := c.waits[0]
		c.waits = c.waits[1:]
		c.read(w)
	}
}

// paid records the answer to a request from a connection that has ended.
func (s *Server) paid(c *Conn) {
	n := c.session
	if n == nil || n.owed == 0 {
		return
	}
	if n.owed--; n.owed == 0 && n.conn != nil {
		n.conn.readOn()
	}
}

// Follow handles a new leader: nobody will answer the requests to the previous one.
func (s *Server) Follow() {
	for token, c := range s.asked {
		if c.closed {
			delete(s.asked, token)
		}
	}
	for _, n := range s.sessions {
		n.owed = 0
	}
}
