// Package model is a simulated database: what PostgreSQL at READ COMMITTED and InnoDB at REPEATABLE READ keep, lock and
// answer, as a state machine without clock, socket or goroutine.
//
// It knows the statements of package sql, and no other. A table has its primary key and no other index. That it answers
// as PostgreSQL 15 and MariaDB 10.11 do is held to account by engine/sql/conform. A transaction that is committed is on
// disk in both.
package model

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/agenda"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/remote"
	"github.com/zkviz/zkviz/engine/sql"
)

// Config is a node.
type Config struct {
	ID      event.Actor
	Emit    func(event.Event) event.Seq
	Dialect sql.Dialect // which of the two it is
	Seed    uint64      // of the order in which those go on who are woken at once
	// Synchronous is that a commit is answered, and seen by others, when a replica has it.
	Synchronous bool
	// DeadlockTimeout is how long a session of PostgreSQL waits before it looks whether it waits in a circle, 0 for a
	// second. InnoDB looks at once.
	DeadlockTimeout time.Duration
}

// MaxRows is how many rows a node keeps, so that nobody makes it take too much.
const MaxRows = 1_000_000

// Server is one node. It implements remote.Replicated and remote.Clocked.
type Server struct {
	cfg    Config
	engine engine
	ends   [5]*row // InnoDB's, behind the rows of each table
	chance *rand.Rand
	ahead  time.Duration // by how much its clock is ahead of the time that it is told
	now    time.Duration // by its clock
	cause  event.Seq     // of what it does now

	rows    map[key]*row
	tables  [5][]*row // in the order of their keys, by sql.Table
	jobs    int64     // ids that were given out
	serial  uint64    // of versions
	commits uint64
	open    []*session // those that have not ended
	epoch   int        // how often the connections were all ended
	txs     int64      // numbers of transactions

	names     map[string]*name
	listeners map[string][]*session
	woken     []*session // are to go on
	alarms    agenda.Agenda[alarm]

	replica   bool
	primary   event.Actor
	send      func(remote.Effect, event.Seq)
	offset    int // effects so far
	followers []follower
	unsure    []*session // wait until a replica has what they commit, in order
}

// engine is what sets the two databases apart: how they lock rows.
type engine interface {
	// modify carries out a statement about a row that is to be there: to lock, change or delete it.
	modify(k *session)
	// insert carries out a statement that makes a row.
	insert(k *session)
	// read finds what a plain SELECT sees.
	read(k *session, r *row) *values
	// takeJob finds the first job that nobody else has locked, locks it, and deletes it if that is asked for.
	takeJob(k *session)
	// begun is that a transaction was begun by a BEGIN.
	begun(t *tx)
	// release frees what a transaction has locked, and wakes those who wait for it.
	release(t *tx)
	// leave takes a session out of the queue that it waits in.
	leave(k *session)
	// blocker is whom a session waits for, nil for nobody.
	blocker(k *session) *session
	// tidy does what is done after the statements, and beside does so between them, perhaps.
	tidy()
	beside()
}

// New is an empty node that is a primary.
func New(cfg Config) *Server {
	if cfg.DeadlockTimeout == 0 {
		cfg.DeadlockTimeout = time.Second
	}
	s := &Server{
		cfg: cfg, chance: rand.New(rand.NewPCG(cfg.Seed, uint64(cfg.ID))),
		rows: make(map[key]*row), names: make(map[string]*name), listeners: make(map[string][]*session),
	}
	s.engine = &postgres{s}
	if cfg.Dialect == sql.MySQL {
		s.engine = &innodb{Server: s}
	}
	return s
}

var (
	_ remote.Replicated = (*Server)(nil)
	_ remote.Clocked    = (*Server)(nil)
)

// session is a connection.
type session struct {
	s     *Server
	link  remote.Link
	from  event.Actor
	epoch int

	tx       *tx // that is open: a BEGIN's, or that of one statement
	single   tx  // that of one statement
	aborted  bool
	settings settings

	call  *sql.Call // that is carried out
	cause event.Seq // of its request
	later []laterRequest
	step  // how far it is
	wait  wait

	names   []*name // that it has locked, in order
	listens []string
	pushes  []remote.Push // that come when its transaction is over
	lost    bool          // its process is gone; it ends when it next looks
	ended   bool
	chosen  int // to end a circle of those who wait for names
	idle    int // counts the times that it was left alone in a transaction
}

// settings are what a session has set.
type settings struct{ lockTimeout, idleTimeout time.Duration }

// step is how far a session is with its statement.
type step struct {
	begun  bool
	clock  time.Duration // when what it writes was computed
	life   uint64        // of the row that it has found
	serial uint64        // of the version that it has found
	job    int64         // the id of the row that it makes
}

type laterRequest struct {
	r     remote.Request
	cause event.Seq
}

