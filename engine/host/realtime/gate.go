package realtime

import (
	"net"
	"slices"
	"sync"
	"time"
)

// Gate is between a process and the network, and carries out the faults on the process's connections. While the process
// is frozen nothing gets through. While the network is cut, messages and the close of a connection wait, as TCP would
// send them again later. If the Gate is lossy, messages are lost instead, and nothing more passes on their connection.
type Gate struct {
	lossy bool

	mu      sync.Mutex
	cond    *sync.Cond
	frozen  int  // overlapping pauses
	freed   bool // pauses no longer hold the process
	cuts    int  // overlapping cuts
	severed bool // forever: the machine is gone, and no one is told that its connections are
	over    bool // the process has ended
	conns   []*conn
}

// NewGate returns an open Gate.
func NewGate(lossy bool) *Gate {
	g := &Gate{lossy: lossy}
	g.cond = sync.NewCond(&g.mu)
	return g
}

func (g *Gate) set(f func()) {
	g.mu.Lock()
	f()
	g.mu.Unlock()
	g.cond.Broadcast()
}

// Freeze begins a pause of the process.
func (g *Gate) Freeze() { g.set(func() { g.frozen++ }) }

// Thaw ends a pause.
func (g *Gate) Thaw() { g.set(func() { g.frozen-- }) }

// Free makes the process go on in spite of its pauses.
func (g *Gate) Free() { g.set(func() { g.freed = true }) }

// Cut begins a cut of the network.
func (g *Gate) Cut() { g.set(func() { g.cuts++ }) }

// Heal ends a cut: the other ends are told of the connections that were closed meanwhile.
func (g *Gate) Heal() {
	g.set(func() {
		if g.cuts--; g.cuts == 0 && !g.severed {
			g.hangUp(func(c *conn) bool { return c.closed })
		}
	})
}

func (g *Gate) sever() { g.set(func() { g.severed = true }) }

// End lets nothing through from now on: the process has ended.
func (g *Gate) End() { g.set(func() { g.over = true }) }

// Release closes all connections, also those whose other end couldn't be told.
func (g *Gate) Release() { g.set(func() { g.hangUp(func(*conn) bool { return true }) }) }

// hangUp closes the sockets of connections.
func (g *Gate) hangUp(these func(*conn) bool) {
	g.conns = slices.DeleteFunc(g.conns, func(c *conn) bool {
		if !these(c) {
			return false
		}
		_ = c.Conn.Close()
		return true
	})
}

func (g *Gate) isCut() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.cuts > 0
}

func (g *Gate) isSevered() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.severed
}

// isFrozen reports whether a pause holds the process.
func (g *Gate) isFrozen() bool { return g.frozen > 0 && !g.freed }

// Pass waits while the process is frozen. It reports false if the process has ended.
func (g *Gate) Pass() bool { return g.pass(nil) }

// pass waits until something can get through on a connection. It reports false if nothing ever will.
func (g *Gate) pass(c *conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	gone := func() bool { return g.severed || g.over || c != nil && c.closed }
	for (g.isFrozen() || g.cuts > 0 && !g.lossy) && !gone() {
		g.cond.Wait()
	}
	return !gone()
}

// Dial opens a connection through the gate.
func (g *Gate) Dial(open func() (net.Conn, error)) (net.Conn, error) {
	if !g.opens() {
		return nil, net.ErrClosed
	}
	opened, err := open()
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: opened, gate: g}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.over {
		_ = opened.Close()
		return nil, net.ErrClosed
	}
	g.conns = append(g.conns, c)
	return c, nil
}

// opens waits until a connection can be opened. A process that is cut off gives up, after a while unless what it sends
// is lost anyway.
func (g *Gate) opens() bool {
	end := time.Now()
	if !g.lossy {
		end = end.Add(patience)
		defer time.AfterFunc(patience, func() { g.set(func() {}) }).Stop()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for (g.isFrozen() || g.cuts > 0 && time.Now().Before(end)) && !g.severed && !g.over {
		g.cond.Wait()
	}
	return g.cuts == 0 && !g.severed && !g.over
}
