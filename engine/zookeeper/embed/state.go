package embed

import "github.com/zkviz/zkviz/engine/zookeeper/zab"

// ServerState is the current state of an ensemble's server.
type ServerState struct {
	Addr          string
	Up, Paused    bool
	Mode          string // leader, follower, observer, or unknown
	Serves        bool   // it serves clients
	Epoch         int64  // its adopted epoch
	Zxid          int64  // of its last applied transaction
	Sessions, Log int    // sessions that it knows, and transactions in its log
}

// State returns the state of each server, in order.
func (e *Ensemble) State() (list []ServerState) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, m := range e.members[1:] {
		s := m.self()
		list = append(list, ServerState{
			Addr: m.addr.String(), Up: s.Up(), Paused: s.Paused(), Mode: m.mode(), Serves: s.Serves(),
			Epoch: int64(s.Disk.Current), Zxid: int64(s.Delivered()), Sessions: m.core.NumSessions(), Log: len(s.Disk.Log),
		})
	}
	return list
}

// Changed signals one reader that a server's state has changed. State returns the states.
func (e *Ensemble) Changed() <-chan struct{} { return e.changes }

// Leader returns the number of the server that leads the latest epoch, or 0.
func (e *Ensemble) Leader() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	if s := e.group.Leader(); s != nil {
		return int(s.ID())
	}
	return 0
}

// status is the part of a server's state whose changes are signalled.
type status struct {
	up, paused, serves bool
	mode               string
	epoch              zab.Epoch
}

func (m *member) status() status {
	s := m.self()
	return status{s.Up(), s.Paused(), s.Serves(), m.mode(), s.Disk.Current}
}

// mode returns the server's role in its ensemble, in ZooKeeper's words.
func (s *Server) mode() string {
	if s.member == nil {
		return "standalone"
	}
	n := s.member.self().Node()
	switch {
	case n == nil:
		return "unknown"
	case n.State() == zab.Leading:
		return "leader"
	case n.State() == zab.Observing:
		return "observer"
	}
	return "follower"
}
