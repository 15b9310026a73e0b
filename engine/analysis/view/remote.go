package view

import (
	"cmp"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Remote is one node of a system that is not ZooKeeper.
type Remote struct {
	Down    bool
	Replica bool        // it refuses writes
	Primary event.Actor // the primary that a replica follows
	Since   time.Duration
	Ahead   time.Duration // how far its clock was set forward, minus how far back
	// Sent counts the changes that it has sent to its replicas; Replayed counts those that it has applied as a
	// replica. The difference between its primary's and its own is on the way or held up.
	Sent, Replayed int
}

// Entry is a key or a row at one node.
type Entry struct {
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
	Node    event.Actor
	Client  event.Actor
	Session int64
	Renewed time.Duration
	Until   time.Duration // by the node's clock, since the start of the run
	Over    bool
	OverAt  time.Duration
	Why     event.Reason
}

// mostRemotes bounds the nodes of a log, which may come from a foreign file.
const mostRemotes = event.MaxNodes

// declareRemotes creates the nodes that the header names.
func (s *State) declareRemotes() {
	n := 0
	for _, sys := range s.Header.Systems {
		if sys.Kind == event.ZooKeeperSystem {
			continue
		}
		first := event.Node(n + 1)
		for i := range min(sys.Servers, mostRemotes-n) {
			n++
			r := s.remote(event.Node(n))
			if i > 0 && !sys.Apart {
				r.Replica, r.Primary = true, first
			}
		}
	}
}

// Remote returns the node a, or nil if the log hasn't mentioned it.
func (s *State) Remote(a event.Actor) *Remote {
	if a.Kind() != event.ANode || a.Number() > len(s.Remotes) {
		return nil
	}
	return &s.Remotes[a.Number()-1]
}

// Entry returns the latest entry of a path at a node, nil if none is known.
func (s *State) Entry(node event.Actor, path string) *Entry {
	x, _ := lookUp(&s.Entries, &s.far.entries, farKey{node: node, path: path})
	return x
}

// remote returns the node a and creates it if it is new; nil for other actors.
func (s *State) remote(a event.Actor) *Remote {
	if a.Kind() != event.ANode {
		return nil
	}
	for len(s.Remotes) < a.Number() {
		s.Remotes = append(s.Remotes, Remote{})
	}
	return &s.Remotes[a.Number()-1]
}

// applyRemote folds an event of a node.
func (s *State) applyRemote(r *Remote, e event.Event) {
	switch e.Kind {
	case event.ServerStopped, event.ServerStarted:
		r.Down, r.Since = e.Kind == event.ServerStopped, e.At
	case event.RolePlayed:
		r.Replica, r.Primary, r.Since = e.Text == event.RoleReplica, e.Peer, e.At
		r.Sent, r.Replayed = 0, 0
		s.reconsiderAll()
	case event.ClockJumped:
		r.Ahead += time.Duration(e.N)
	case event.EntrySet, event.EntryExpires, event.EntryGone:
		s.applyEntry(r, e)
	case event.RequestWaits, event.RequestServed:
		s.keep(e)
	case event.LockTaken, event.LockFreed:
		s.applyLock(e)
	case event.TxBegan, event.TxEnded:
		s.applyTx(e)
	case event.LeaseGranted, event.LeaseRenewed, event.LeaseEnded:
		s.applyLease(e)
	case event.MsgSent, event.MsgReceived, event.MsgDropped:
		s.applyRemoteMessage(r, e)
	case event.PushSent:
		s.fly(Flight{Seq: e.Seq, From: e.Actor, To: e.Peer, Op: e.Op, Notify: true, Path: e.Path, Text: e.Text,
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
		if c := s.Client(e.Peer); c != nil && reply {
			s.arrive(c.request, e.At)
			c.reply = e.Seq
		}
		s.fly(Flight{Seq: e.Seq, From: e.Actor, To: e.Peer, Op: e.Op, Reply: reply, Path: e.Path, Text: e.Text,
			Code: e.Code, Sent: e.At, Takes: time.Duration(e.N)})
	case event.MsgReceived:
		s.arrive(e.Cause, e.At)
	case event.MsgDropped:
		if f := s.flight(e.Cause); f != nil && !f.Over {
			f.Over, f.OverAt, f.Dropped = true, e.At, true
		}
	}
}

func (s *State) applyEntry(r *Remote, e event.Event) {
	x, _ := lookUp(&s.Entries, &s.far.entries, farKey{node: e.Actor, path: e.Path})
	switch e.Kind {
	case event.EntrySet:
		if x == nil {
			x = enlist(&s.Entries, &s.far.entries, Entry{Node: e.Actor, Path: e.Path})
		}
		s.bornAgain(x.Gone)
		*x = Entry{Node: e.Actor, Path: e.Path, Text: e.Text, Owner: e.Peer, Set: e.At, Expires: time.Duration(e.N),
			Lasts: r.lasts(e), Version: e.Zxid, Session: e.Session,
			Locked: x.Locked && !x.Gone && x.Owner == e.Peer}
	case event.EntryExpires:
		if x == nil || x.Gone {
			return
		}
		x.Expires, x.Lasts = time.Duration(e.N), r.lasts(e)
		return
	default:
		if x == nil || x.Gone {
			return
		}
		x.Gone, x.GoneAt, x.Why = true, e.At, e.Reason
		x.Session = cmp.Or(e.Session, x.Session)
		s.far.over++
		s.rob(r, x, e)
	}
	s.reconsider(e.Path)
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
	key := farKey{node: e.Actor, client: e.Peer, path: e.Path}
	k, _ := lookUp(&s.Kept, &s.far.kept, key)
	c := s.client(e.Peer)
	if e.Kind == event.RequestWaits {
		if k == nil || k.Over {
			s.bornAgain(false)
			enlist(&s.Kept, &s.far.kept, Kept{Node: e.Actor, Client: e.Peer, Path: e.Path, Since: e.At})
		}
		if c != nil {
			c.KeptAt, c.KeptFor, c.KeptSince = e.Actor, e.Path, e.At
			s.arrive(c.request, e.At)
		}
		return
	}
	if k != nil && !k.Over {
		k.Over, k.OverAt, k.Why = true, e.At, e.Reason
		s.far.over++
	}
	if c == nil || c.KeptAt != e.Actor || c.KeptFor != e.Path {
		return
	}
	c.KeptAt, c.KeptFor = 0, ""
	if e.Reason == event.NoReason && !c.Crashed && !c.Exited {
		s.wakeFar(c, e.At)
	}
}

func (s *State) applyLock(e event.Event) {
	key := farKey{node: e.Actor, client: e.Peer, path: e.Path}
	l, _ := lookUp(&s.Locks, &s.far.locks, key)
	switch {
	case e.Kind == event.LockTaken && (l == nil || l.Over):
		enlist(&s.Locks, &s.far.locks, Lock{Node: e.Actor, Client: e.Peer, Path: e.Path, Session: e.Session, Since: e.At})
		x, _ := lookUp(&s.Entries, &s.far.entries, farKey{node: e.Actor, path: e.Path})
		if x != nil && !x.Gone && x.Owner == e.Peer {
			x.Locked = true
		}
	case e.Kind == event.LockFreed && l != nil && !l.Over:
		l.Over, l.OverAt, l.Why = true, e.At, e.Reason
		s.far.over++
	default:
		return
	}
	s.reconsider(e.Path)
}

func (s *State) applyTx(e event.Event) {
	t, _ := lookUp(&s.Txs, &s.far.txs, farKey{node: e.Actor, session: e.Session})
	switch {
	case e.Kind == event.TxBegan && (t == nil || t.Over):
		enlist(&s.Txs, &s.far.txs, Tx{Node: e.Actor, Client: e.Peer, Session: e.Session, Since: e.At})
	case e.Kind == event.TxEnded && t != nil && !t.Over:
		t.Over, t.OverAt, t.Why = true, e.At, e.Reason
		s.far.over++
	}
}

func (s *State) applyLease(e event.Event) {
	l, _ := lookUp(&s.Leases, &s.far.leases, farKey{node: e.Actor, session: e.Session})
	switch {
	case e.Kind == event.LeaseEnded:
		if l != nil && !l.Over {
			l.Over, l.OverAt, l.Why = true, e.At, e.Reason
			s.far.over++
		}
	case l == nil || l.Over:
		enlist(&s.Leases, &s.far.leases, Lease{Node: e.Actor, Client: e.Peer, Session: e.Session, Renewed: e.At,
			Until: time.Duration(e.N)})
	default:
		l.Renewed, l.Until = e.At, time.Duration(e.N)
	}
}

// pushed wakes a client to which a node sent something unasked.
func (s *State) pushed(c *Client, e event.Event) {
	s.arrive(e.Cause, e.At)
	c.Blocked = false
	if e.Path == c.Listens && !c.listenAs.Stays() {
		c.Listens = ""
	}
	if c.Belief.Phase.Inside() {
		return
	}
	s.wakeFar(c, e.At)
}

// wakeFar counts a wakeup of a client by a node, because somebody left or left something there.
func (s *State) wakeFar(c *Client, at time.Duration) {
	s.settle(c, false)
	c.woke, c.wokeRelease, c.wokeBy, c.asked = true, 0, byOther, true
	c.Woken++
	c.WokenAt = at
	s.Counts.ByRelease++
}
