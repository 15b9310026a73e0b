package real

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/process"
	"github.com/zkviz/zkviz/engine/stores/remote"
)

// Caller makes calls on a connection: a program, or a thread beside one. Its methods are called under the host's lock.
type Caller interface {
	// Ready waits until the program may run, and returns an error if its calls no longer get replies.
	Ready() error
	// Wait waits for Wake, at least once. WakeAt calls Wake at a time.
	Wait()
	Wake()
	WakeAt(time.Time) *time.Timer
	Emit(event.Event) event.Seq
	// Waits records what the program waits for: kept if a node may make it wait for another client, ends if it has a
	// timeout.
	Waits(what process.Wait, kept, ends bool)
	// Inbound records how many pushes the program has not taken yet.
	Inbound(int)
	// Line returns the line of the program that makes the call.
	Line() uint16
}

// Sockets are the connections of one process, with the faults on them.
type Sockets struct {
	nodes    *Nodes
	id       event.Actor
	gate     *gate
	cuts     int
	slow     int
	dropNext *bool
	frozen   bool
	severed  bool
	over     bool
	early    []Wire // opened before the run, by node; nil for one in use
	lines    []*line
	untold   []ending
}

// ending is a closed connection whose node is not told yet.
type ending struct {
	node, conn int
	cause      event.Seq
}

// Sockets returns the connections of a process. While dropNext is true the next reply is lost, with its connection.
func (n *Nodes) Sockets(id event.Actor, dropNext *bool) *Sockets {
	s := &Sockets{nodes: n, id: id, gate: newGate(), dropNext: dropNext}
	n.sockets = append(n.sockets, s)
	return s
}

// Connect returns a connection to a node for a caller. Its first call opens it.
func (s *Sockets) Connect(node int, by Caller) remote.Conn {
	l := &line{sockets: s, by: by, node: node}
	s.lines = append(s.lines, l)
	return l
}

// take returns the connection to a node that was opened before the run, or nil.
func (s *Sockets) take(node int) (w Wire) {
	if node <= len(s.early) {
		w, s.early[node-1] = s.early[node-1], nil
	}
	return w
}

// spare closes the connections that were opened before the run and not used. The lock is not held.
func (s *Sockets) spare() {
	for _, w := range s.early {
		if w != nil {
			_ = w.Close()
			drain(w)
		}
	}
	s.early = nil
}

// Freeze stops all reads and writes of the process, until Thaw.
func (s *Sockets) Freeze() { s.frozen = true; s.gate.freeze(true) }

// Thaw ends Freeze.
func (s *Sockets) Thaw() { s.frozen = false; s.gate.freeze(false); s.wake() }

// Cut lets nothing through for a while.
func (s *Sockets) Cut(d time.Duration) {
	s.gate.cut()
	s.cuts++
	s.nodes.host.After(d, func() {
		s.gate.heal()
		if s.cuts--; s.cuts == 0 {
			told := s.untold
			s.untold = nil
			for _, e := range told {
				s.tell(e)
			}
		}
	})
}

// Sever is called when the machine is gone: nothing gets through anymore, and no one is told.
func (s *Sockets) Sever() {
	s.severed = true
	s.gate.sever()
}

// Delay slows down all messages for a while.
func (s *Sockets) Delay(d time.Duration) {
	s.slow++
	s.nodes.host.After(d, func() { s.slow-- })
}

// End closes all connections when the process ends.
func (s *Sockets) End(cause event.Seq) {
	s.over = true
	for _, l := range s.lines {
		l.drop(cause)
	}
	s.gate.end()
}

// Leave closes the connections of a thread beside a program.
func (s *Sockets) Leave(by Caller, cause event.Seq) {
	for _, l := range s.lines {
		if l.by == by {
			l.drop(cause)
		}
	}
	s.lines = slices.DeleteFunc(s.lines, func(l *line) bool { return l.by == by })
}

func (s *Sockets) wake() {
	for _, l := range s.lines {
		l.by.Wake()
	}
}

// tell tells the witness that a connection closed, once the node knows.
func (s *Sockets) tell(e ending) {
	switch {
	case s.severed:
	case s.cuts > 0:
		s.untold = append(s.untold, e)
	default:
		s.nodes.witnesses[e.node-1].Over(e.conn, s.nodes.host.Now(), e.cause)
	}
}

// delay delays a message, if the process is slow or the run has a latency. It takes the lock.
func (s *Sockets) delay() {
	s.nodes.host.Lock()
	d := s.nodes.latency
	if s.slow > 0 {
		d = max(d*process.Slowness, slowest)
	}
	s.nodes.host.Unlock()
	if d > 0 {
		time.Sleep(d)
	}
}

// slowest is the minimal delay of a message while its client is slow.
const slowest = 10 * time.Millisecond
