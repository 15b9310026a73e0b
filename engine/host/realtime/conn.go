package realtime

import (
	"io"
	"net"
	"time"
)

// conn is a connection through a Gate, whose lock guards it.
type conn struct {
	net.Conn
	gate   *Gate
	closed bool
	lost   bool // something was lost on it: nothing may follow
}

// loses reports whether a message is lost.
func (c *conn) loses() bool {
	c.lost = c.lost || c.gate.lossy && c.gate.cuts > 0
	return c.lost
}

// Read receives. Of a connection on which something was lost, it reports the end once the network is whole again.
func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	g := c.gate
	if !g.pass(c) {
		return 0, net.ErrClosed
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !c.loses() {
		return n, err
	}
	for g.cuts > 0 && !c.closed && !g.over {
		g.cond.Wait()
	}
	return 0, io.EOF
}

func (c *conn) Write(b []byte) (int, error) {
	if !c.gate.pass(c) {
		return 0, net.ErrClosed
	}
	c.gate.mu.Lock()
	lost := c.loses()
	c.gate.mu.Unlock()
	if lost {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// Close closes the connection. If its other end can't be told, the socket stays open until it can, but unused.
func (c *conn) Close() (err error) {
	g := c.gate
	g.set(func() {
		switch {
		case c.closed:
			err = net.ErrClosed
		case g.severed || g.cuts > 0:
			_ = c.Conn.SetDeadline(past)
		default:
			g.hangUp(func(o *conn) bool { return o == c })
		}
		c.closed = true
	})
	return err
}

// past is a deadline that ends all waiting calls.
var past = time.Unix(1, 0)

// deadline sets a deadline unless the connection is closed: calls on it must not wait again.
func (c *conn) deadline(set func(time.Time) error, t time.Time) error {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	if c.closed {
		return net.ErrClosed
	}
	return set(t)
}

func (c *conn) SetDeadline(t time.Time) error      { return c.deadline(c.Conn.SetDeadline, t) }
func (c *conn) SetReadDeadline(t time.Time) error  { return c.deadline(c.Conn.SetReadDeadline, t) }
func (c *conn) SetWriteDeadline(t time.Time) error { return c.deadline(c.Conn.SetWriteDeadline, t) }
