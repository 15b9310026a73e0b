package view

import (
	"cmp"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Remotes holds the nodes of the systems that are not ZooKeeper, and what they hold.
type Remotes struct {
	Nodes []Remote // Nodes[i] is node i+1
	// What these nodes hold, in order of arrival; includes what ended less than Keep ago.
	Entries []Entry
	Kept    []Kept // those that wait for one path are in the order of their requests
	Locks   []Lock
	Txs     []Tx
	Leases  []Lease
	// Transcript lists what clients lately sent to databases, in order, and the results.
	Transcript []Statement

	over, full int         // how many items have ended, and how many may
	index      remoteIndex // a copy doesn't have it
}

// detach gives a copy of Remotes lists of its own, in the memory of an old one.
func (l *Remotes) detach(old *Remotes) {
	l.Nodes = append(old.Nodes[:0], l.Nodes...)
	l.Entries = append(old.Entries[:0], l.Entries...)
	l.Kept = append(old.Kept[:0], l.Kept...)
	l.Locks = append(old.Locks[:0], l.Locks...)
	l.Txs = append(old.Txs[:0], l.Txs...)
	l.Leases = append(old.Leases[:0], l.Leases...)
	l.Transcript = append(old.Transcript[:0], l.Transcript...)
	l.index = remoteIndex{}
}

// mostRemotes bounds the nodes of a log, which may come from a foreign file.
const mostRemotes = event.MaxNodes

// declare creates the nodes that the header names.
func (l *Remotes) declare(h *event.Header) {
	n := 0
	for _, sys := range h.Systems {
		if sys.Kind == event.ZooKeeperSystem {
			continue
		}
		first := event.Node(n + 1)
		for i := range min(sys.Servers, mostRemotes-n) {
			n++
			r := l.ensure(event.Node(n))
			if i > 0 && !sys.Apart {
				r.Replica, r.Primary = true, first
			}
		}
	}
}

// Get returns the node a, or nil if the log hasn't mentioned it.
func (l *Remotes) Get(a event.Actor) *Remote {
	if a.Kind() != event.ANode || a.Number() > len(l.Nodes) {
		return nil
	}
	return &l.Nodes[a.Number()-1]
}

// ensure returns the node a and creates it if it is new; nil for other actors.
func (l *Remotes) ensure(a event.Actor) *Remote {
	if a.Kind() != event.ANode {
		return nil
	}
	for len(l.Nodes) < a.Number() {
		l.Nodes = append(l.Nodes, Remote{})
	}
	return &l.Nodes[a.Number()-1]
}

// Entry returns the latest entry of a path at a node, nil if none is known.
func (l *Remotes) Entry(node event.Actor, path string) *Entry {
	return lookUp(&l.Entries, &l.index.entries, remoteKey{node: node, path: path})
}

// applyEntry returns the entry if its owner may have changed, else nil.
func (l *Remotes) applyEntry(r *Remote, e event.Event) *Entry {
	x := l.Entry(e.Actor, e.Path)
	switch e.Kind {
	case event.EntrySet:
		if x == nil {
			x = enlist(&l.Entries, &l.index.entries, Entry{Node: e.Actor, Path: e.Path})
		}
		if x.Gone {
			l.over--
		}
		*x = Entry{Node: e.Actor, Path: e.Path, Text: e.Text, Owner: e.Peer, Set: e.At, Expires: time.Duration(e.N),
			Lasts: r.lasts(e), Version: e.Zxid, Session: e.Session,
			Locked: x.Locked && !x.Gone && x.Owner == e.Peer}
		return x
	case event.EntryExpires:
		if x != nil && !x.Gone {
			x.Expires, x.Lasts = time.Duration(e.N), r.lasts(e)
		}
	case event.EntryGone:
		if x != nil && !x.Gone {
			x.Gone, x.GoneAt, x.Why = true, e.At, e.Reason
			x.Session = cmp.Or(e.Session, x.Session)
			l.over++
			return x
		}
	}
	return nil
}

// keep records that a node keeps a request waiting, or that it serves one.
func (l *Remotes) keep(e event.Event) {
	k := lookUp(&l.Kept, &l.index.kept, remoteKey{node: e.Actor, client: e.Peer, path: e.Path})
	switch {
	case e.Kind == event.RequestWaits && (k == nil || k.Over):
		enlist(&l.Kept, &l.index.kept, Kept{Node: e.Actor, Client: e.Peer, Path: e.Path, Since: e.At})
	case e.Kind == event.RequestServed && k != nil && !k.Over:
		k.Over, k.OverAt, k.Why = true, e.At, e.Reason
		l.over++
	}
}

// applyLock reports whether the lock has another owner now.
func (l *Remotes) applyLock(e event.Event) bool {
	k := lookUp(&l.Locks, &l.index.locks, remoteKey{node: e.Actor, client: e.Peer, path: e.Path})
	switch {
	case e.Kind == event.LockTaken && (k == nil || k.Over):
		enlist(&l.Locks, &l.index.locks, Lock{Node: e.Actor, Client: e.Peer, Path: e.Path, Session: e.Session, Since: e.At})
		if x := l.Entry(e.Actor, e.Path); x != nil && !x.Gone && x.Owner == e.Peer {
			x.Locked = true
		}
	case e.Kind == event.LockFreed && k != nil && !k.Over:
		k.Over, k.OverAt, k.Why = true, e.At, e.Reason
		l.over++
	default:
		return false
	}
	return true
}

// applyTx reports whether a transaction has ended.
func (l *Remotes) applyTx(e event.Event) bool {
	t := lookUp(&l.Txs, &l.index.txs, remoteKey{node: e.Actor, session: e.Session})
	switch {
	case e.Kind == event.TxBegan && (t == nil || t.Over):
		enlist(&l.Txs, &l.index.txs, Tx{Node: e.Actor, Client: e.Peer, Session: e.Session, Since: e.At})
	case e.Kind == event.TxEnded && t != nil && !t.Over:
		t.Over, t.OverAt, t.Why = true, e.At, e.Reason
		l.over++
		return true
	}
	return false
}

func (l *Remotes) applyLease(e event.Event) {
	k := lookUp(&l.Leases, &l.index.leases, remoteKey{node: e.Actor, session: e.Session})
	switch {
	case e.Kind == event.LeaseEnded:
		if k != nil && !k.Over {
			k.Over, k.OverAt, k.Why = true, e.At, e.Reason
			l.over++
		}
	case k == nil || k.Over:
		enlist(&l.Leases, &l.index.leases, Lease{Node: e.Actor, Client: e.Peer, Session: e.Session, Renewed: e.At,
			Until: time.Duration(e.N)})
	default:
		k.Renewed, k.Until = e.At, time.Duration(e.N)
	}
}

// owned reports whether the client owns the path, by a lock or by an entry.
//
//go:noinline
func (l *Remotes) owned(h *event.Header, a event.Actor, path string, lock bool, now time.Duration) bool {
	return h.Granted(func(node event.Actor) (primary, says bool) {
		switch r := l.Get(node); {
		case r == nil:
			return false, false
		case r.Down:
			x := l.Entry(node, path)
			return false, !lock && x != nil && x.Owner == a && !x.Locked && l.asleep(r, x, now)
		default:
			return !r.Replica, l.ownedAt(node, a, path, lock)
		}
	})
}

// asleep reports whether a node, which is down, had an entry when it stopped, even if it has lost it by that. Until it
// is back, or the entry would have expired, it gives the path to nobody else.
func (l *Remotes) asleep(r *Remote, x *Entry, now time.Duration) bool {
	had := !x.Gone || x.Why == event.ByRestart && x.GoneAt >= r.Since
	return had && r.Down && (x.Expires == 0 || now < x.Expires-r.Ahead)
}

func (l *Remotes) ownedAt(node, a event.Actor, path string, lock bool) bool {
	if lock {
		k := lookUp(&l.Locks, &l.index.locks, remoteKey{node: node, client: a, path: path})
		return k != nil && !k.Over
	}
	x := l.Entry(node, path)
	return x != nil && !x.Gone && !x.Locked && x.Owner == a
}
