package real

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/process"
	"github.com/zkviz/zkviz/engine/remote"
)

// Caller is who calls on a connection: a program, or what runs beside one. Its methods are called with the host's lock.
type Caller interface {
	// Ready waits until the program may run, and returns why no call of it is answered any more.
	Ready() error
	// Wait waits for Wake, once at least. WakeAt is Wake at a time.
	Wait()
	Wake()
	WakeAt(time.Time) *time.Timer
	Emit(event.Event) event.Seq
	// Waits says what the program waits for: kept is that a node may keep it waiting for somebody, ends that it ends by
	// itself.
	Waits(what process.Wait, kept, ends bool)
	// Inbound is how many pushes there are that it has not taken.
	Inbound(int)
	// Line is that of the program which calls.
	Line() uint16
}

// Sockets are the connections of one process, and what is done to them.
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
	early    []Wire // that were opened before the run, by node; nil for one that is in use
	lines    []*line
	untold   []ending
}

// ending is a connection that is over, of which its node is to be told.
type ending struct {
	node, conn int
	cause      event.Seq
}

// Sockets are those of a process. While dropNext is true the next reply is lost, and its connection.
func (n *Nodes) Sockets(id event.Actor, dropNext *bool) *Sockets {
	s := &Sockets{nodes: n, id: id, gate: newGate(), dropNext: dropNext}
	n.sockets = append(n.sockets, s)
	return s
}

// Connect makes a connection to a node for a caller, which its first call opens.
func (s *Sockets) Connect(node int, by Caller) remote.Conn {
	l := &line{sockets: s, by: by, node: node}
	s.lines = append(s.lines, l)
	return l
}

// take is the connection to a node that was opened before the run, nil if there is none.
func (s *Sockets) take(node int) (w Wire) {
	if node <= len(s.early) {
		w, s.early[node-1] = s.early[node-1], nil
	}
	return w
}

// spare closes what was opened before the run and is not in use. The lock is not held.
func (s *Sockets) spare() {
	for _, w := range s.early {
		if w != nil {
			_ = w.Close()
			drain(w)
		}
	}
	s.early = nil
}

// Freeze stops all that the process reads and writes, Thaw has it go on.
func (s *Sockets) Freeze() { s.frozen = true; s.gate.freeze(true) }

// Thaw ends Freeze.
func (s *Sockets) Thaw() { s.frozen = false; s.gate.freeze(false); s.wake() }

// Cut has nothing get through for a while.
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

// Sever is that the machine is gone: nothing gets through any more, and nobody is told.
func (s *Sockets) Sever() {
	s.severed = true
	s.gate.sever()
}

// Delay slows all messages down for a while.
func (s *Sockets) Delay(d time.Duration) {
	s.slow++
	s.nodes.host.After(d, func() { s.slow-- })
}

// End is the end of the process.
func (s *Sockets) End(cause event.Seq) {
	s.over = true
	for _, l := range s.lines {
		l.drop(cause)
	}
	s.gate.end()
}

// Leave is the end of a caller that runs beside a program.
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

// tell has what is known of the node end with a connection, once the node knows of that.
func (s *Sockets) tell(e ending) {
	switch {
	case s.severed:
	case s.cuts > 0:
		s.untold = append(s.untold, e)
	default:
		s.nodes.witnesses[e.node-1].Over(e.conn, s.nodes.host.Now(), e.cause)
	}
}

// delay holds a message up, if the process is slow or the run is to be followed. It takes the lock.
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

// slowest is what a message takes at least while its client is delayed.
const slowest = 10 * time.Millisecond
