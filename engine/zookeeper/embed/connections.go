package embed

// connections holds a server's connections. The server's lock guards it.
type connections struct {
	all      map[*conn]struct{}
	accepted int64
}

// add adds a connection and numbers it.
func (l *connections) add(c *conn) {
	l.accepted++
	c.number = l.accepted
	l.all[c] = struct{}{}
}

// open counts the connections that are not closing.
func (l *connections) open() int {
	n := 0
	for c := range l.all {
		if c.state.Load() == connOpen {
			n++
		}
	}
	return n
}

// furthestBehind returns the connection with the most unread bytes, or nil.
func (l *connections) furthestBehind() *conn {
	var last *conn
	most := 0
	for c := range l.all {
		if n := c.out.unread(); n > most {
			last, most = c, n
		}
	}
	return last
}
