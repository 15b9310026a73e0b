package check

import (
	"sort"

	"github.com/zkviz/zkviz/engine/event"
)

// history is what a server has in its log: as many of the committed transactions, and then its tail.
type history struct {
	base int
	tail []txn
}

// member is what is known of one server of an ensemble.
type member struct {
	history
	durable int     // how many of its history are on its disk
	applied int     // how many of the committed ones it has applied
	loading history // that it has been sent, and that is not on its disk yet
	loaded  int     // how many of its history came with a snapshot

	accepted, current int32
	phase             event.ServerPhaseName
	leader            event.Actor
	acked             int32 // the epoch whose NEWLEADER it has acknowledged, 0 for none

	// As a leader: what it has proposed and is not committed yet, and how long the history is that this follows. As
	// any: the last proposal that was sent on each link.
	began         int
	sent          []txn
	lastCommitted int64
	lastSent      [10]int64
}

// length is how long a server's history is.
func (x *ensemble) length(m *member) int { return m.base + len(m.tail) }

// settle counts what is at the beginning of the tail, and committed by now, as such.
func (x *ensemble) settle(m *member) {
	i := 0
	for i < len(m.tail) && m.base < len(x.committed) && m.tail[i] == x.committed[m.base] {
		m.base++
		i++
	}
	m.tail = m.tail[i:]
	for len(m.sent) > 0 && m.began < len(x.committed) {
		m.sent, m.began = m.sent[1:], m.began+1
	}
}

// upTo is how many of a server's history are not behind zxid.
func (x *ensemble) upTo(m *member, zxid int64) int {
	if n := sort.Search(len(m.tail), func(i int) bool { return m.tail[i].zxid > zxid }); n > 0 {
		return m.base + n
	}
	return sort.Search(m.base, func(i int) bool { return x.committed[i].zxid > zxid })
}

// cut takes away what is behind the first n.
func (x *ensemble) cut(m *member, n int) {
	if n < m.base {
		m.base, m.tail = n, nil
	} else {
		m.tail = m.tail[:n-m.base]
	}
	m.durable, m.applied, m.loaded = min(m.durable, n), min(m.applied, n), min(m.loaded, n)
}

// ofLeader is the i-th transaction of what a leader has brought its followers to, if it is known: what it began with,
// and then what it has proposed. It sends before it logs.
func (x *ensemble) ofLeader(l *member, i int) (t txn, known bool) {
	switch {
	case i < len(x.committed):
		return x.committed[i], true
	case i < l.began && i-l.base < len(l.tail):
		return l.tail[i-l.base], true
	case i >= l.began && i-l.began < len(l.sent):
		return l.sent[i-l.began], true
	}
	return t, false
}
