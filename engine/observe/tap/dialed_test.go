package tap_test

import (
	"net"
	"sync"
	"time"
)

// dialed dials for a client until the client is dead.
type dialed struct {
	mu   sync.Mutex
	conn net.Conn
	dead bool
}

func (d *dialed) dial(network, addr string, timeout time.Duration) (net.Conn, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dead {
		return nil, net.ErrClosed
	}
	conn, err := net.DialTimeout(network, addr, timeout)
	d.conn = conn
	return conn, err
}

// kill simulates the death of the client's machine: its connection breaks, and it never returns.
func (c *client) kill() {
	d := c.dialed
	d.mu.Lock()
	d.dead = true
	if d.conn != nil {
		_ = d.conn.Close()
	}
	d.mu.Unlock()
	c.Close()
}
