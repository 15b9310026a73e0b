// Package model is a simulated node of Redis: what a server keeps and answers, as a state machine without clock, socket
// or goroutine.
//
// It knows the commands that locks need and that a person tries beside them, with the texts of Redis 7's errors, and of
// scripts those of package redis, unless it is given an interpreter. It has one database, and writes nothing to a disk:
// a restart forgets all.
// That it answers as Redis does is held to account by engine/redis/conform; what is kept different is listed in
// DIFFERENCES.md.
package model

import (
	"cmp"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/agenda"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/redis"
	"github.com/zkviz/zkviz/engine/redis/resp"
	"github.com/zkviz/zkviz/engine/remote"
)

// Config is a node.
type Config struct {
	ID   event.Actor
	Emit func(event.Event) event.Seq
	// Clock is what the node's clock shows when the time that it is told is 0: since 1970, where that matters.
	Clock time.Duration
	// Bytes is how many there may be of keys and values; MaxBytes if it is 0.
	Bytes int
	// Lua makes a script of a text that EVAL or SCRIPT LOAD brings. Without it the node runs the scripts of the recipes
	// alone, which are functions of Go.
	Lua func(text string) (Runner, error)
}

// Limits of a node, so that nobody makes it take too much.
const (
	MaxKeys     = 1_000_000
	MaxBytes    = 64 << 20 // of keys and values, and of what it takes to keep them
	MaxList     = 10_000   // elements of a list
	MaxChannels = 1_000    // of a connection
	MaxNames    = 64 << 10 // bytes of their names
	MaxLater    = 1_000    // requests of a connection that come while it is blocked
)

// Server is one node. It implements remote.Replicated and remote.Clocked.
type Server struct {
	cfg   Config
	ahead time.Duration // by how much its clock is ahead of the time that it is told
	now   time.Duration // by its clock; stands still during a command
	cause event.Seq     // of what it does now
	by    event.Actor   // whose request it carries out

	keys     map[string]*item
	volatile []string // the keys that end, in no order
	bytes    int
	cycle    time.Duration // of expiry: when it comes next, by the time that it is told; 0 for not planned
	cursor   int           // in volatile: what the cycle looks at next

	channels  map[string][]*session
	blocked   map[string][]*wait // at lists, by key, in the order in which they began to wait
	waiting   []*wait            // for replicas
	ready     []string           // lists that were pushed to during a command
	unblocked []*session         // since the last command
	limits    agenda.Agenda[*wait]

	replica   bool
	replaying bool // what its primary has done: to that a key is there until it is deleted
	primary   event.Actor
	send      func(remote.Effect, event.Seq)
	loaded    loaded
	script    bool     // one runs: what it does goes to the replicas as a whole
	changes   []change // of which they are not told yet
	offset    int      // effects so far
	followers []follower
}

// follower is a replica, and how far it has come.
type follower struct {
	id         event.Actor
	base, done int // of the effects: with which it began, and how many since it has confirmed
}

// New is an empty node that is a primary.
func New(cfg Config) *Server {
	cfg.Bytes = cmp.Or(cfg.Bytes, MaxBytes)
	return &Server{
		cfg: cfg, ahead: cfg.Clock, loaded: loaded{by: make(map[string]kept)},
		keys: make(map[string]*item), channels: make(map[string][]*session), blocked: make(map[string][]*wait),
	}
}

var (
	_ remote.Replicated = (*Server)(nil)
	_ remote.Clocked    = (*Server)(nil)
)

// session is a connection.
type session struct {
	s        *Server
	link     remote.Link
	from     event.Actor
	channels []string
	wait     *wait          // it is blocked
	later    []laterRequest // that came while it was
	offset   int            // of the node, after its last command
	lost     bool
}

type laterRequest struct {
	r     remote.Request
	cause event.Seq
}

// wait is a request that is not answered yet.
type wait struct {
	k       *session
	keys    []string // of a BLPOP
	path    string   // that the log has it wait for
	replies int      // of a WAIT: how many replicas it wants
	offset  int      // of a WAIT: what they are to have
	over    bool
}

// Connect implements remote.Node.
func (s *Server) Connect(link remote.Link, from event.Actor, _ time.Duration) remote.Session {
	return &session{s: s, link: link, from: from}
}

// begin sets the clock for what happens now, and who does it.
func (s *Server) begin(now time.Duration, by event.Actor, cause event.Seq) {
	s.now, s.by, s.cause = now+s.ahead, by, cause
}

