package live

import (
	"context"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
)

// What is known of the servers of an ensemble is what anybody sees from outside: whether they take connections, and
// what each says when it is asked what it is. The log is told of changes.

const (
	askEvery = 2 * time.Second        // how often each server is asked,
	askPause = 200 * time.Millisecond // and how often at most, when clients come and go
	askLimit = 2 * time.Second        // how long it may take to answer
)

// outside is a server of an ensemble as it is seen from outside.
type outside struct {
	id   event.Actor
	addr string
	bell chan struct{} // it is to be asked now

	asked   bool
	reached bool
	status  admin.Status

	said     bool // the log has something of it:
	standing standing
	zxid     int64
}

// standing is what the log says of a server.
type standing struct {
	up     bool
	phase  event.ServerPhaseName // empty if that is not known
	leader event.Actor           // likewise 0
}

// askServers asks the servers of an ensemble what they are, from now on until the end of the run.
func (w *world) askServers() {
	if len(w.cfg.Servers) < 2 {
		return
	}
	for i, addr := range w.cfg.Servers {
		w.servers = append(w.servers, &outside{id: event.Server(i + 1), addr: addr, bell: make(chan struct{}, 1)})
	}
	ctx, cancel := context.WithCancel(context.Background())
	w.start(func() { <-w.over; cancel() })
	for _, s := range w.servers {
		w.start(func() { w.keepAsking(ctx, s) })
	}
}

// keepAsking asks a server again and again.
func (w *world) keepAsking(ctx context.Context, s *outside) {
	every := time.NewTicker(askEvery)
	defer every.Stop()
	for {
		asking, done := context.WithTimeout(ctx, askLimit)
		status, err := admin.Ask(asking, w.cfg.Access, s.addr)
		done()
		w.locked(func() {
			s.asked, s.reached, s.status = true, err == nil, status
			w.tellServers()
		})
		select {
		case <-ctx.Done():
			return
		case <-time.After(askPause):
		}
		select {
		case <-ctx.Done():
			return
		case <-s.bell:
		case <-every.C:
		}
	}
}

// askSoon has all servers asked: a client has come or gone, so that something may have changed.
func (w *world) askSoon() {
	for _, s := range w.servers {
		select {
		case s.bell <- struct{}{}:
		default:
		}
	}
}

// serverAt is the server at an address, 0 where there is one server alone.
func (w *world) serverAt(addr string) event.Actor {
	for _, s := range w.servers {
		if s.addr == addr {
			return s.id
		}
	}
	return event.ZooKeeper
}

// tellServers tells the log what has changed, once all servers have been asked.
func (w *world) tellServers() {
	if slices.ContainsFunc(w.servers, func(s *outside) bool { return !s.asked }) {
		return
	}
	leader := w.leader()
	for _, s := range w.servers {
		w.tellServer(s, s.now(leader))
	}
	if !w.rolesLeft && slices.ContainsFunc(w.servers, func(s *outside) bool { return s.status.Refused }) {
		w.rolesLeft = true
		w.emit(event.Event{Kind: event.RecipeNote, Reason: event.LeftRoles})
	}
}

// leader is the server that says that it leads, 0 if none does. Of several it is the one that has applied most: the
// others have not noticed yet that there is a later one.
func (w *world) leader() (id event.Actor) {
	most := int64(-1)
	for _, s := range w.servers {
		if s.reached && s.status.Role == admin.Leads && s.status.Zxid > most {
			id, most = s.id, s.status.Zxid
		}
	}
	return id
}

// now is what is known of the server. It does not say whom it follows: the one that leads, or has led.
func (s *outside) now(leader event.Actor) standing {
	n := standing{up: s.reached}
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
		if before := s.standing; leader == 0 && before.phase == event.Broadcasting && before.leader != s.id {
			n.leader = before.leader
		}
	}
	return n
}

func (w *world) tellServer(s *outside, n standing) {
	before := s.standing
	begins := !s.said || n.up && n.phase == "" && before.phase != ""
	switch {
	case n.up && (begins || !before.up):
		before = standing{up: true}
		w.emit(event.Event{Kind: event.ServerStarted, Actor: s.id, Reason: event.ServerReached})
	case !n.up && (begins || before.up):
		w.emit(event.Event{Kind: event.ServerStopped, Actor: s.id, Reason: event.ServerUnreached})
	}
	if n.phase != "" && n != before {
		w.emit(event.Event{Kind: event.ServerPhase, Actor: s.id, Peer: n.leader, Text: string(n.phase),
			Reason: event.ServerSays})
	}
	if z := s.status.Zxid; n.up && z != 0 && z != s.zxid {
		s.zxid = z
		w.emit(event.Event{Kind: event.TxnDelivered, Actor: s.id, Zxid: z, Reason: event.ServerSays})
	}
	s.said, s.standing = true, n
}
