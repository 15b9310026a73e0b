// Package model is a simulated database: what PostgreSQL at READ COMMITTED and InnoDB at REPEATABLE READ store, lock
// and reply, as a state machine without clock, socket or goroutine.
//
// It knows only the statements of package sql. A table has its primary key and no other index, so a search by
// another column reads all rows. engine/testing/sqlconform checks that it replies as PostgreSQL 15 and MariaDB 10.11
// do. A committed transaction is on disk in both.
package model

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/base/agenda"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/sql"
)

// Config configures a node.
type Config struct {
	ID      event.Actor
	Emit    func(event.Event) event.Seq
	Dialect sql.Dialect // which database it is
	Seed    uint64      // seeds the order in which sessions woken at once continue
	// Synchronous delays a commit's reply, and its visibility, until a replica has it.
	Synchronous bool
	// DeadlockTimeout is how long a session of PostgreSQL waits before it looks for a deadlock; 0 means a second.
	// InnoDB looks at once.
	DeadlockTimeout time.Duration
}

// MaxRows is the maximum number of rows of a node, so that no client can exhaust it.
const MaxRows = 1_000_000

// Server is one node. It implements remote.Replicated and remote.Clocked.
type Server struct {
	cfg     Config
	dialect dialect
	engine  engine
	chance  *rand.Rand
	ahead   time.Duration // how far its clock is ahead of the given time
	now     time.Duration // by its clock
	cause   event.Seq     // cause of what it does now

	tables  tables
	serial  uint64 // last serial number of a version
	commits uint64
	open    []*session // sessions that haven't ended
	epoch   int        // how often all connections have ended at once
	txs     int64      // last number of a transaction

	names     map[string]*name
	listeners listeners
	woken     []*session // sessions to continue
	alarms    agenda.Agenda[alarm]

	replication replication
	unconfirmed []*session // sessions that wait until a replica has their commit, in order
}

// engine holds the differences between the databases: how they lock rows.
type engine interface {
	// modify executes a statement that locks, changes or deletes an existing row.
	modify(k *session)
	// insert executes a statement that inserts a row.
	insert(k *session)
	// read returns what a plain SELECT sees.
	read(k *session, r *row) *values
	// takeJob finds the first job that no other session has locked, locks it, and deletes it if the statement says so.
	takeJob(k *session)
	// lockTask reads all jobs in their order, since no index has the tasks, and locks at least those with the task.
	lockTask(k *session)
	// begun is called after a BEGIN.
	begun(t *tx)
	// release frees a transaction's locks, and wakes the sessions that wait for it.
	release(t *tx)
	// leave removes a session from the queue that it waits in.
	leave(k *session)
	// blocker returns the session that a session waits for, or nil.
	blocker(k *session) *session
	// tidy cleans up after statements; tidySometimes may do so between them.
	tidy()
	tidySometimes()
}

