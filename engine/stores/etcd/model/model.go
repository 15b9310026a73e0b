// Package model is a simulated etcd, as a state machine without clock, socket or goroutine.
//
// It is a single node: the consensus of several is not simulated. What it has committed is on disk, and survives a
// restart: keys, revisions and leases. Leases run on a monotonic clock, so a jump of the node's clock doesn't
// affect them. Package engine/testing/etcdconform checks that it replies as etcd 3.4 does. It differs on purpose
// in this: it numbers its leases from 1; a watch from a past revision is notified at once, and not at etcd's next
// look, ten times a second; and nothing is compacted.
package model

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/etcd"
	"github.com/zkviz/zkviz/engine/stores/remote"
)

// Config is the configuration of a node.
type Config struct {
	ID   event.Actor
	Emit func(event.Event) event.Seq
	// Election is the election timeout, 0 for etcd's default. No lease is shorter than one and a half times that, and a
	// restart extends all leases by it.
	Election time.Duration
}

// Limits of a node, which bound its memory.
const (
	MaxRevisions = 1_000_000
	MaxLeases    = 100_000
)

const defaultElection = time.Second

// Server is one node. It implements remote.Node and remote.Clocked.
type Server struct {
	cfg   Config
	now   time.Duration
	cause event.Seq   // of the current change
	by    event.Actor // whose request is carried out

	revision int64
	keys     map[string]*item
	created  []*item // all keys, in the order of creation, then by name
	// deleted has the revisions at which keys were deleted, watches those to notify.
	deleted map[string][]int64
	watches map[string][]*watch

	leases map[etcd.LeaseID]*lease
	last   etcd.LeaseID // the last one granted
}

// item is a key.
type item struct{ etcd.KV }

// watch is a watch on the deletion of a key.
type watch struct {
	k    *session
	key  string
	from int64
}

// New returns an empty node.
func New(cfg Config) *Server {
	if cfg.Election == 0 {
		cfg.Election = defaultElection
	}
	return &Server{
		cfg: cfg, revision: 1, keys: make(map[string]*item), deleted: make(map[string][]int64),
		watches: make(map[string][]*watch), leases: make(map[etcd.LeaseID]*lease),
	}
}

var (
	_ remote.Node    = (*Server)(nil)
	_ remote.Clocked = (*Server)(nil)
)

// session is a connection.
type session struct {
	s     *Server
	link  remote.Link
	from  event.Actor
	watch *watch     // only one at a time
	held  *etcd.Call // its reply waits until an expired lease is revoked
	later []laterRequest
	lost  bool
}

type laterRequest struct {
	r     remote.Request
	cause event.Seq
}

// Connect implements remote.Node.
func (s *Server) Connect(link remote.Link, from event.Actor, _ time.Duration) remote.Session {
	return &session{s: s, link: link, from: from}
}

func (s *Server) begin(now time.Duration, by event.Actor, cause event.Seq) {
	s.now, s.by, s.cause = now, by, cause
}

// Handle implements remote.Session.
func (k *session) Handle(r remote.Request, now time.Duration, cause event.Seq) {
	if k.held != nil {
		k.later = append(k.later, laterRequest{r, cause})
		return
	}
	k.s.begin(now, k.from, cause)
	call, _ := r.Body.(*etcd.Call)
	if call == nil {
		k.link.Reply(etcd.Failure(etcd.ErrNoKey), false, cause)
		return
	}
	k.carryOut(call)
}

func (k *session) carryOut(c *etcd.Call) {
	s := k.s
	if c.Kind == etcd.KeepAlive {
		if l := s.leases[c.Lease]; l != nil && l.ends <= s.now {
			k.held = c
			l.asked = append(l.asked, k)
			return
		}
	}
	a, err := s.execute(c)
	if err != "" {
		k.link.Reply(etcd.Failure(err), false, s.cause)
		return
	}
	a.Revision = s.revision
	k.link.Reply(etcd.Reply(c, &a), false, s.cause)
	if c.Kind == etcd.Watch {
		k.watchFor(c)
	}
}

// goOn replies to a request that waited until its lease was revoked, and carries out those after it.
func (k *session) goOn() {
	c := k.held
	k.held = nil
	if k.lost || c == nil {
		return
	}
	k.link.Reply(etcd.Reply(c, &etcd.Answer{Revision: k.s.revision, Lease: c.Lease}), false, k.s.cause)
	for k.held == nil && len(k.later) > 0 && !k.lost {
		next := k.later[0]
		k.later = slices.Delete(k.later, 0, 1)
		k.Handle(next.r, k.s.now, next.cause)
	}
}

// Lost implements remote.Session. It ends the watch and frees nothing.
func (k *session) Lost(time.Duration, event.Seq) {
	k.lost, k.later = true, nil
	k.unwatch()
}

func (s *Server) emit(e event.Event) event.Seq {
	e.Actor = s.cfg.ID
	if e.Cause == 0 {
		e.Cause = s.cause
	}
	return s.cfg.Emit(e)
}

// Stop implements remote.Node.
func (s *Server) Stop(time.Duration, event.Seq) {
	s.watches = make(map[string][]*watch)
	for _, l := range s.leases {
		l.asked = nil
	}
}

// Start implements remote.Node. How long leases had lasted is no longer known: all start over.
func (s *Server) Start(now time.Duration, cause event.Seq) {
	s.begin(now, 0, cause)
	for _, l := range s.sortedLeases() {
		l.ends = now + s.cfg.Election + l.lasts()
		s.emit(event.Event{Kind: event.LeaseRenewed, Peer: l.owner, Session: int64(l.id), N: int64(l.ends)})
	}
}

// Jump implements remote.Clocked.
func (s *Server) Jump(d time.Duration, now time.Duration, cause event.Seq) {
	s.begin(now, 0, cause)
	s.emit(event.Event{Kind: event.ClockJumped, N: int64(d)})
}
