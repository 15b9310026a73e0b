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
	Disk zab.Disk

	up           bool
	life         uint32 // how many times the process was started
	node         *zab.Node
	paused       time.Duration // until then; 0 if it runs
	busy         bool          // it waits for its disk or changes its phase
	changesPhase bool          // it takes PhaseDelay to change its phase
	diskDone     bool          // the disk is ready, but the process is paused
	held         []func()      // calls that wait meanwhile
	effects      []zab.Effect  // effects that wait meanwhile
	slow         int           // how many slow periods of the disk overlap
	bytes        int64         // about how many were logged since the last snapshot

	flushing  bool
	planned   time.Duration // when it will be woken
	delivered zab.Zxid      // the last transaction reported as applied and committed

	log      eventLog
	quorum   quorumPort
	election electionPort
	memory   memory
}

func newServer(c *Cluster, id zab.ID) *Server {
	s := &Server{c: c, id: id, log: eventLog{c: c, self: event.Server(int(id))}}
	s.quorum = quorumPort{c: c, id: id, log: &s.log}
	s.election = electionPort{c: c, id: id, log: &s.log}
	s.memory.log = &s.log
	return s
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
func (s *Server) App() App { return s.memory.app }

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
	s.up, s.busy, s.changesPhase, s.diskDone, s.flushing, s.paused, s.planned = true, false, false, false, false, 0, 0
	s.held, s.effects = nil, nil
	s.log.cause = s.log.emit(event.Event{Kind: event.ServerStarted, Cause: cause})
	s.memory.app = s.c.cfg.App(s.id)
	s.Disk.Roll()
	node, ok := zab.New(s.config(), &s.Disk)
	if !ok {
		s.crash(event.ServerCrashed, s.log.cause)
		return
	}
	s.node = node
	s.node.Start(s.c.cfg.Now())
	s.perform()
	s.election.reconnect()
}

func (s *Server) config() zab.Config {
	cfg := s.c.cfg
	return zab.Config{ID: s.id, Voters: s.c.voters, Observers: s.c.observers, Tick: cfg.Tick, InitLimit: cfg.InitLimit,
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
	s.log.cause = x.cause
	switch x.kind {
	case wake:
		s.log.cause = 0
		s.node.Wake(now)
	case notified:
		s.log.cause = s.log.notified(&x)
		if x.ok {
			s.election.accepted(x)
		}
		s.node.Hear(now, x.from, x.note)
	case dialAnswered:
		if s.quorum.dialAnswered(x) {
			s.node.Dialled(now, x.from, x.ok)
		}
	case arrives:
		if s.quorum.arrived(x) {
			s.node.Step(now, x.from, x.message)
		}
	case closes, breaks:
		if s.quorum.closed(x) {
			s.node.Closed(now, x.from)
		}
	case flushed:
		s.flushed(x.zxid)
	}
	s.perform()
}

// Propose calls zab.Node.Propose, on a leader that serves.
func (s *Server) Propose(x zab.Txn, cause event.Seq) bool {
	s.log.cause = cause
	_, ok := s.node.Propose(s.c.cfg.Now(), x)
	s.perform()
	return ok
}

// Ask calls zab.Node.Ask.
func (s *Server) Ask(m zab.Message, cause event.Seq) bool {
	s.log.cause = cause
	ok := s.node.Ask(s.c.cfg.Now(), m)
	s.perform()
	return ok
}

// Answer calls zab.Node.Answer.
func (s *Server) Answer(to zab.ID, m zab.Message, cause event.Seq) {
	s.log.cause = cause
	s.node.Answer(to, m)
	s.perform()
}

// Touch calls zab.Node.Touch.
func (s *Server) Touch(t zab.Touch) { s.node.Touch(t) }

// perform carries out the node's effects, up to the first one that it must wait for.
func (s *Server) perform() {
	if s.busy || len(s.effects) > 0 {
		s.effects = append(s.effects, s.node.Take()...)
		return
	}
	list := s.node.Take()
	if len(list) > 0 {
		// Effects may produce further effects, which follow them.
		s.effects = append(s.effects[:0], list...)
		s.resumeEffects()
	}
	s.plan()
}

// resumeEffects carries out the remaining effects.
func (s *Server) resumeEffects() {
	for i := 0; i < len(s.effects); i++ {
		e := s.effects[i]
		if e.Blocks() && s.write(&e) || s.delayPhase(&e) {
			s.effects = append(s.effects[:0], s.effects[i:]...)
			s.busy = true
			return
		}
		s.effect(&e)
		if !s.up {
			return
		}
	}
	s.effects = s.effects[:0]
	s.plan()
}

// delayPhase starts the wait described at Config.PhaseDelay. It reports false if there is none.
func (s *Server) delayPhase(e *zab.Effect) bool {
	if s.c.cfg.PhaseDelay == 0 || e.Kind != zab.Phases || e.Phase != zab.Electing && (e.State == zab.Leading) ==
		(e.Phase == zab.Synchronization) {
		return false
	}
	s.changesPhase = true
	s.c.cfg.Plan(s.c.cfg.Now()+s.c.cfg.PhaseDelay, Step{kind: written, to: s.id, life: s.life})
	return true
}

// listens reports whether other servers can reach its quorum port.
func (s *Server) listens() bool {
	return s.up && s.node.Listens() && !(s.changesPhase && s.node.Phase() == zab.Discovery)
}

// effect carries out one effect that needs no wait, or whose wait is over.
func (s *Server) effect(e *zab.Effect) {
	switch e.Kind {
	case zab.Notify:
		s.election.notify(e.To, e.Notification)
	case zab.Dial:
		s.quorum.dial(e.To)
	case zab.Hangup:
		s.quorum.hangUp(e.To)
	case zab.Send:
		s.quorum.send(e.To, &e.Message, s.snapshot)
	case zab.Asks:
		s.memory.app.Asked(e.To, &e.Message, s.log.cause)
	case zab.Answers:
		s.memory.app.Answered(&e.Message, s.log.cause)
	case zab.Touches:
		s.memory.app.TouchedBy(e.Message.Touched, s.log.cause)
	default:
		if !s.onDisk(e) && !s.inMemory(e) {
			s.log.fact(e)
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
