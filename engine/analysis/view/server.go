package view

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
)

// Server is one server of an ensemble.
type Server struct {
	_      Incomparable
	Up     bool
	Paused bool
	// Outside means that the server is known only from outside: whether it is reachable, and what it answers when
	// asked. Its epochs, log and votes aren't known.
	Outside bool
	Since   time.Duration // of Up, Paused or Phase, whichever changed last

	Phase  event.ServerPhaseName // what it is doing
	Leader event.Actor           // the server that it follows, itself if it leads, 0 in an election
	Ballot Ballot
	Sync   Sync // while it catches up

	Accepted, Current int32 // the epochs that it promised and adopted

	// The heads of its log: the last transaction that was written, that is on disk, and that was applied.
	Logged, Synced, Delivered int64
	Tail                      Tail

	heard [mostServers + 1]time.Duration // when it last heard each other server; see Ensemble.Silence

	Ahead time.Duration // how far its clock was set forward, minus how far back

	Cut uint16 // the servers from which nothing gets through: bit n stands for server n

	SlowUntil time.Duration // a fault slows its disk until then

	Gone   Tail          // the last transactions that its log lost to a power failure or to its leader
	GoneAt time.Duration // when
}

// Serves reports whether clients can connect: the server is up to date with a leader that a quorum follows.
func (s *Server) Serves() bool { return s.Up && s.Phase == event.Broadcasting }

// Leads reports whether the server, whose number is n, considers itself the leader and a quorum follows it.
func (s *Server) Leads(n int) bool { return s.Serves() && s.Leader == event.Server(n) }

// Applied reports whether the server has applied a transaction as committed. Servers with a flaw may log an older one
// after a newer one, or not at all.
func (s *Server) Applied(z int64) bool {
	if at := s.Tail.index(z); at >= 0 {
		last := s.Tail.index(s.Delivered)
		return z <= s.Delivered && (last < 0 || at <= last)
	}
	return z <= s.Delivered && (z <= s.Tail.Base || s.Tail.Len() == 0 || z < s.Tail.At(0))
}

// applyServer folds an event of an ensemble's server.
func (s *State) applyServer(n *Server, e event.Event) {
	s.Ensemble.apply(n, e)
	switch e.Kind {
	case event.MsgSent, event.MsgDropped, event.MsgReceived:
		s.Flights.between(e)
		s.clear()
	case event.SessionTouched:
		at := event.ZooKeeper
		if e.Code > 0 {
			at = event.Server(int(e.Code))
		}
		s.Ensemble.touched(s.Clients.Get(e.Peer), e, at)
	case event.TxnProposed:
		s.Ensemble.proposed(s.Clients.Get(e.Peer), e)
		s.Ensemble.Txns.add(e, &s.Tree)
	}
}

// apply folds what an event of a server tells about the servers.
func (m *Ensemble) apply(n *Server, e event.Event) {
	switch e.Kind {
	case event.SyncChosen:
		m.chosen(e)
	case event.LinkCut, event.LinkHealed:
		m.fence(e.Actor, e.Peer, e.Kind == event.LinkCut)
		m.fence(e.Peer, e.Actor, e.Kind == event.LinkCut)
	case event.LeaderActivated:
		m.decideAll(&n.Tail, n.Logged) // a new leader's log counts as history
		m.Renewed, m.teller = e.At, e.Actor
	case event.TxnCommitted:
		m.decide(e.Zxid)
	default:
		n.apply(e)
		switch e.Kind {
		case event.TxnDelivered:
			m.decide(e.Zxid)
			if e.Zxid > m.agreed {
				m.agreed, m.teller = e.Zxid, e.Actor
			}
		case event.ServerSynced:
			m.decideAll(&n.Tail, e.Zxid)
		}
	}
}

