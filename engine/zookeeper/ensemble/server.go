package ensemble

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// Server is one server: its disk, and its process if that runs.
type Server struct {
	c    *Cluster
	id   zab.ID
	self event.Actor
	Disk zab.Disk

	up     bool
	life   uint32 // how many times the process was started
	node   *zab.Node
	app    App
	paused time.Duration // until then; 0 if it runs
	busy   bool          // it waits for its disk or takes a turn
	turns  bool          // it takes a turn
	woken  bool          // the disk is ready, but the process is paused
	held   []func()      // calls that wait meanwhile
	rest   []zab.Effect  // effects that wait meanwhile
	slow   int           // how many slow periods of the disk overlap
	bytes  int64         // about how many were logged since the last snapshot

	flushing  bool
	planned   time.Duration // when it will be woken
	applied   zab.Zxid      // the last transaction in app
	delivered zab.Zxid      // the last transaction reported as applied and committed
	cause     event.Seq     // the event that causes what it does now
	loggedBy  event.Seq     // the event of its last log entry

	conns    [zab.MaxServers + 1]*conn // by the other server
	lastNote [zab.MaxServers + 1]note
	unsent   [zab.MaxServers + 1]note // notifications that wait for a link
}

// note is a notification; there tells whether it exists.
type note struct {
	Step
	there bool
}

func newServer(c *Cluster, id zab.ID) *Server {
	return &Server{c: c, id: id, self: event.Server(int(id))}
}

// ID returns the server's number.
func (s *Server) ID() zab.ID { return s.id }

// Restarts returns how many times its process was restarted.
func (s *Server) Restarts() uint32 { return s.life - 1 }

// Ready reports whether its process can act now: it runs, is not paused, and does not wait for its disk.
func (s *Server) Ready() bool { return s.up && !s.busy && s.paused == 0 }

// Paused reports whether its process is paused.
func (s *Server) Paused() bool { return s.up && s.paused > 0 }

// Up reports whether its process runs, paused or not.
func (s *Server) Up() bool { return s.up }

// Node returns the process, or nil if it is down. Callers only read it.
func (s *Server) Node() *zab.Node { return s.node }

// App returns the state that the process keeps in memory.
func (s *Server) App() App { return s.app }

// Serves reports whether clients are served.
func (s *Server) Serves() bool { return s.up && s.node.Serves() }

// Delivered returns the last transaction that the server has applied as committed.
func (s *Server) Delivered() zab.Zxid { return s.delivered }

// start starts the process.
func (s *Server) start(cause event.Seq) {
	if s.up {
		return
	}
	s.life++
	s.up, s.busy, s.turns, s.woken, s.flushing, s.paused, s.planned = true, false, false, false, false, 0, 0
	s.held, s.rest = nil, nil
	s.cause = s.emit(event.Event{Kind: event.ServerStarted, Cause: cause})
	s.app = s.c.cfg.App(s.id)
	s.Disk.Roll()
	node, ok := zab.New(s.config(), &s.Disk)
	if !ok {
		s.crash(event.ServerCrashed, s.cause)
		return
	}
	s.node = node
	s.node.Start(s.c.cfg.Now())
	s.carryOut()
	s.reconnect()
}

func (s *Server) config() zab.Config {
	cfg := s.c.cfg
	return zab.Config{ID: s.id, Voters: s.c.voters, Observers: s.c.viewers, Tick: cfg.Tick, InitLimit: cfg.InitLimit,
		SyncLimit: cfg.SyncLimit, Window: cfg.Window, Flaws: cfg.Flaws}
}

// Hold calls f once the server can act: now, unless it is paused or waits for its disk. If its process ends first,
// f is never called.
func (s *Server) Hold(f func()) {
	if s.busy || s.paused > 0 {
		s.held = append(s.held, f)
		return
	}
	f()
}

// catchUp makes the held calls for as long as the server can act.
func (s *Server) catchUp() {
	for s.up && !s.busy && s.paused == 0 && len(s.held) > 0 {
		f := s.held[0]
		s.held = s.held[1:]
		f()
	}
}

