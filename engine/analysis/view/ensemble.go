package view

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Ensemble holds the servers of an ensemble, and what they have agreed on.
type Ensemble struct {
	Servers   []Server // Servers[i] is server i+1; none without an ensemble
	Committed Commits
	Costs     Costs         // messages between servers for the last writes
	Txns      Txns          // what the last transactions do
	Renewed   time.Duration // when a leader, or the only server, last gave every session its full timeout

	// agreed is the last transaction that the Tree includes. teller is the server that had it first, or the one that
	// leads with it since.
	agreed int64
	teller event.Actor
}

// detach gives a copy of an Ensemble lists of its own, in the memory of an old one.
func (m *Ensemble) detach(old *Ensemble) {
	m.Servers = append(old.Servers[:0], m.Servers...)
	m.Committed = append(old.Committed[:0], m.Committed...)
}

// ensure returns the server a of an ensemble, nil for other actors.
func (m *Ensemble) ensure(a event.Actor) *Server {
	if a.Kind() != event.AServer {
		return nil
	}
	n := a.Number()
	for len(m.Servers) < n {
		m.Servers = append(m.Servers, Server{})
	}
	return &m.Servers[n-1]
}

// Known reports whether the log shows what the servers of an ensemble hear, and not only that they exist.
func (m *Ensemble) Known() bool { return len(m.Servers) > 0 && !m.Servers[0].Outside }

// Leader returns the server that leads the latest epoch, 0 if none does.
//
//go:noinline
func (m *Ensemble) Leader() (leader event.Actor) {
	epoch := int32(-1)
	for i := range m.Servers {
		if n := &m.Servers[i]; n.Leads(i+1) && n.Current > epoch {
			leader, epoch = event.Server(i+1), n.Current
		}
	}
	return leader
}

// Answers reports whether any server may answer a client: it serves, and isn't paused.
func (m *Ensemble) Answers() bool {
	return slices.ContainsFunc(m.Servers, func(n Server) bool { return n.Serves() && !n.Paused })
}

// Agree returns how many voting servers vote like server n, as far as it has heard, itself included.
func (m *Ensemble) Agree(h *event.Header, n int) (agree int) {
	b := &m.Servers[n-1].Ballot
	for i := range m.Voters(h) {
		if i+1 == n || b.Heard(i+1) == b.Vote {
			agree++
		}
	}
	return agree
}

// Voters returns the number of voting servers in the ensemble.
func (m *Ensemble) Voters(h *event.Header) int {
	if list := h.Systems; len(list) > 0 && list[0].Servers > 0 {
		return min(list[0].Servers, mostServers)
	}
	return min(len(m.Servers), mostServers)
}

// Whose returns the number of the server whose znodes Nodes shows, 0 if that isn't known, and whether another running
// server has applied fewer or more transactions, so that its clients read something else.
func (m *Ensemble) Whose() (n int, differ bool) {
	of := m.ensure(m.teller)
	if of == nil {
		return 0, false
	}
	n = m.teller.Number()
	for i := range m.Servers {
		switch v := &m.Servers[i]; {
		case v.Up && v.Delivered != of.Delivered:
			differ = true
		case v.Leads(i+1) && v.Current >= m.Servers[n-1].Current, v.Up && !m.Servers[n-1].Up:
			n = i + 1
		}
	}
	return n, differ
}

// SentAway returns the server that last sent a client away and still lacks something that the client has seen, 0 for
// none.
func (m *Ensemble) SentAway(c *Client) event.Actor {
	if n := c.SentAway.Number(); n > 0 && n <= len(m.Servers) && m.Servers[n-1].Delivered >= c.Seen && c.Seen > 0 {
		return 0
	}
	return c.SentAway
}

// lags reports whether a server of an ensemble, whose applied transactions are known, lacks a transaction.
func (m *Ensemble) lags(server event.Actor, zxid int64) bool {
	n := server.Number()
	if server.Kind() != event.AServer || n > len(m.Servers) { // nothing is known about it
		return false
	}
	v := &m.Servers[n-1]
	return v.Delivered > 0 && v.Delivered < zxid
}
