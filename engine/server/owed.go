package server

import "github.com/zkviz/zkviz/engine/wire"

// How the reads of a session wait, at a server of an ensemble: for what the session has asked others about before, over
// this connection or over one that is over.

// queues reports whether a read must wait.
func (c *Conn) queues() bool { return len(c.waits) > 0 || c.session != nil && c.session.owed > 0 }

// next is the first that others were asked about. Whatever was asked before has come back by now.
func (c *Conn) next() *wire.Request {
	c.session.owed = 0
	c.readOn()
	return c.waits[0].q
}

// readOn answers the reads that need wait no longer.
func (c *Conn) readOn() {
	for !c.closed && c.session.owed == 0 && len(c.waits) > 0 && c.waits[0].token == 0 {
		w := c.waits[0]
		c.waits = c.waits[1:]
		c.read(w)
	}
}

// paid is when what a connection has asked is answered that is over by now.
func (s *Server) paid(c *Conn) {
	n := c.session
	if n == nil || n.owed == 0 {
		return
	}
	if n.owed--; n.owed == 0 && n.conn != nil {
		n.conn.readOn()
	}
}

// Follow is when the server has a leader: what it has asked the one before comes back for nobody.
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