// take carries out a step at a server that can act.
func (s *Server) take(x Step) {
	now := s.c.cfg.Now()
	s.cause = x.cause
	switch x.kind {
	case wake:
		s.cause = 0
		s.node.Wake(now)
	case notified:
		s.cause = s.heard(&x)
		s.node.Hear(now, x.from, x.note)
	case dialAnswered:
		s.dialAnswered(x)
	case arrives:
		s.arrived(x)
	case closes:
		s.closed(x)
	case flushed:
		s.flushed(x.zxid)
	}
	s.carryOut()
}

// Propose calls zab.Node.Propose, on a leader that serves.
func (s *Server) Propose(x zab.Txn, cause event.Seq) bool {
	s.cause = cause
	_, ok := s.node.Propose(s.c.cfg.Now(), x)
	s.carryOut()
	return ok
}

// Ask calls zab.Node.Ask.
func (s *Server) Ask(m zab.Message, cause event.Seq) bool {
	s.cause = cause
	ok := s.node.Ask(s.c.cfg.Now(), m)
	s.carryOut()
	return ok
}

// Answer calls zab.Node.Answer.
func (s *Server) Answer(to zab.ID, m zab.Message, cause event.Seq) {
	s.cause = cause
	s.node.Answer(to, m)
	s.carryOut()
}

// Touch calls zab.Node.Touch.
func (s *Server) Touch(t zab.Touch) { s.node.Touch(t) }

// carryOut carries out the node's effects, up to the first one that it must wait for.
func (s *Server) carryOut() {
	if s.busy || len(s.rest) > 0 {
		s.rest = append(s.rest, s.node.Take()...)
		return
	}
	list := s.node.Take()
	if len(list) > 0 {
		// Effects may produce further effects, which follow them.
		s.rest = append(s.rest[:0], list...)
		s.goOn()
	}
	s.plan()
}

// goOn carries out the remaining effects.
func (s *Server) goOn() {
	for i := 0; i < len(s.rest); i++ {
		e := s.rest[i]
		if e.Blocks() && s.write(&e) || s.turn(&e) {
			s.rest = append(s.rest[:0], s.rest[i:]...)
			s.busy = true
			return
		}
		s.effect(&e)
		if !s.up {
			return
		}
	}
	s.rest = s.rest[:0]
	s.plan()
}

// turn starts the wait described at Config.Turn. It reports false if there is none.
func (s *Server) turn(e *zab.Effect) bool {
	if s.c.cfg.Turn == 0 || e.Kind != zab.Phases || e.Phase != zab.Electing && (e.State == zab.Leading) ==
		(e.Phase == zab.Synchronization) {
		return false
	}
	s.turns = true
	s.c.cfg.Plan(s.c.cfg.Now()+s.c.cfg.Turn, Step{kind: written, to: s.id, life: s.life})
	return true
}

// listens reports whether other servers can reach its quorum port.
func (s *Server) listens() bool {
	return s.up && s.node.Listens() && !(s.turns && s.node.Phase() == zab.Discovery)
}

// effect carries out one effect that needs no wait, or whose wait is over.
func (s *Server) effect(e *zab.Effect) {
	switch e.Kind {
	case zab.Notify:
		s.notify(e.To, e.Notification)
	case zab.Dial:
		s.dial(e.To)
	case zab.Hangup:
		s.hangUp(e.To)
	case zab.Send:
		s.send(e.To, &e.Message)
	case zab.Asks:
		s.app.Asked(e.To, &e.Message, s.cause)
	case zab.Answers:
		s.app.Answered(&e.Message, s.cause)
	case zab.Touches:
		s.app.TouchedBy(e.Message.Touched, s.cause)
	default:
		if !s.onDisk(e) && !s.inMemory(e) {
			s.fact(e)
		}
	}
}

// plan schedules a wake-up at the node's deadline.
func (s *Server) plan() {
	at := s.node.Deadline()
	if at == zab.Never || s.planned != 0 && s.planned <= at && s.planned > s.c.cfg.Now() {
		return
	}
	s.planned = max(at, s.c.cfg.Now())
	s.c.cfg.Plan(s.planned, Step{kind: wake, to: s.id, life: s.life})
}

func (s *Server) emit(e event.Event) event.Seq {
	e.Actor = s.self
	return s.c.emit(e)
}
