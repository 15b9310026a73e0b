package view

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Remote is one node of a system that is not ZooKeeper.
type Remote struct {
	Down    bool
	Replica bool        // it refuses writes
	Primary event.Actor // the primary that a replica follows
	Since   time.Duration
	Back    time.Duration // when it last started again after it had run; 0 for never
	Ahead   time.Duration // how far its clock was set forward, minus how far back
	// Sent counts the changes that it has sent to its replicas; Replayed counts those that it has applied as a
	// replica. The difference between its primary's and its own is on the way or held up.
	Sent, Replayed int
}

// Entry is a key or a row at one node.
type Entry struct {
	_       Incomparable
	Node    event.Actor
	Path    string
	Text    string      // the start of its value
	Owner   event.Actor // the client whose request wrote it, 0 if unknown
	Set     time.Duration
	Expires time.Duration // by the node's clock, since the start of the run; 0 for never
	Lasts   time.Duration // its lifetime by that clock, as of the last Expires; 0 for unlimited
	Version int64         // or revision; 0 if it has none
	Session int64         // the transaction that wrote or deleted it, else the lease; 0 for neither
	// Locked means that the owner has since locked the entry: it then holds the lock, and the entry is data.
	Locked bool
	Gone   bool
	GoneAt time.Duration
	Why    event.Reason
}

// Kept is a request that a node keeps waiting for another client.
type Kept struct {
	_      Incomparable
	Node   event.Actor
	Client event.Actor
	Path   string // what it waits for
	Since  time.Duration
	Over   bool
	OverAt time.Duration
	Why    event.Reason // the reason why it didn't get it
}

// Lock is a client's lock at a database node, on a row or a name.
type Lock struct {
	_       Incomparable
	Node    event.Actor
	Client  event.Actor
	Path    string
	Session int64 // the transaction, 0 for the connection
	Since   time.Duration
	Over    bool
	OverAt  time.Duration
	Why     event.Reason
}

// Tx is a client's transaction at a node.
type Tx struct {
	_       Incomparable
	Node    event.Actor
	Client  event.Actor
	Session int64
	Since   time.Duration
	Over    bool
	OverAt  time.Duration
	Why     event.Reason
}

// Lease is a client's lease at a node.
type Lease struct {
	_       Incomparable
	Node    event.Actor
	Client  event.Actor
	Session int64
	Renewed time.Duration
	Until   time.Duration // by the node's clock, since the start of the run
	Over    bool
	OverAt  time.Duration
	Why     event.Reason
}

// applyRemote folds an event of a node.
func (s *State) applyRemote(r *Remote, e event.Event) {
	switch e.Kind {
	case event.ServerStopped, event.ServerStarted:
		if r.Down && r.Since > 0 && e.Kind == event.ServerStarted {
			r.Back = e.At
		}
		if r.Down, r.Since = e.Kind == event.ServerStopped, e.At; !r.Down {
			s.back(e.Actor)
		}
	case event.RolePlayed:
		r.Replica, r.Primary, r.Since = e.Text == event.RoleReplica, e.Peer, e.At
		r.Sent, r.Replayed = 0, 0
		s.failOver()
	case event.ClockJumped:
		r.Ahead += time.Duration(e.N)
	case event.EntrySet, event.EntryExpires, event.EntryGone:
		if x := s.Remotes.applyEntry(r, e); x != nil {
			if x.Gone {
				s.rob(r, x, e)
			}
			s.reconsider(e.Path)
		}
	case event.RequestWaits, event.RequestServed:
		s.keep(e)
	case event.LockTaken, event.LockFreed:
		if s.Remotes.applyLock(e) {
			s.reconsider(e.Path)
		}
	case event.TxBegan, event.TxEnded:
		if s.Remotes.applyTx(e) {
			s.undone(e)
		}
	case event.LeaseGranted, event.LeaseRenewed, event.LeaseEnded:
		s.Remotes.applyLease(e)
	case event.MsgSent, event.MsgReceived, event.MsgDropped:
		s.applyRemoteMessage(r, e)
	case event.PushSent:
		s.Flights.add(Flight{Seq: e.Seq, From: e.Actor, To: e.Peer, Op: e.Op, Notify: true, Path: e.Path, Text: e.Text,
			Sent: e.At, Takes: time.Duration(e.N)})
	}
}

// applyRemoteMessage folds a reply, a handshake, or a node's message to its replicas.
func (s *State) applyRemoteMessage(r *Remote, e event.Event) {
	switch {
	case e.Kind == event.MsgSent && e.Op == event.Replicate:
		r.Sent++
	case e.Kind == event.MsgReceived && e.Op == event.Replicate:
		r.Replayed++
	}
	switch e.Kind {
	case event.MsgSent:
		reply := e.Peer.Kind() == event.AClient && e.Op != event.Connect
		if c := s.Clients.Get(e.Peer); c != nil && reply {
			s.Flights.arrive(c.request, e.At)
			c.reply = e.Seq
		}
		s.Flights.add(Flight{Seq: e.Seq, From: e.Actor, To: e.Peer, Op: e.Op, Reply: reply, Path: e.Path, Text: e.Text,
			Code: e.Code, Sent: e.At, Takes: time.Duration(e.N)})
	case event.MsgReceived:
		s.Flights.arrive(e.Cause, e.At)
	case event.MsgDropped:
		s.Flights.drop(e)
	}
}

// lasts returns the lifetime of an entry whose expiry an event announces.
func (r *Remote) lasts(e event.Event) time.Duration {
	if e.N == 0 {
		return 0
	}
	return time.Duration(e.N) - e.At - r.Ahead
}

// keep records that a node keeps a request waiting, or that it serves one.
func (s *State) keep(e event.Event) {
	s.Remotes.keep(e)
	c := s.Clients.ensure(e.Peer)
	if e.Kind == event.RequestWaits {
		if c != nil {
			c.KeptAt, c.KeptFor, c.KeptSince = e.Actor, e.Path, e.At
			s.Flights.arrive(c.request, e.At)
		}
		return
	}
	if c == nil || c.KeptAt != e.Actor || c.KeptFor != e.Path {
		return
	}
	c.KeptAt, c.KeptFor = 0, ""
	if e.Reason == event.NoReason && !c.Crashed && !c.Exited {
		s.Wakeups.wakeFar(c, e.At)
	}
}

// pushed wakes a client to which a node sent something unasked.
func (s *State) pushed(c *Client, e event.Event) {
	s.Flights.arrive(e.Cause, e.At)
	c.Blocked = false
	if e.Path == c.Listens && !c.listenAs.Stays() {
		c.Listens = ""
	}
	if c.Belief.Phase.Inside() {
		return
	}
	s.Wakeups.wakeFar(c, e.At)
}
