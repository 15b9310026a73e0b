package embed

import "errors"

// errUnseated reports that a connection gave way to a newer one.
var errUnseated = errors.New("there are too many connections, and of those without a session it was the oldest")

// sit counts a connection towards the limit for all addresses. When there are too many, the oldest without a
// session gives way, so that idle connections keep nobody out. The caller must cut that one without the lock. sit
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

// known records that a connection has a session.
func (s *Server) known(c *conn) {
	if c.seat != nil {
		s.strangers.Remove(c.seat)
		c.seat = nil
	}
}

// stand stops counting a connection.
func (s *Server) stand(c *conn) {
	s.known(c)
	if c.seated {
		c.seated = false
		s.seats--
	}
}
