package real

import (
	"context"
	"net"
	"sync"
	"time"
)

// gate is between a process and the network. While it is closed nothing gets through; what is sent meanwhile waits
// in it.
type gate struct {
	mu      sync.Mutex
	cond    *sync.Cond
	shut    int  // how often it was closed, and not opened since
	severed bool // for ever: the machine is gone, and its connections with it, of which nobody is told
	over    bool // the process is gone
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

func (g *gate) close() { g.set(func() { g.shut++ }) }
func (g *gate) open()  { g.set(func() { g.shut-- }) }
func (g *gate) sever() { g.set(func() { g.severed = true }) }
func (g *gate) end()   { g.set(func() { g.over = true }) }

// pass waits until something can get through. It reports false if nothing will.
func (g *gate) pass() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.shut > 0 && !g.severed && !g.over {
		g.cond.Wait()
	}
	return !g.severed && !g.over
}

// dial opens a connection through the gate.
func (g *gate) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if !g.pass() {
		return nil, net.ErrClosed
	}
	c, err := (&net.Dialer{}).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return &gated{c, g}, nil
}

// gated is a connection through a gate.
type gated struct {
	net.Conn
	gate *gate
}

func (c *gated) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if !c.gate.pass() {
		return 0, net.ErrClosed
	}
	return n, err
}

func (c *gated) Write(b []byte) (int, error) {
	if !c.gate.pass() {
		return 0, net.ErrClosed
	}
	return c.Conn.Write(b)
}

// keptOpen is how long a severed connection stays open, so that the other end does not learn of its end for as
// long as a run may take.
const keptOpen = time.Hour

// Close closes the connection. One that is severed is left to itself: its end would be told to the other side.
func (c *gated) Close() error {
	c.gate.mu.Lock()
	severed := c.gate.severed
	c.gate.mu.Unlock()
	if severed {
		_ = c.Conn.SetReadDeadline(time.Unix(1, 0)) // nobody reads it any more
		time.AfterFunc(keptOpen, func() { _ = c.Conn.Close() })
		return nil
	}
	return c.Conn.Close()
}
