package check

import (
	"cmp"

	"github.com/zkviz/zkviz/engine/event"
)

// Member is a server of an ensemble, as the log leaves it.
type Member struct {
	Role    Role
	Clients int // those whose last connection was to it
}

// Role is a server's role in its ensemble.
type Role string

// The roles. A server that is seen from outside and may not say has RoleUnknown.
const (
	Leader      Role = "leader"
	Follower    Role = "follower" // also an observer
	Looking     Role = "looking"  // for a leader, or on its way to one
	Down        Role = "down"
	OutOfReach  Role = "out-of-reach"
	RoleUnknown Role = "unknown"
)

// members follows the servers of an ensemble, and which clients are at which.
type members struct {
	roles []Role // by server
	stays []stay
	moved int
}

// stay is a client's last connection, and its session.
type stay struct {
	server  event.Actor
	session int64
	moved   bool // the session was at another server before
}

// became takes a server's start, stop or change of phase.
func (m *members) became(e *event.Event) {
	if e.Actor.Kind() != event.AServer {
		return
	}
	role := slot(&m.roles, event.Actor(e.Actor.Number()))
	switch {
	case e.Kind == event.ServerStopped && e.Reason == event.ServerUnreached:
		*role = OutOfReach
	case e.Kind == event.ServerStopped:
		*role = Down
	case e.Kind == event.ServerStarted && e.Reason == event.ServerReached:
		*role = RoleUnknown
	case e.Kind == event.ServerStarted:
		*role = Looking
	case e.Kind == event.ServerPhase && event.ServerPhaseName(e.Text) != event.Broadcasting:
		*role = Looking
	case e.Kind == event.ServerPhase && e.Peer == e.Actor:
		*role = Leader
	case e.Kind == event.ServerPhase:
		*role = Follower
	}
}

// connected records a client's server. A session counts once, however often it moves.
func (m *members) connected(e *event.Event) {
	if e.Peer.Kind() != event.AServer {
		return
	}
	v := slot(&m.stays, e.Actor)
	if v == nil {
		return
	}
	if e.Session != v.session {
		*v = stay{session: e.Session}
	}
	if v.server != 0 && v.server != e.Peer && !v.moved {
		v.moved = true
		m.moved++
	}
	v.server = e.Peer
}

// list returns the servers that the log knows.
func (m *members) list() []Member {
	all := make([]Member, len(m.roles))
	for i, role := range m.roles {
		all[i].Role = cmp.Or(role, RoleUnknown)
	}
	for _, v := range m.stays {
		if n := v.server.Number(); n >= 1 && n <= len(all) {
			all[n-1].Clients++
		}
	}
	return all
}