// apply folds an event of the server.
func (n *Server) apply(e event.Event) {
	switch e.Kind {
	case event.ServerStarted:
		*n = Server{Up: true, Outside: e.Reason == event.ServerReached, Since: e.At, Accepted: n.Accepted,
			Current: n.Current, Logged: n.Logged, Synced: n.Synced,
			Delivered: n.Delivered, Tail: n.Tail, Cut: n.Cut, SlowUntil: n.SlowUntil, Gone: n.Gone, GoneAt: n.GoneAt,
			Ahead: n.Ahead}
	case event.ServerStopped:
		n.Up, n.Paused, n.Phase, n.Leader, n.Sync, n.Since = false, false, "", 0, Sync{}, e.At
		n.Outside = n.Outside || e.Reason == event.ServerUnreached
		if e.Reason == event.ServerPowerLost {
			n.Logged, n.Delivered = n.Synced, min(n.Delivered, n.Synced)
			n.cut(n.Synced, e.At)
		}
	case event.ServerPaused, event.ServerResumed:
		n.Paused, n.Since = e.Kind == event.ServerPaused, e.At
	case event.ServerPhase:
		n.Phase, n.Leader, n.Since, n.Sync = event.ServerPhaseName(e.Text), e.Peer, e.At, Sync{}
		n.Ballot = Ballot{}
		if n.Phase != event.Broadcasting {
			n.heard = [mostServers + 1]time.Duration{}
		}
	case event.ClockJumped:
		n.Ahead += time.Duration(e.N)
	case event.VoteCast:
		n.Ballot.cast(e)
	case event.VoteFinal:
		n.Ballot.Final, n.Ballot.Waits = e.At+time.Duration(e.N), time.Duration(e.N)
	case event.EpochPromised:
		n.Accepted = e.Code
	case event.EpochAdopted:
		n.Current = e.Code
	case event.MsgReceived:
		if e.Op == event.Notification {
			n.Ballot.hear(e)
		}
		n.hears(e)
	default:
		n.log(e)
	}
}

// CutFrom reports whether nothing gets through to the server from server n.
func (s *Server) CutFrom(n int) bool { return n < 16 && s.Cut&(1<<n) != 0 }

// cut removes what the log has after z, and remembers it.
func (n *Server) cut(z int64, at time.Duration) {
	if gone := n.Tail.cut(z); gone.Len() > 0 {
		n.Gone, n.GoneAt = gone, at
	}
}

// log folds an event about the server's log.
func (n *Server) log(e event.Event) {
	switch e.Kind {
	case event.TxnLogged:
		n.Logged = max(n.Logged, e.Zxid)
		n.Tail.add(e.Zxid)
	case event.LogSynced:
		n.Synced = e.Zxid
	case event.LogTruncated:
		n.Logged, n.Synced, n.Delivered = e.Zxid, e.Zxid, min(n.Delivered, e.Zxid)
		n.cut(e.Zxid, e.At)
	case event.SnapshotLoaded:
		n.Logged, n.Synced, n.Delivered = e.Zxid, 0, e.Zxid
		n.cut(0, e.At)
		n.Tail = Tail{Base: e.Zxid}
	case event.SnapshotSaved:
		n.Synced = e.Zxid
	case event.TxnDelivered:
		n.Delivered = e.Zxid
	case event.ServerSynced:
		n.Delivered = max(n.Delivered, e.Zxid)
	}
}

// injected records which server's disk a fault slows. Of two such faults, the later end counts.
func (m *Ensemble) injected(e event.Event) {
	f, err := fault.Parse(e.Text)
	if err != nil || f.Kind != fault.SlowDisk || f.Server < 1 || f.Server > len(m.Servers) {
		return
	}
	n := &m.Servers[f.Server-1]
	n.SlowUntil = max(n.SlowUntil, e.At+f.For)
}

// fence records whether messages get through from one server to another.
func (m *Ensemble) fence(a, b event.Actor, cut bool) {
	if n := m.ensure(a); n != nil && b.Kind() == event.AServer && b.Number() < 16 {
		bit := uint16(1) << b.Number()
		if n.Cut &^= bit; cut {
			n.Cut |= bit
		}
	}
}
