package view

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Server is one server of an ensemble.
type Server struct {
	Up     bool
	Paused bool
	// Outside says that the server is known from outside only: by whether it can be reached, and what it says when it is
	// asked, if it does. Its epochs, its log and its votes are not known.
	Outside bool
	Since   time.Duration // of Up, Paused or Phase, whichever changed last

	Phase  event.ServerPhaseName // what it is busy with
	Leader event.Actor           // whom it follows, itself if it leads, 0 in an election
	Ballot Ballot
	Sync   Sync // while it catches up

	Accepted, Current int32 // the epochs that it has promised and adopted

	// The heads of its log, each the last transaction that it has so far: written, on the disk, applied.
	Logged, Synced, Delivered int64
	Tail                      Tail

	heard [mostServers + 1]time.Duration // of each other one; see State.Silence

	Cut uint16 // from which servers nothing gets through: bit n stands for server n

	Gone   Tail          // what its log had last, and has no more: a power failure or its leader took it
	GoneAt time.Duration // when
}

// Serves reports whether clients can come: the server is up to date with a leader that a quorum follows.
func (s *Server) Serves() bool { return s.Up && s.Phase == event.Broadcasting }

// Leads reports whether the server, whose number is n, takes itself for the leader, and a quorum follows.
func (s *Server) Leads(n int) bool { return s.Serves() && s.Leader == event.Server(n) }

// server is the server a of an ensemble, nil for anybody else.
func (s *State) server(a event.Actor) *Server {
	if a.Kind() != event.AServer {
		return nil
	}
	n := a.Number()
	for len(s.Servers) < n {
		s.Servers = append(s.Servers, Server{})
	}
	return &s.Servers[n-1]
}

// applyServer takes an event of one of the servers of an ensemble.
func (s *State) applyServer(n *Server, e event.Event) {
	switch e.Kind {
	case event.ServerStarted:
		*n = Server{Up: true, Outside: e.Reason == event.ServerReached, Since: e.At, Accepted: n.Accepted,
			Current: n.Current, Logged: n.Logged, Synced: n.Synced,
			Delivered: n.Delivered, Tail: n.Tail, Cut: n.Cut, Gone: n.Gone, GoneAt: n.GoneAt}
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
	case event.VoteCast:
		n.Ballot.cast(e)
	case event.VoteFinal:
		n.Ballot.Final, n.Ballot.Waits = e.At+time.Duration(e.N), time.Duration(e.N)
	case event.EpochPromised:
		n.Accepted = e.Code
	case event.EpochAdopted:
		n.Current = e.Code
	case event.SyncChosen:
		s.chosen(e)
	case event.MsgSent, event.MsgDropped:
		s.applyLetter(e)
	case event.MsgReceived:
		if e.Op == event.Notification {
			n.Ballot.hear(e)
		}
		n.hears(e)
		s.applyLetter(e)
	case event.SessionTouched:
		at := event.ZooKeeper
		if e.Code > 0 {
			at = event.Server(int(e.Code))
		}
		s.touched(e, at)
	case event.TxnProposed:
		s.proposed(e)
	case event.LinkCut, event.LinkHealed:
		s.fence(e.Actor, e.Peer, e.Kind == event.LinkCut)
		s.fence(e.Peer, e.Actor, e.Kind == event.LinkCut)
	case event.LeaderActivated:
		s.decide(&n.Tail, n.Logged) // what a new leader has counts as history
		s.Renewed, s.teller = e.At, e.Actor
	case event.TxnCommitted:
		s.decideOne(e.Zxid)
	default:
		n.log(e)
		switch e.Kind {
		case event.TxnDelivered:
			s.decideOne(e.Zxid)
			if e.Zxid > s.agreed {
				s.agreed, s.teller = e.Zxid, e.Actor
			}
		case event.ServerSynced:
			s.decide(&n.Tail, e.Zxid)
		}
	}
}

// fence notes whether anything gets through from a server to another.
func (s *State) fence(a, b event.Actor, cut bool) {
	if n := s.server(a); n != nil && b.Kind() == event.AServer && b.Number() < 16 {
		bit := uint16(1) << b.Number()
		if n.Cut &^= bit; cut {
			n.Cut |= bit
		}
	}
}

// Whose returns the number of a server of an ensemble that has the znodes as they are in Nodes, if another one that
// runs has applied less, or more: its clients read something else. It returns 0 if all have the same.
func (s *State) Whose() (n int) {
	of := s.server(s.teller)
	if of == nil {
		return 0
	}
	n, differ := s.teller.Number(), false
	for i := range s.Servers {
		switch v := &s.Servers[i]; {
		case v.Up && v.Delivered != of.Delivered:
			differ = true
		case v.Leads(i+1) && v.Current >= s.Servers[n-1].Current, v.Up && !s.Servers[n-1].Up:
			n = i + 1
		}
	}
	if !differ {
		return 0
	}
	return n
}

// CutFrom reports whether nothing gets through between the server and server n.
func (s *Server) CutFrom(n int) bool { return n < 16 && s.Cut&(1<<n) != 0 }

// decide notes that what a log has up to z is committed.
func (s *State) decide(t *Tail, z int64) {
	for i := range t.Len() {
		if t.At(i) <= z {
			s.decideOne(t.At(i))
		}
	}
}

func (s *State) decideOne(z int64) {
	if z > s.Committed.Last() {
		s.Committed.add(z)
	}
}

// InDoubt reports whether nobody knows yet that a transaction in a log is committed: it may become so, or go.
func (s *State) InDoubt(z int64) bool {
	c := &s.Committed
	if c.Len() == 0 || z < c.At(0) {
		return c.Len() == 0
	}
	return !c.Has(z)
}

// cut takes away what the log has after z, and remembers what that was.
func (n *Server) cut(z int64, at time.Duration) {
	if gone := n.Tail.cut(z); gone.Len() > 0 {
		n.Gone, n.GoneAt = gone, at
	}
}

// applyLetter takes what servers say to each other, but for pings. What waits at a fence, or for a process that does
// not run, is under way until then.
func (s *State) applyLetter(e event.Event) {
	switch {
	case e.Op == event.ServerPing || e.Peer.Kind() != event.AServer:
	case e.Kind == event.MsgSent:
		s.fly(Flight{Seq: e.Seq, From: e.Actor, To: e.Peer, Op: e.Op, Sent: e.At, Takes: time.Duration(e.N)})
	case e.Kind == event.MsgReceived:
		s.arrive(e.Cause, e.At)
	default:
		if f := s.flight(e.Cause); f != nil && !f.Over {
			f.Over, f.OverAt, f.Dropped = true, e.At, true
		}
	}
	s.clear()
}

// log takes an event that is about the server's log.
func (n *Server) log(e event.Event) {
	switch e.Kind {
	case event.TxnLogged:
		n.Logged = e.Zxid
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