// New returns an empty node that is a primary.
func New(cfg Config) *Server {
	if cfg.DeadlockTimeout == 0 {
		cfg.DeadlockTimeout = time.Second
	}
	s := &Server{
		cfg: cfg, dialect: dialect(cfg.Dialect), chance: rand.New(rand.NewPCG(cfg.Seed, uint64(cfg.ID))),
		tables: tables{rows: make(map[key]*row)}, names: make(map[string]*name),
		listeners: listeners{make(map[string][]*session)},
	}
	s.engine = &postgres{s}
	if cfg.Dialect == sql.MySQL {
		s.engine = &innodb{s: s}
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

	tx       *tx // open transaction: of a BEGIN, or of one statement
	single   tx  // reused for transactions of one statement
	aborted  bool
	settings settings

	call  *sql.Call // current statement
	cause event.Seq // cause of its request
	later []laterRequest
	step  // progress of the statement
	wait  wait

	names   []*name // advisory locks that it holds, in order
	listens []string
	pushes  []remote.Push // notifications to send after its transaction
	lost    bool          // its client is gone; it ends when it next looks
	ended   bool
	chosen  int // how often it was the victim of a deadlock between advisory locks
	idle    int // counts the statements, for idle timeouts
}

// settings are a session's settings.
type settings struct{ lockTimeout, idleTimeout time.Duration }

// step is the progress of a session's statement.
type step struct {
	begun  bool
	clock  time.Duration // when the values that it writes were computed
	life   uint64        // life of the row that it has found
	serial uint64        // serial number of the version that it has found
	job    int64         // id of the row that it inserts, or that it has got to
	list   []*row        // rows that are left to lock
	first  int64         // id of the first job that it has locked, 0 for none
}

// lockedTask replies to a statement that locks the jobs with a task.
func (k *session) lockedTask() {
	r := sql.Result{}
	if k.first > 0 {
		r = sql.Result{Rows: 1, N: k.first, Text: k.call.Text}
	}
	k.done(r)
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

// begin sets the clock for what happens now. A database's clock has microseconds.
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
	k.s.resume()
}

func (k *session) start(r remote.Request, cause event.Seq) {
	k.call, _ = r.Body.(*sql.Call)
	k.cause, k.step = cause, step{}
	k.idle++
	if k.call == nil || !k.call.Statement.In(k.s.cfg.Dialect) {
		k.fail(k.s.dialect.unknownStatement())
		return
	}
	k.execute()
}

// resume continues the sessions that were woken, and then executes requests that have arrived meanwhile.
func (s *Server) resume() {
	for len(s.woken) > 0 {
		k := s.woken[0]
		s.woken = slices.Delete(s.woken, 0, 1)
		s.now += time.Microsecond // sessions continue later than what they waited for
		s.engine.tidySometimes()
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

// wake schedules sessions woken at the same moment, most likely in their order.
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

// Lost implements remote.Session. A session that waits for a lock doesn't look at its connection: it stays in the
// queue, and ends when it has got what it waits for.
func (k *session) Lost(now time.Duration, cause event.Seq) {
	if k.ended || k.epoch != k.s.epoch {
		return
	}
	k.s.begin(now, cause)
	k.lost, k.later = true, nil
	if k.call != nil {
		if k.wait.logged {
			k.wait.logged = false
			k.s.emit(event.Event{Kind: event.RequestServed, Peer: k.from, Path: k.wait.path, Op: event.Command,
				Reason: event.ConnLost})
		}
		return
	}
	k.end(event.ConnLost)
	k.s.resume()
}

// end ends the session, its transaction and its locks.
func (k *session) end(why event.Reason) {
	s := k.s
	k.ended = true
	if k.tx != nil {
		s.endTx(k.tx, false, why)
	}
	s.freeNames(k, why)
	for _, c := range k.listens {
		s.listeners.leave(c, k)
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

// Stop implements remote.Node. It rolls back uncommitted transactions; those that wait for a replica are committed.
func (s *Server) Stop(now time.Duration, cause event.Seq) {
	s.begin(now, cause)
	s.endAll(event.ByRestart)
}

// Start implements remote.Node.
func (s *Server) Start(time.Duration, event.Seq) {}

// endAll ends all sessions at once: none of them gets another's locks.
func (s *Server) endAll(why event.Reason) {
	s.epoch++
	unconfirmed := s.unconfirmed
	s.unconfirmed = nil
	for _, k := range unconfirmed {
		s.endTx(k.tx, true, event.ByCommit)
		k.call = nil
	}
	for _, k := range s.open {
		if k.wait.logged {
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
	s.woken, s.alarms, s.replication.followers = nil, agenda.Agenda[alarm]{}, nil
	s.engine.tidy()
}

// Jump implements remote.Clocked.
func (s *Server) Jump(d time.Duration, now time.Duration, cause event.Seq) {
	s.ahead += d
	s.begin(now, cause)
	s.emit(event.Event{Kind: event.ClockJumped, N: int64(d)})
}
