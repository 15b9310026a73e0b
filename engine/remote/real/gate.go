package real

import (
	"context"
	"net"
	"sync"
	"time"
)

// gate is between a process and the network. While it is shut nothing gets through; what is sent meanwhile waits
// in it, the end of a connection too.
type gate struct {
	mu      sync.Mutex
	cond    *sync.Cond
	frozen  bool // the process stands still
	cuts    int  // how many overlap
	severed bool // for ever: the machine is gone, and its connections with it, of which nobody is told
	over    bool // the process is gone
	closing []*gated
}

func newGate() *gate {
	g := &gate{}
	g.cond = sync.NewCond(&g.mu)
	return g
}

func (g *gate) set(f func()) {
	g.mu.Lock()
	f()
	g.mu.Unlock()
	g.cond.Broadcast()
}

func (g *gate) freeze(on bool) { g.set(func() { g.frozen = on }) }
func (g *gate) cut()           { g.set(func() { g.cuts++ }) }
func (g *gate) sever()         { g.set(func() { g.severed = true }) }
func (g *gate) end()           { g.set(func() { g.over = true }) }

// heal ends a cut: the other end hears of connections that were closed meanwhile.
func (g *gate) heal() {
	g.set(func() {
		if g.cuts--; g.cuts == 0 && !g.severed {
			g.closeAll()
		}
	})
}

// release closes what was left open since the other end could not be told: nobody needs that any more.
func (g *gate) release() { g.set(g.closeAll) }

func (g *gate) closeAll() {
	for _, c := range g.closing {
		_ = c.Conn.Close()
	}
	g.closing = nil
}

// pass waits until something can get through on a connection, nil for one that there is not yet. It reports false if
// nothing will.
func (g *gate) pass(c *gated) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	lost := func() bool { return g.severed || g.over || c != nil && c.closed }
	for (g.frozen || g.cuts > 0) && !lost() {
		g.cond.Wait()
	}
	return !lost()
}

// reach is how long it may take to open a connection.
const reach = 10 * time.Second

// dial opens a connection through the gate.
func (g *gate) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if !g.opens() {
		return nil, net.ErrClosed
	}
	c, err := (&net.Dialer{Timeout: reach}).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return &gated{Conn: c, gate: g}, nil
}

// opens is pass for a new connection. A process that is cut off gives that up after a while.
func (g *gate) opens() bool {
	end := time.Now().Add(patience)
	defer time.AfterFunc(patience, func() { g.set(func() {}) }).Stop()
	g.mu.Lock()
	defer g.mu.Unlock()
	for (g.frozen || g.cuts > 0 && time.Now().Before(end)) && !g.severed && !g.over {
		g.cond.Wait()
	}
	return g.cuts == 0 && !g.severed && !g.over
}

// gated is a connection through a gate.
type gated struct {
	net.Conn
	gate   *gate
	closed bool
}

func (c *gated) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if !c.gate.pass(c) {
		return 0, net.ErrClosed
	}
	return n, err
}

func (c *gated) Write(b []byte) (int, error) {
	if !c.gate.pass(c) {
		return 0, net.ErrClosed
	}
	return c.Conn.Write(b)
}

// Close closes the connection. One whose other end cannot hear of it is left open until that can, and not used again.
func (c *gated) Close() (err error) {
	g := c.gate
	g.set(func() {
		switch {
		case c.closed:
		case g.severed || g.cuts > 0:
			_ = c.Conn.SetDeadline(past)
			g.closing = append(g.closing, c)
		default:
			err = c.Conn.Close()
		}
		c.closed = true
	})
	return err
}

// past is a deadline that ends whatever waits.
var past = time.Unix(1, 0)

// deadline sets one, unless the connection is closed: what waits on it is not to wait again.
func (c *gated) deadline(set func(time.Time) error, t time.Time) error {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	if c.closed {
		return net.ErrClosed
	}
	return set(t)
}

func (c *gated) SetDeadline(t time.Time) error      { return c.deadline(c.Conn.SetDeadline, t) }
func (c *gated) SetReadDeadline(t time.Time) error  { return c.deadline(c.Conn.SetReadDeadline, t) }
func (c *gated) SetWriteDeadline(t time.Time) error { return c.deadline(c.Conn.SetWriteDeadline, t) }
