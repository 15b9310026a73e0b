package view

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// This file holds the two clocks of an ensemble: how long a leader hasn't heard from a session, and how long
// servers haven't heard from each other.

// Counted reports whether any server counts down the sessions. Without a leader, or while the only server is down,
// none does.
func (s *State) Counted() bool {
	if s.Ensemble.Known() {
		return s.Ensemble.Leader() != event.ZooKeeper
	}
	return !s.Lost
}

// Silence describes how long a learner and its leader have waited for each other, by the account of one of them.
type Silence struct {
	Part float64       // the fraction of their limit that has passed
	Left time.Duration // the time until they part
}

// Matters reports whether the silence is longer than normal: pings come ten times as often as they must.
func (c Silence) Matters() bool { return c.Part >= 0.25 }

// hears records that a server heard another one, in messages between learners and their leaders.
func (n *Server) hears(e event.Event) {
	if e.Peer.Kind() == event.AServer && e.Op != event.Notification {
		n.heard[place(e.Peer)] = e.At
	}
}

// LeaderHeard returns when the leader, or a standalone server, last heard from a client's session; the session's
// timeout runs from there. A follower's account differs: it answers heartbeats itself and passes them on later.
func (m *Ensemble) LeaderHeard(c *Client) time.Duration { return max(c.Heard, m.Renewed) }

// counts reports whether a session lasts by what the client's own server hears: a follower only passes it on.
func (m *Ensemble) counts(c *Client) bool {
	return !m.Known() || c.Server != 0 && c.Server == m.Leader()
}

// hear records that a server heard from the client's session, if this server's view is the one that counts.
func (m *Ensemble) hear(c *Client, at time.Duration) {
	if c != nil && c.Ended == Alive && m.counts(c) {
		c.Heard = at
	}
}

// Owner returns the server that a client is at by the leader's account, 0 if the leader doesn't know.
func (m *Ensemble) Owner(c *Client) event.Actor {
	if c.ownedAt < m.Renewed {
		return 0 // that was an earlier leader's account
	}
	return c.owner
}

// touched records that a leader heard from a session, which is at that server.
func (m *Ensemble) touched(c *Client, e event.Event, at event.Actor) {
	if c != nil && c.Ended == Alive && e.Session == c.Session && e.Actor == m.Leader() {
		c.Heard, c.owner, c.ownedAt = e.At, at, e.At
	}
}

// proposed records that a leader takes a client's write, which counts as a sign of life unless the session has
// moved to another server. The leader itself proposes to close a session from which it has heard nothing.
func (m *Ensemble) proposed(c *Client, e event.Event) {
	if e.Op == event.CloseSession {
		return
	}
	from := m.Costs.from(e)
	if c != nil && (m.Owner(c) == 0 || m.Owner(c) == from) {
		m.touched(c, e, from)
	}
}

// Silence returns for how long a server has heard nothing from server n, its leader or follower. It returns false
// if that makes no difference.
func (m *Ensemble) Silence(h *event.Header, of, n int, at time.Duration) (Silence, bool) {
	if max(of, n) > min(len(m.Servers), mostServers) || of == n || len(h.Systems) == 0 {
		return Silence{}, false
	}
	a, b, limit := &m.Servers[of-1], &m.Servers[n-1], h.Systems[0].SyncLimit
	heard, follows := a.heard[n], a.Leader == event.Server(n)
	leads := a.Leads(of) && b.Up && (b.Leader == event.Server(of) || a.CutFrom(n))
	if limit <= 0 || heard == 0 || !a.Serves() || a.Paused || !follows && !leads {
		return Silence{}, false
	}
	silent := max(0, at-heard)
	if leads && silent >= limit { // it drops the other, or already has
		return Silence{}, false
	}
	return Silence{min(1, float64(silent)/float64(limit)), max(0, limit-silent)}, true
}
