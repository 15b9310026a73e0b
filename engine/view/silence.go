package view

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// The two clocks of an ensemble: for how long a leader has not heard of a session, and for how long servers have not
// heard of each other.

// LeaderHeard is when the leader has heard of a client's session last, from where that runs out; of a server alone,
// when that has. A follower's own account is another: it answers heartbeats itself, and passes on later what it
// has heard.
func (s *State) LeaderHeard(c *Client) time.Duration { return max(c.Heard, s.Renewed) }

// Counted reports whether somebody counts how long nothing was heard of sessions: without a leader, or while the only
// server is down, nobody does.
func (s *State) Counted() bool {
	if s.Ensemble() {
		return s.LeaderNow() != event.ZooKeeper
	}
	return !s.Lost
}

// Ensemble reports whether the log tells what the servers of an ensemble hear, and not only that they are there.
func (s *State) Ensemble() bool { return len(s.Servers) > 0 && !s.Servers[0].Outside }

// LeaderNow is the server of an ensemble that leads the latest epoch, 0 if none does.
func (s *State) LeaderNow() (leader event.Actor) {
	epoch := int32(-1)
	for i := range s.Servers {
		if n := &s.Servers[i]; n.Leads(i+1) && n.Current > epoch {
			leader, epoch = event.Server(i+1), n.Current
		}
	}
	return leader
}

// counts reports whether what a client's server hears of it is what its session lasts by: a follower only passes it on.
func (s *State) counts(c *Client) bool {
	return !s.Ensemble() || c.Server != 0 && c.Server == s.LeaderNow()
}

// Owner is which server has a client by the leader's account, 0 if it knows of none.
func (s *State) Owner(c *Client) event.Actor {
	if c.ownedAt < s.Renewed {
		return 0 // by the account of one before
	}
	return c.owner
}

// touched is that a leader hears of a session, which is at that server.
func (s *State) touched(e event.Event, at event.Actor) {
	if c := s.Client(e.Peer); c != nil && c.Ended == Alive && e.Session == c.Session && e.Actor == s.LeaderNow() {
		c.Heard, c.owner, c.ownedAt = e.At, at, e.At
	}
}

// proposed is that a leader takes a write, and with it a sign of life, unless the session is elsewhere by now. It
// proposes the end of one that it has heard nothing of itself.
func (s *State) proposed(e event.Event) {
	if e.Op == event.CloseSession {
		return
	}
	from := s.Costs.from(e)
	if c := s.Client(e.Peer); c != nil && (s.Owner(c) == 0 || s.Owner(c) == from) {
		s.touched(e, from)
	}
}

// Silence is how a learner and its leader wait for each other, by the account of one.
type Silence struct {
	Part float64       // how much of it has passed of what they bear
	Left time.Duration // until they part
}

// Matters reports whether it is longer than it is when all is well: pings are ten times as frequent as they must be.
func (c Silence) Matters() bool { return c.Part >= 0.25 }

// Silence is for how long a server has heard nothing from the server n, which it follows, or which follows it. It is
// false if that makes no difference.
func (s *State) Silence(of, n int, at time.Duration) (Silence, bool) {
	if max(of, n) > min(len(s.Servers), mostServers) || of == n || len(s.Header.Systems) == 0 {
		return Silence{}, false
	}
	a, b, limit := &s.Servers[of-1], &s.Servers[n-1], s.Header.Systems[0].SyncLimit
	heard, follows := a.heard[n], a.Leader == event.Server(n)
	leads := a.Leads(of) && b.Up && (b.Leader == event.Server(of) || a.CutFrom(n))
	if limit <= 0 || heard == 0 || !a.Serves() || a.Paused || !follows && !leads {
		return Silence{}, false
	}
	silent := max(0, at-heard)
	if leads && silent >= limit { // it drops the other, or has
		return Silence{}, false
	}
	return Silence{min(1, float64(silent)/float64(limit)), max(0, limit-silent)}, true
}

// hears is that a server has heard another, in what learners and their leaders say to each other.
func (n *Server) hears(e event.Event) {
	if e.Peer.Kind() == event.AServer && e.Op != event.Notification {
		n.heard[place(e.Peer)] = e.At
	}
}
