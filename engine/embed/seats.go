package embed

import "errors"

// errUnseated says that a connection gave way to a newer one.
var errUnseated = errors.New("there are too many connections, and of those without a session it was the oldest")

// sit counts a connection among those of all addresses. When there are too many, the oldest gives way that has no
// session: anyone who only connects keeps nobody else away. That is returned, to be cut off without the lock. It
// reports false if there is none.
func (s *Server) sit(c *conn) (oldest *conn, seated bool) {
	if most := s.cfg.MaxConns; most > 0 && s.seats >= most {
		first := s.strangers.Front()
		if first == nil {
			return nil, false
		}
		oldest = first.Value.(*conn)
		s.stand(oldest)
	}
	s.seats++
	c.seated = true
	c.seat = s.strangers.PushBack(c)
	return oldest, true
}

// known is that a connection has got a session.
func (s *Server) known(c *conn) {
	if c.seat != nil {
		s.strangers.Remove(c.seat)
		c.seat = nil
	}
}

// stand is that a connection counts no longer.
func (s *Server) stand(c *conn) {
	s.known(c)
	if c.seated {
		c.seated = false
		s.seats--
	}
}
