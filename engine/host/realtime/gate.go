package realtime

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/stores/remote/real"
)

// gate is between a process and the network. While it is closed nothing gets through: messages, and the close of a
// connection, wait in it.
type gate struct {
	mu      sync.Mutex
	cond    *sync.Cond
	frozen  bool // the process is paused
	cuts    int  // the number of current cuts
	severed bool // forever: the machine is gone, and no one is told that its connections are
	over    bool // the process has ended
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

func (g *gate) isCut() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.cuts > 0
}

func (g *gate) isSevered() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.severed
}

// heal ends a cut: the other ends are told of the connections that were closed meanwhile.
func (g *gate) heal() {
	g.set(func() {
		if g.cuts--; g.cuts == 0 && !g.severed {
			g.closeAll()
		}
	})
}

// release closes the connections that were kept open because their other end couldn't be told.
func (g *gate) release() { g.set(g.closeAll) }

func (g *gate) closeAll() {
	for _, c := range g.closing {
		_ = c.Conn.Close()
	}
	g.closing = nil
}

// pass waits until something can get through on a connection, nil for one that is not open yet. It reports false if
// nothing ever will.
func (g *gate) pass(c *gated) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	lost := func() bool { return g.severed || g.over || c != nil && c.closed }
	for (g.frozen || g.cuts > 0) && !lost() {
		g.cond.Wait()
	}
	return !lost()
}

// dial opens a connection through the gate.
func (g *gate) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if !g.opens() {
		return nil, net.ErrClosed
	}
	c, err := real.Network(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return &gated{Conn: c, gate: g}, nil
}

// opens is pass for a new connection. A process that is cut off gives up after a while.
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

// Close closes the connection. If its other end can't be told, the socket stays open until it can, but unused.
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

// past is a deadline that ends all waiting calls.
var past = time.Unix(1, 0)

// deadline sets a deadline unless the connection is closed: calls on it must not wait again.
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
