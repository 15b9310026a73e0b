package contend

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// gate stands between a member's process and the network: closed while the process is paused, broken while its
// network is cut, shut for good once it has crashed.
type gate struct {
	mu      sync.Mutex
	changed *sync.Cond
	paused  int // overlapping pauses
	cuts    int // overlapping cuts
	crashed bool
	leaving bool // pauses no longer hold it
	ended   bool // cuts no longer hold it
	timers  map[*time.Timer]struct{}
	all     sync.WaitGroup // its goroutines and timers
}

func newGate() *gate {
	g := &gate{timers: map[*time.Timer]struct{}{}}
	g.changed = sync.NewCond(&g.mu)
	return g
}

// errCrashed is the error of everything that a crashed process tries.
var errCrashed = errors.New("the process has crashed")

// pass waits while the process is paused.
func (g *gate) pass() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.paused > 0 && !g.crashed && !g.leaving {
		g.changed.Wait()
	}
	if g.crashed {
		return errCrashed
	}
	return nil
}

// add changes the gate's counters: for good if d is 0, else until d has passed; then it calls after.
func (g *gate) add(paused, cuts int, d time.Duration, after func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.paused, g.cuts = g.paused+paused, g.cuts+cuts
	g.changed.Broadcast()
	if d == 0 || g.ended {
		return
	}
	g.all.Add(1)
	var t *time.Timer
	t = time.AfterFunc(d, func() {
		defer g.all.Done()
		g.mu.Lock()
		delete(g.timers, t)
		g.mu.Unlock()
		g.add(-paused, -cuts, 0, nil)
		after()
	})
	g.timers[t] = struct{}{}
}

// end ends the process: its timers stop, and cuts no longer keep a connection open. It waits for what is still running.
func (g *gate) end() {
	g.mu.Lock()
	g.ended = true
	for t := range g.timers {
		if t.Stop() {
			g.all.Done()
		}
	}
	g.mu.Unlock()
	g.changed.Broadcast()
	g.all.Wait()
}

// release lets a process that was sent away go, paused or not.
func (g *gate) release() {
	g.mu.Lock()
	g.leaving = true
	g.mu.Unlock()
	g.changed.Broadcast()
}

func (g *gate) crash() {
	g.mu.Lock()
	g.crashed = true
	g.mu.Unlock()
	g.changed.Broadcast()
}

// dial opens a connection behind the gate.
func (g *gate) dial(open func() (net.Conn, error)) (net.Conn, error) {
	if err := g.pass(); err != nil {
		return nil, err
	}
	g.mu.Lock()
	cut := g.cuts > 0
	g.mu.Unlock()
	if cut {
		return nil, errors.New("no route to the server")
	}
	conn, err := open()
	if err != nil {
		return nil, err
	}
	l := &link{Conn: conn, g: g}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ended {
		_ = conn.Close()
		return nil, errCrashed
	}
	g.all.Go(l.closeInTime)
	return l, nil
}

// link is a connection behind a gate.
type link struct {
	net.Conn
	g      *gate
	lost   bool // something was lost on it: nothing may follow. Guarded by g.mu, like closed
	closed bool
}

// closeInTime closes the connection once the library has closed it and the network is whole, so that the server
// learns of it. It also closes it when the process crashes or ends, as an operating system would: the library
// forgets a connection once it has read there that its session is over.
func (l *link) closeInTime() {
	g := l.g
	g.mu.Lock()
	for !g.crashed && !g.ended && (!l.closed || g.cuts > 0) {
		g.changed.Wait()
	}
	g.mu.Unlock()
	_ = l.Conn.Close()
}

// Write sends b, or drops it while the network is cut.
func (l *link) Write(b []byte) (int, error) {
	if err := l.g.pass(); err != nil {
		return 0, err
	}
	l.g.mu.Lock()
	l.lost = l.lost || l.g.cuts > 0
	lost := l.lost
	l.g.mu.Unlock()
	if lost {
		return len(b), nil
	}
	return l.Conn.Write(b)
}

// Read receives. Whatever arrives while the network is cut is lost, and afterwards so is the connection.
func (l *link) Read(b []byte) (int, error) {
	n, err := l.Conn.Read(b)
	if gone := l.g.pass(); gone != nil {
		return 0, gone
	}
	l.g.mu.Lock()
	defer l.g.mu.Unlock()
	l.lost = l.lost || l.g.cuts > 0
	if !l.lost {
		return n, err
	}
	for l.g.cuts > 0 && !l.closed && !l.g.crashed {
		l.g.changed.Wait()
	}
	return 0, io.EOF
}

// Close closes the connection. While the network is cut, the server doesn't learn of it.
func (l *link) Close() error {
	l.g.mu.Lock()
	defer l.g.mu.Unlock()
	if l.closed {
		return net.ErrClosed
	}
	l.closed = true
	l.g.changed.Broadcast()
	return nil
}
