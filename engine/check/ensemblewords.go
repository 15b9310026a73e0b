package check

import "github.com/zkviz/zkviz/engine/event"

// What servers say to each other, and what clients hear.

// says judges a message of a server to another.
func (x *ensemble) says(c *Checker, m *member, e event.Event) {
	if e.Peer.Kind() != event.AServer {
		return
	}
	switch {
	case e.Kind == event.MsgReceived:
		if e.Op == event.NewLeader && m.phase != event.Synchronizing {
			x.breaks(c, LegalMessages, e)
		}
	case e.Op == event.Ack:
		x.acks(c, m, e)
	case e.Op == event.FollowerInfo, e.Op == event.LeaderInfo:
		m.lastSent[e.Peer.Number()%len(m.lastSent)] = 0
	case e.Op == event.Proposal:
		last := &m.lastSent[e.Peer.Number()%len(m.lastSent)]
		if epochOf(*last) == epochOf(e.Zxid) && e.Zxid != *last+1 {
			x.breaks(c, LegalMessages, e)
		}
		*last = e.Zxid
	}
}

// acks judges an ACK: of NEWLEADER, if its counter is 0, or of a proposal.
func (x *ensemble) acks(c *Checker, m *member, e event.Event) {
	if counterOf(e.Zxid) == 0 {
		if m.acked == 0 && (m.current != epochOf(e.Zxid) || m.durable < x.length(m)) {
			x.breaks(c, AckOrder, e)
		}
		m.acked = epochOf(e.Zxid)
		return
	}
	n := x.upTo(m, e.Zxid)
	if m.acked == 0 || m.durable < n {
		x.breaks(c, AckOrder, e)
	}
	if n == 0 || x.at(m, n-1).zxid != e.Zxid {
		x.breaks(c, LegalMessages, e)
	}
}

// at is the i-th transaction of a server's history.
func (x *ensemble) at(m *member, i int) txn {
	if i < m.base {
		return x.committed[i]
	}
	return m.tail[i-m.base]
}

// atClient judges what a client hears.
func (x *ensemble) atClient(c *Checker, e event.Event) {
	seen := slot(&x.seen, e.Actor)
	if seen == nil {
		return
	}
	switch e.Kind {
	case event.ConnOpened:
		if e.Peer.Kind() == event.AServer && x.appliedBy(x.member(e.Peer)) < *seen {
			e.Zxid = *seen
			x.breaks(c, SingleHistory, e)
		}
	case event.OpDone:
		if e.Code != 0 || e.Zxid == 0 {
			return
		}
		var last int64
		if n := len(x.committed); n > 0 {
			last = x.committed[n-1].zxid
		}
		if epochOf(e.Zxid) > 0 && counterOf(e.Zxid) > 0 && e.Zxid > last || e.Zxid < *seen {
			x.breaks(c, AnsweredKept, e)
		}
		*seen = max(*seen, e.Zxid)
	}
}

// appliedBy is the last transaction that a server has applied, or a number beyond all if it has none that was counted.
func (x *ensemble) appliedBy(m *member) int64 {
	if m.applied == 0 || m.applied > len(x.committed) {
		return 1<<63 - 1
	}
	return x.committed[m.applied-1].zxid
}

// ofSession judges what is done in sessions.
func (x *ensemble) ofSession(c *Checker, e event.Event) {
	switch e.Kind {
	case event.SessionClosed, event.SessionExpired:
		x.over[e.Session] = e.Seq
	case event.TxnApplied:
		if x.over[e.Session] != 0 && e.Code == 0 {
			x.breaks(c, OneVerdict, e)
		}
	}
}