// Connect implements remote.Node.
func (s *Server) Connect(link remote.Link, from event.Actor, _ time.Duration) remote.Session {
	k := &session{s: s, link: link, from: from, epoch: s.epoch}
	s.open = append(s.open, k)
	return k
}

// begin sets the clock for what happens now. The clock of a database has microseconds.
func (s *Server) begin(now time.Duration, cause event.Seq) {
	s.now, s.cause = (now + s.ahead).Truncate(time.Microsecond), cause
}

// Handle implements remote.Session.
func (k *session) Handle(r remote.Request, now time.Duration, cause event.Seq) {
	if k.ended || k.epoch != k.s.epoch {
		return
	}
	if k.call != nil {
		k.later = append(k.later, laterRequest{r, cause})
		return
	}
	k.s.begin(now, cause)
	k.start(r, cause)
	k.s.goOn()
}

func (k *session) start(r remote.Request, cause event.Seq) {
	k.call, _ = r.Body.(*sql.Call)
	k.cause, k.step = cause, step{}
	k.idle++
	if k.call == nil || !k.call.Statement.In(k.s.cfg.Dialect) {
		k.fail(k.s.unknownStatement())
		return
	}
	k.execute()
}

// goOn has those go on who were woken, and then those whose next request has come already.
func (s *Server) goOn() {
	for len(s.woken) > 0 {
		k := s.woken[0]
		s.woken = slices.Delete(s.woken, 0, 1)
		s.now += time.Microsecond // what goes on does so later than what it has waited for
		s.engine.beside()
		if k.call != nil {
			k.execute()
		}
		for k.call == nil && len(k.later) > 0 && !k.ended {
			next := k.later[0]
			k.later = slices.Delete(k.later, 0, 1)
			k.start(next.r, next.cause)
		}
	}
	s.engine.tidy()
}

// wake has sessions go on that were woken at one moment, most likely in their order.
func (s *Server) wake(list []*session) {
	const odds = 4
	for len(list) > 0 {
		i := 0
		for i+1 < len(list) && s.chance.IntN(odds) == 0 {
			i++
		}
		s.woken = append(s.woken, list[i])
		list = slices.Delete(list, i, i+1)
	}
}

// Lost implements remote.Session. A session that waits for a lock does not look at its connection: it stays in the
// queue, and ends when it has got what it waits for.
func (k *session) Lost(now time.Duration, cause event.Seq) {
	if k.ended || k.epoch != k.s.epoch {
		return
	}
	k.s.begin(now, cause)
	k.lost, k.later = true, nil
	if k.call != nil {
		if k.wait.said {
			k.wait.said = false
			k.s.emit(event.Event{Kind: event.RequestServed, Peer: k.from, Path: k.wait.path, Op: event.Command,
				Reason: event.ConnLost})
		}
		return
	}
	k.end(event.ConnLost)
	k.s.goOn()
}

// end ends the session, and with it its transaction and its locks.
func (k *session) end(why event.Reason) {
	s := k.s
	k.ended = true
	if k.tx != nil {
		s.endTx(k.tx, false, why)
	}
	s.freeNames(k, why)
	for _, c := range k.listens {
		s.unlisten(c, k)
	}
	s.open = slices.DeleteFunc(s.open, func(o *session) bool { return o == k })
}

func (s *Server) emit(e event.Event) event.Seq {
	e.Actor = s.cfg.ID
	if e.Cause == 0 {
		e.Cause = s.cause
	}
	return s.cfg.Emit(e)
}

// Stop implements remote.Node. What was not committed is rolled back; what waited for a replica is committed.
func (s *Server) Stop(now time.Duration, cause event.Seq) {
	s.begin(now, cause)
	s.endAll(event.ByRestart)
}

// Start implements remote.Node.
func (s *Server) Start(time.Duration, event.Seq) {}

// endAll ends all sessions at once: none of them gets what another leaves.
func (s *Server) endAll(why event.Reason) {
	s.epoch++
	unsure := s.unsure
	s.unsure = nil
	for _, k := range unsure {
		s.endTx(k.tx, true, event.ByCommit)
		k.call = nil
	}
	for _, k := range s.open {
		if k.wait.said {
			s.emit(event.Event{Kind: event.RequestServed, Peer: k.from, Path: k.wait.path, Op: event.Command, Reason: why})
		}
		if k.call != nil {
			s.leave(k)
			k.call, k.wait = nil, wait{}
		}
	}
	for _, k := range slices.Clone(s.open) {
		k.end(why)
	}
	s.woken, s.alarms, s.followers = nil, agenda.Agenda[alarm]{}, nil
	s.engine.tidy()
}

// Jump implements remote.Clocked.
func (s *Server) Jump(d time.Duration, now time.Duration, cause event.Seq) {
	s.ahead += d
	s.begin(now, cause)
	s.emit(event.Event{Kind: event.ClockJumped, N: int64(d)})
}
