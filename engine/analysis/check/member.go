package check

import (
	"slices"
	"sort"

	"github.com/zkviz/zkviz/engine/event"
)

// history is a server's log: a number of committed transactions, and then its tail.
type history struct {
	base int
	tail []txn
}

func (h *history) length() int { return h.base + len(h.tail) }

// member is what is known about one server of an ensemble.
type member struct {
	history
	durable   int                     // how much of its history is on its disk
	applied   int                     // how many of the committed ones it has applied
	restarted bool                    // and it has applied nothing since
	loading   *history                // the snapshot that it was sent and that isn't on its disk yet; nil for none
	loaded    int                     // how much of its history came with a snapshot
	snapshots map[event.Actor]history // that it sent and that haven't arrived

	accepted, current int32
	phase             event.ServerPhaseName
	leader            event.Actor
	acked             int32   // the epoch whose NEWLEADER it has acknowledged, 0 for none
	pending           []int64 // what its leader has proposed to it, without telling it to commit

	// As a leader: its epoch, 0 for none; the length of the history that its proposals follow; its uncommitted
	// proposals. As any server: the last proposal sent on each link.
	leads         int32
	began         int
	sent          []txn
	lastCommitted int64
	lastSent      [10]int64
	told          [10]int // for each server, see toldTo
}

// leaves resets a server that has no leader any more, or a new one.
func (m *member) leaves() {
	m.acked, m.leads, m.pending, m.sent = 0, 0, nil, nil
}

// lead records that a server has the history with which it leads an epoch.
func (x *ensemble) lead(m *member, epoch int32) {
	m.leads, m.began, m.sent = epoch, m.length(), nil
}

// last returns the last committed transaction, 0 if there is none.
func (x *ensemble) last() int64 { return x.lastOf(len(x.committed)) }

// lastOf returns the last of the first n committed transactions, 0 if there is none.
func (x *ensemble) lastOf(n int) int64 {
	if n == 0 {
		return 0
	}
	return x.committed[n-1].zxid
}

// settle moves committed transactions from the start of the tail to the base.
func (x *ensemble) settle(m *member) {
	i := 0
	for i < len(m.tail) && m.base < len(x.committed) && m.tail[i] == x.committed[m.base] {
		m.base++
		i++
	}
	m.tail = m.tail[i:]
	for len(m.sent) > 0 && m.began < len(x.committed) && m.sent[0] == x.committed[m.began] {
		m.sent, m.began = m.sent[1:], m.began+1
	}
}

// upTo returns how many of a history are at or before zxid.
func (x *ensemble) upTo(h *history, zxid int64) int {
	if n := sort.Search(len(h.tail), func(i int) bool { return h.tail[i].zxid > zxid }); n > 0 {
		return h.base + n
	}
	return min(h.base, x.upToCommitted(zxid))
}

// upToCommitted returns how many of the committed transactions are at or before zxid.
func (x *ensemble) upToCommitted(zxid int64) int {
	if n := len(x.committed); n > 0 && x.committed[n-1].zxid <= zxid {
		return n
	}
	return sort.Search(len(x.committed), func(i int) bool { return x.committed[i].zxid > zxid })
}

// at returns the i-th transaction of a history.
func (x *ensemble) at(h *history, i int) txn {
	if i < h.base {
		return x.committed[i]
	}
	return h.tail[i-h.base]
}

// zxidAt returns the last of the first n of a history, 0 if there is none.
func (x *ensemble) zxidAt(h *history, n int) int64 {
	if n == 0 {
		return 0
	}
	return x.at(h, n-1).zxid
}

// cut removes what comes after the first n.
func (x *ensemble) cut(m *member, n int) {
	if n < m.base {
		m.base, m.tail = n, nil
	} else {
		m.tail = m.tail[:n-m.base]
	}
	m.durable, m.applied, m.loaded = min(m.durable, n), min(m.applied, n), min(m.loaded, n)
}

// copyOf returns what a server has up to zxid.
func (x *ensemble) copyOf(m *member, zxid int64) history {
	n := x.upTo(&m.history, zxid)
	return history{min(n, m.base), slices.Clone(m.tail[:max(0, n-m.base)])}
}

// snapshot returns what a server was sent: what its leader had when it sent it, whatever the leader has now.
func (x *ensemble) snapshot(e event.Event) *history {
	if e.Peer.Kind() != event.AServer { // nobody sent it: it existed when the log began
		return &history{}
	}
	l := x.member(e.Peer)
	h, sent := l.snapshots[e.Actor]
	if !sent {
		h = x.copyOf(l, e.Zxid)
	}
	delete(l.snapshots, e.Actor)
	return &h
}

// ofLeader returns the i-th transaction to which a leader has brought its followers: first what it began with, then
// what it proposed. Its own log may lag, since it sends before it logs. The result is zero if there is none.
func (x *ensemble) ofLeader(l *member, i int) txn {
	switch {
	case i >= l.began+len(l.sent):
		return txn{}
	case i >= l.began:
		return l.sent[i-l.began]
	case i < l.length():
		return x.at(&l.history, i)
	}
	if i < len(x.committed) {
		return x.committed[i] // it has proposed it, and not logged it itself
	}
	return txn{} // its log was cut while it led, which no server does
}
