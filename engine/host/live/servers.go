package live

import (
	"context"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
)

// zkviz knows of an ensemble's servers what anybody can see from outside: whether they accept connections, and which
// role each reports. The log gets the changes.

const (
	pollEvery   = 2 * time.Second        // how often to ask each server,
	pollPause   = 200 * time.Millisecond // and the least pause when clients come and go
	pollTimeout = 2 * time.Second        // how long an answer may take
)

// server is a server of an ensemble, as seen from outside.
type server struct {
	id   event.Actor
	addr string
	wake chan struct{} // signals to ask at once

	asked   bool
	reached bool
	status  admin.Status

	logged bool // the log has an event about it:
	state  serverState
	zxid   int64
}

// serverState holds the state of a server according to the log.
type serverState struct {
	up     bool
	phase  event.ServerPhaseName // empty if unknown
	leader event.Actor           // 0 if unknown
}

// pollServers asks the servers of an ensemble about themselves until the end of the run.
func (w *world) pollServers() {
	if len(w.cfg.Servers) < 2 {
		return
	}
	for i, addr := range w.cfg.Servers {
		w.servers = append(w.servers, &server{id: event.Server(i + 1), addr: addr, wake: make(chan struct{}, 1)})
	}
	ctx, cancel := context.WithCancel(context.Background())
	w.Go(func() { <-w.Over(); cancel() })
	for _, s := range w.servers {
		w.Go(func() { w.poll(ctx, s) })
	}
}

// poll asks one server again and again.
func (w *world) poll(ctx context.Context, s *server) {
	every := time.NewTicker(pollEvery)
	defer every.Stop()
	for {
		asking, done := context.WithTimeout(ctx, pollTimeout)
		status, err := admin.Ask(asking, w.cfg.Access, s.addr)
		done()
		w.Locked(func() {
			s.asked, s.reached, s.status = true, err == nil, status
			w.logServers()
		})
		select {
		case <-ctx.Done():
			return
		case <-time.After(pollPause):
		}
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-every.C:
		}
	}
}

// pollSoon asks all servers soon: a client has come or gone, so something may have changed.
func (w *world) pollSoon() {
	for _, s := range w.servers {
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
}

// serverAt returns the server at an address, event.ZooKeeper if it is none of an ensemble.
func (w *world) serverAt(addr string) event.Actor {
	for _, s := range w.servers {
		if s.addr == addr {
			return s.id
		}
	}
	return event.ZooKeeper
}

// logServers logs what has changed, once all servers have been asked.
func (w *world) logServers() {
	if slices.ContainsFunc(w.servers, func(s *server) bool { return !s.asked }) {
		return
	}
	leader := w.leader()
	for _, s := range w.servers {
		w.logServer(s, s.stateNow(leader))
	}
	if !w.rolesLeft && slices.ContainsFunc(w.servers, func(s *server) bool { return s.status.Refused }) {
		w.rolesLeft = true
		w.Emit(event.Event{Kind: event.RecipeNote, Reason: event.LeftRoles})
	}
}

// leader returns the server that says it leads, 0 if none does. Among several it picks the one that has applied
// most: the others haven't noticed their successor yet.
func (w *world) leader() (id event.Actor) {
	most := int64(-1)
	for _, s := range w.servers {
		if s.reached && s.status.Role == admin.Leads && s.status.Zxid > most {
			id, most = s.id, s.status.Zxid
		}
	}
	return id
}

// stateNow returns the present state of the server. A follower follows the present leader, or else the last one.
func (s *server) stateNow(leader event.Actor) serverState {
	n := serverState{up: s.reached}
	if !s.reached {
		return n
	}
	switch s.status.Role {
	case admin.Looks:
		n.phase = event.NotServing
	case admin.Leads:
		n.phase, n.leader = event.Broadcasting, s.id
	case admin.Follows:
		n.phase, n.leader = event.Broadcasting, leader
		if before := s.state; leader == 0 && before.phase == event.Broadcasting && before.leader != s.id {
			n.leader = before.leader
		}
	}
	return n
}

func (w *world) logServer(s *server, n serverState) {
	before := s.state
	begins := !s.logged || n.up && n.phase == "" && before.phase != ""
	switch {
	case n.up && (begins || !before.up):
		before = serverState{up: true}
		w.Emit(event.Event{Kind: event.ServerStarted, Actor: s.id, Reason: event.ServerReached})
	case !n.up && (begins || before.up):
		w.Emit(event.Event{Kind: event.ServerStopped, Actor: s.id, Reason: event.ServerUnreached})
	}
	if n.phase != "" && n != before {
		w.Emit(event.Event{Kind: event.ServerPhase, Actor: s.id, Peer: n.leader, Text: string(n.phase),
			Reason: event.ServerSays})
	}
	if z := s.status.Zxid; n.up && z != 0 && z != s.zxid {
		s.zxid = z
		w.Emit(event.Event{Kind: event.TxnDelivered, Actor: s.id, Zxid: z, Reason: event.ServerSays})
	}
	s.logged, s.state = true, n
}
