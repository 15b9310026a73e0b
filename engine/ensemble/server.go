package ensemble

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zab"
)

// Server is one server: its process, if that runs, and its disk.
type Server struct {
	c    *Cluster
	id   zab.ID
	self event.Actor
	Disk zab.Disk

	up     bool
	life   uint32 // how often the process was started
	node   *zab.Node
	app    App
	paused time.Duration // until then; 0 if it runs
	busy   bool          // it waits for its disk, or takes a turn
	turns  bool          // the latter
	woken  bool          // the disk is done, but the process is paused
	held   []func()      // what it is told meanwhile
	rest   []zab.Effect  // what it does afterwards
	slow   int           // how many slownesses of the disk overlap
	bytes  int64         // about how many have been logged since the last snapshot

	flushing  bool
	planned   time.Duration // when it is woken
	applied   zab.Zxid      // by app
	delivered zab.Zxid      // the last that was told of as applied and committed
	cause     event.Seq     // what it does now follows from this
	loggedBy  event.Seq     // the event of what it has written to its log last

	conns    [zab.MaxServers + 1]*conn // by the other end
	lastNote [zab.MaxServers + 1]note
	unsent   [zab.MaxServers + 1]note // notifications that wait for a link
}

// note is a notification, if there is one.
type note struct {
	Step
	there bool
}

func newServer(c *Cluster, id zab.ID) *Server {
	return &Server{c: c, id: id, self: event.Server(int(id))}
}

// ID is its number.
func (s *Server) ID() zab.ID { return s.id }

// Restarts is how often its process was started again.
func (s *Server) Restarts() uint32 { return s.life - 1 }

// Ready reports whether its process can do something now: it runs, is not paused, and does not wait for its disk.
func (s *Server) Ready() bool { return s.up && !s.busy && s.paused == 0 }

// Paused reports whether its process is paused.
func (s *Server) Paused() bool { return s.up && s.paused > 0 }

// Up reports whether its process runs, paused or not.
func (s *Server) Up() bool { return s.up }

// Node is the process, nil if it does not run. It is to be read.
func (s *Server) Node() *zab.Node { return s.node }

// App is what the process keeps in memory.
func (s *Server) App() App { return s.app }

// Serves reports whether clients are served.
func (s *Server) Serves() bool { return s.up && s.node.Serves() }

// Delivered is the last transaction that it has applied as committed.
func (s *Server) Delivered() zab.Zxid { return s.delivered }

// start begins the process.
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

// Hold has f done, once the server can do something: now, unless it is paused or waits for its disk. If its process
// ends before, f is not done.
func (s *Server) Hold(f func()) {
	if s.busy || s.paused > 0 {
		s.held = append(s.held, f)
		return
	}
	f()
}

// catchUp does what was held, for as long as the server can.
func (s *Server) catchUp() {
	for s.up && !s.busy && s.paused == 0 && len(s.held) > 0 {
		f := s.held[0]
		s.held = s.held[1:]
		f()
	}
}

// take is a step at a server that can do something.
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

// Propose is zab.Node's, of a leader that serves.
func (s *Server) Propose(x zab.Txn, cause event.Seq) bool {
	s.cause = cause
	_, ok := s.node.Propose(s.c.cfg.Now(), x)
	s.carryOut()
	return ok
}

// Ask is zab.Node's.
func (s *Server) Ask(m zab.Message, cause event.Seq) bool {
	s.cause = cause
	ok := s.node.Ask(s.c.cfg.Now(), m)
	s.carryOut()
	return ok
}

// Answer is zab.Node's.
func (s *Server) Answer(to zab.ID, m zab.Message, cause event.Seq) {
	s.cause = cause
	s.node.Answer(to, m)
	s.carryOut()
}

// Touch is zab.Node's.
func (s *Server) Touch(t zab.Touch) { s.node.Touch(t) }

// carryOut does what the node wants done, up to what it must wait for.
func (s *Server) carryOut() {
	if s.busy || len(s.rest) > 0 {
		s.rest = append(s.rest, s.node.Take()...)
		return
	}
	list := s.node.Take()
	if len(list) > 0 {
		// What it does may make it want more, which comes behind.
		s.rest = append(s.rest[:0], list...)
		s.goOn()
	}
	s.plan()
}

// goOn does the rest of what was wanted.
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

// turn begins what Config.Turn is for. It reports false if that takes no time.
func (s *Server) turn(e *zab.Effect) bool {
	if s.c.cfg.Turn == 0 || e.Kind != zab.Phases || e.Phase != zab.Electing && (e.State == zab.Leading) ==
		(e.Phase == zab.Synchronization) {
		return false
	}
	s.turns = true
	s.c.cfg.Plan(s.c.cfg.Now()+s.c.cfg.Turn, Step{kind: written, to: s.id, life: s.life})
	return true
}

// listens reports whether others reach its quorum port.
func (s *Server) listens() bool {
	return s.up && s.node.Listens() && !(s.turns && s.node.Phase() == zab.Discovery)
}

// effect does one thing that needs no waiting, or whose wait is over.
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

// plan has the node woken at its deadline.
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
