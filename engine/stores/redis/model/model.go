// Package model is a simulated Redis node: what a server stores and replies, as a state machine without clock, socket
// or goroutine.
//
// It has the commands that locks need and that people try along with them, with the error texts of Redis 7. Of scripts
// it knows only those of package redis, unless it is given an interpreter. It has one database and no disk: a restart
// loses everything. engine/testing/redisconform checks that it replies as Redis does; DIFFERENCES.md lists deliberate
// differences.
package model

import (
	"cmp"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/base/agenda"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/redis"
	"github.com/zkviz/zkviz/engine/stores/redis/resp"
	"github.com/zkviz/zkviz/engine/stores/remote"
)

// Config configures a node.
type Config struct {
	ID   event.Actor
	Emit func(event.Event) event.Seq
	// Clock is what the node's clock shows at time 0: the time since 1970, if that matters.
	Clock time.Duration
	// Bytes is the maximum size of keys and values; 0 means MaxBytes.
	Bytes int
	// Lua compiles a script for EVAL or SCRIPT LOAD. Without it, the node runs only the recipes' scripts, which are Go
	// functions.
	Lua func(text string) (Runner, error)
}

// Limits of a node, so that no client can exhaust it.
const (
	MaxKeys     = 1_000_000
	MaxBytes    = 64 << 20 // keys, values and their overhead
	MaxList     = 10_000   // elements of a list
	MaxChannels = 1_000    // channels of a connection
	MaxNames    = 64 << 10 // bytes of their names
	MaxLater    = 1_000    // requests that a connection sends while it is blocked
)

// Server is one node. It implements remote.Replicated and remote.Clocked.
type Server struct {
	cfg         Config
	moment      moment
	keys        keyspace
	cycle       time.Duration // next expiry cycle, by the given time; 0 for none
	waits       waits
	pubsub      pubsub
	scripts     scripts
	replication replication
}

// New returns an empty node that is a primary.
func New(cfg Config) *Server {
	cfg.Bytes = cmp.Or(cfg.Bytes, MaxBytes)
	s := &Server{
		cfg:     cfg,
		moment:  moment{ahead: cfg.Clock},
		keys:    keyspace{items: make(map[string]*item)},
		waits:   waits{byList: make(map[string][]*wait)},
		pubsub:  pubsub{make(map[string][]*session)},
		scripts: scripts{lua: cfg.Lua, by: make(map[string]loadedScript)},
	}
	s.replication.moment = &s.moment
	return s
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
	wait     *wait          // the connection is blocked
	later    []laterRequest // sent while it was blocked
	offset   int            // the node's offset after its last command
	lost     bool
}

type laterRequest struct {
	r     remote.Request
	cause event.Seq
}

// Connect implements remote.Node.
func (s *Server) Connect(link remote.Link, from event.Actor, _ time.Duration) remote.Session {
	return &session{s: s, link: link, from: from}
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
		k.s.moment.begin(now, k.from, cause)
		k.s.hangUp(k)
	}
	k.s.resume(now)
}

func (k *session) carryOut(r remote.Request, now time.Duration, cause event.Seq) {
	s := k.s
	s.moment.begin(now, k.from, cause)
	args, _ := r.Body.([]string)
	v := s.command(k, args)
	if v.Kind != none.Kind {
		k.link.Reply(redis.Reply(v), false, cause)
	}
	k.offset = s.replication.offset
	s.serve()
}

// Lost implements remote.Session. It deletes nothing: only subscriptions and a waiting request end.
func (k *session) Lost(now time.Duration, cause event.Seq) {
	k.s.moment.begin(now, k.from, cause)
	k.s.disconnect(k)
}

// hangUp closes a connection.
func (s *Server) hangUp(k *session) {
	s.disconnect(k)
	k.link.Close(event.ConnHungUp, s.moment.cause)
}

// disconnect forgets a connection.
func (s *Server) disconnect(k *session) {
	k.lost, k.later = true, nil
	s.pubsub.leaveAll(k)
	if k.wait != nil {
		s.unblock(k.wait, event.ConnLost)
	}
}

func (s *Server) emit(e event.Event) event.Seq {
	e.Actor = s.cfg.ID
	if e.Cause == 0 {
		e.Cause = s.moment.cause
	}
	return s.cfg.Emit(e)
}

// NextTick implements remote.Node.
func (s *Server) NextTick() (time.Duration, bool) {
	if limit, ok := s.waits.nextLimit(); ok && (s.cycle == 0 || limit < s.cycle) {
		return limit, true
	}
	return s.cycle, s.cycle > 0
}

// Tick implements remote.Node.
func (s *Server) Tick(now time.Duration) {
	s.moment.begin(now, 0, 0)
	for {
		limit, w, ok := s.waits.limits.First()
		if !ok || !w.over && limit > now {
			break
		}
		s.waits.limits.Next()
		if !w.over {
			s.timeOut(w)
		}
	}
	s.resume(now)
	s.moment.begin(now, 0, 0)
	if s.cycle > 0 && s.cycle <= now {
		s.cycle = 0
		s.expireSome()
		s.planCycle(now)
	}
}

// timeOut replies to a request that has waited long enough.
func (s *Server) timeOut(w *wait) {
	k := w.k
	s.unblock(w, event.ByTimer)
	v := resp.Value{Kind: resp.NilArray}
	if w.keys == nil {
		v = resp.Int(int64(s.replication.confirmed(w.offset)))
	}
	k.link.Reply(redis.Reply(v), false, s.moment.cause)
	s.waits.unblocked = append(s.waits.unblocked, k)
}

// resume executes the requests that connections sent while they were blocked: first all of the connection unblocked
// first, then all of the next.
func (s *Server) resume(now time.Duration) {
	for len(s.waits.unblocked) > 0 {
		k := s.waits.unblocked[0]
		s.waits.unblocked = slices.Delete(s.waits.unblocked, 0, 1)
		for k.wait == nil && len(k.later) > 0 && !k.lost {
			next := k.later[0]
			k.later = slices.Delete(k.later, 0, 1)
			k.carryOut(next.r, now, next.cause)
		}
	}
}

// Stop implements remote.Node. It loses everything, since everything is in memory.
func (s *Server) Stop(now time.Duration, cause event.Seq) {
	s.moment.begin(now, 0, cause)
	for _, w := range s.waits.all() {
		s.unblock(w, event.ConnLost)
	}
	for _, key := range s.keys.sorted() {
		s.keys.drop(key, s.keys.items[key])
		s.emit(event.Event{Kind: event.EntryGone, Path: key, Reason: event.ByRestart})
	}
	s.pubsub.subscribers, s.waits.limits = make(map[string][]*session), agenda.Agenda[*wait]{}
	s.scripts.clear()
	s.waits.pushed, s.waits.unblocked, s.replication.followers, s.cycle, s.keys.cursor = nil, nil, nil, 0, 0
}

// Start implements remote.Node.
func (s *Server) Start(time.Duration, event.Seq) {}

// Jump implements remote.Clocked.
func (s *Server) Jump(d time.Duration, now time.Duration, cause event.Seq) {
	s.moment.ahead += d
	s.moment.begin(now, 0, cause)
	s.emit(event.Event{Kind: event.ClockJumped, N: int64(d)})
}