// Handle implements remote.Session.
func (k *session) Handle(r remote.Request, now time.Duration, cause event.Seq) {
	switch {
	case k.lost:
		return
	case k.wait == nil:
		k.carryOut(r, now, cause)
	case len(k.later) < MaxLater:
		k.later = append(k.later, laterRequest{r, cause})
		return
	default:
		k.s.begin(now, k.from, cause)
		k.s.hangUp(k)
	}
	k.s.goOn(now)
}

func (k *session) carryOut(r remote.Request, now time.Duration, cause event.Seq) {
	s := k.s
	s.begin(now, k.from, cause)
	args, _ := r.Body.([]string)
	v := s.command(k, args)
	if v.Kind != none.Kind {
		k.link.Reply(redis.Reply(v), false, cause)
	}
	k.offset = s.offset
	s.serve()
}

// Lost implements remote.Session. It frees nothing: subscriptions end, and a request that waits.
func (k *session) Lost(now time.Duration, cause event.Seq) {
	k.s.begin(now, k.from, cause)
	k.s.part(k)
}

// hangUp ends a connection.
func (s *Server) hangUp(k *session) {
	s.part(k)
	k.link.Close(event.ConnHungUp, s.cause)
}

// part forgets a connection.
func (s *Server) part(k *session) {
	k.lost, k.later = true, nil
	for _, c := range k.channels {
		s.leave(c, k)
	}
	k.channels = nil
	if k.wait != nil {
		s.unblock(k.wait, event.ConnLost)
	}
}

func (s *Server) emit(e event.Event) event.Seq {
	e.Actor = s.cfg.ID
	if e.Cause == 0 {
		e.Cause = s.cause
	}
	return s.cfg.Emit(e)
}

// NextTick implements remote.Node.
func (s *Server) NextTick() (time.Duration, bool) {
	at, any := s.cycle, s.cycle > 0
	for {
		limit, w, ok := s.limits.First()
		if !ok {
			break
		}
		if w.over {
			s.limits.Next()
			continue
		}
		if !any || limit < at {
			at, any = limit, true
		}
		break
	}
	return at, any
}

// Tick implements remote.Node.
func (s *Server) Tick(now time.Duration) {
	s.begin(now, 0, 0)
	for {
		limit, w, ok := s.limits.First()
		if !ok || !w.over && limit > now {
			break
		}
		s.limits.Next()
		if !w.over {
			s.timeOut(w)
		}
	}
	s.goOn(now)
	s.begin(now, 0, 0)
	if s.cycle > 0 && s.cycle <= now {
		s.cycle = 0
		s.expireSome()
		s.planCycle(now)
	}
}

// timeOut answers a request that has waited for long enough.
func (s *Server) timeOut(w *wait) {
	k := w.k
	s.unblock(w, event.ByTimer)
	v := resp.Value{Kind: resp.NilArray}
	if w.keys == nil {
		v = resp.Int(int64(s.confirmed(w.offset)))
	}
	k.link.Reply(redis.Reply(v), false, s.cause)
	s.unblocked = append(s.unblocked, k)
}

// goOn carries out what connections have asked for while they were blocked: all of the first that was let go, then
// all of the next.
func (s *Server) goOn(now time.Duration) {
	for len(s.unblocked) > 0 {
		k := s.unblocked[0]
		s.unblocked = slices.Delete(s.unblocked, 0, 1)
		for k.wait == nil && len(k.later) > 0 && !k.lost {
			next := k.later[0]
			k.later = slices.Delete(k.later, 0, 1)
			k.carryOut(next.r, now, next.cause)
		}
	}
}

// Stop implements remote.Node. All that it has is in its memory.
func (s *Server) Stop(now time.Duration, cause event.Seq) {
	s.begin(now, 0, cause)
	for _, w := range s.waits() {
		s.unblock(w, event.ConnLost)
	}
	s.forget(event.ByRestart)
	s.channels, s.limits = make(map[string][]*session), agenda.Agenda[*wait]{}
	s.loaded.clear()
	s.ready, s.unblocked, s.followers, s.cycle, s.cursor = nil, nil, nil, 0, 0
}

// Start implements remote.Node.
func (s *Server) Start(time.Duration, event.Seq) {}

// Jump implements remote.Clocked.
func (s *Server) Jump(d time.Duration, now time.Duration, cause event.Seq) {
	s.ahead += d
	s.begin(now, 0, cause)
	s.emit(event.Event{Kind: event.ClockJumped, N: int64(d)})
}
