package realtime

import (
	"context"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/remote/real"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// Process is what a program shares with the threads beside it: its connections, and the faults on them.
type Process struct {
	w    *World
	id   event.Actor
	main *Thread    // the program
	cond *sync.Cond // on the world's lock: something that the process may wait for has changed
	gone bool       // it has ended, or the run has: its calls return

	gate     *Gate
	slow     int // overlapping delays
	dropNext bool
	pausedAt time.Time
	pauseEnd time.Time
	stallEnd time.Time

	preopened  []real.Wire // opened before the run, by node; nil for one in use
	conns      []*nodeConn
	unreported []closedConn
}

// closedConn is a closed connection whose node is not told yet.
type closedConn struct {
	node, conn int
	cause      event.Seq
}

// newProcess returns the program of a new process.
func newProcess(w *World, id event.Actor, p systems.Program) *Thread {
	s := &Process{w: w, id: id, cond: sync.NewCond(w), gate: NewGate(false)}
	s.main = newThread(s, p)
	return s.main
}

// Wait waits for Wake, at least once.
func (s *Process) Wait() { s.cond.Wait() }

// Wake wakes all that wait for something of this process.
func (s *Process) Wake() { s.cond.Broadcast() }

// WakeAt calls Wake at a time.
func (s *Process) WakeAt(at time.Time) *time.Timer {
	return time.AfterFunc(time.Until(at), func() { s.w.Locked(s.cond.Broadcast) })
}

// Connect implements systems.World. It takes the lock.
func (t *Thread) Connect(node int) remote.Conn {
	t.w.Lock()
	defer t.w.Unlock()
	l := &nodeConn{thread: t, node: node}
	t.conns = append(t.conns, l)
	return l
}

// takePreopened returns the connection to a node that was opened before the run, or nil.
func (s *Process) takePreopened(node int) (w real.Wire) {
	if node <= len(s.preopened) {
		w, s.preopened[node-1] = s.preopened[node-1], nil
	}
	return w
}

// dial opens a network connection of the process.
func (s *Process) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return s.gate.Dial(func() (net.Conn, error) { return real.Network(ctx, network, addr) })
}

// closePreopened closes the connections that were opened before the run and not used. The lock is not held.
func (s *Process) closePreopened() {
	for _, w := range s.preopened {
		if w != nil {
			_ = w.Close()
			drain(w)
		}
	}
	s.preopened = nil
}

// halt closes the connections and makes calls return: the process ends, or the run.
func (s *Process) halt(cause event.Seq) {
	s.gone = true
	for _, l := range s.conns {
		l.drop(cause)
	}
	s.gate.End()
	s.Wake()
}

// leave closes the connections of a thread beside the program.
func (s *Process) leave(by *Thread, cause event.Seq) {
	for _, l := range s.conns {
		if l.thread == by {
			l.drop(cause)
		}
	}
	s.conns = slices.DeleteFunc(s.conns, func(l *nodeConn) bool { return l.thread == by })
}

// reportClosed tells the shadow that a connection closed, once the node knows.
func (s *Process) reportClosed(e closedConn) {
	switch {
	case s.gate.isSevered():
	case s.IsCut():
		s.unreported = append(s.unreported, e)
	default:
		s.w.nodes.shadows[e.node-1].Closed(e.conn, s.w.Now(), e.cause)
	}
}
