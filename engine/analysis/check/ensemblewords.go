package check

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// This file judges what servers send each other, and what clients learn.

// sends judges a message of a server to another.
func (x *ensemble) sends(c *Checker, m *member, e event.Event) {
	if e.Peer.Kind() != event.AServer {
		return
	}
	switch e.Op {
	case event.Ack:
		x.acks(c, m, e)
	case event.AckEpoch:
		x.claims(c, m, e)
	case event.FollowerInfo, event.LeaderInfo:
		*m.sentTo(e.Peer) = 0
	case event.Trunc, event.Snap:
		*m.toldTo(e.Peer) = len(x.committed) + 1
		if e.Op == event.Snap {
			x.copies(m, e)
		}
	case event.Proposal:
		last := m.sentTo(e.Peer)
		if *last != 0 && e.Zxid != following(*last, e.Zxid) {
			x.breaks(c, promise.LegalMessages, e, sentence.Of("broken.legal-messages.gap",
				server(e.Actor), zxid(e.Zxid), sentence.Time(e.At), server(e.Peer), zxid(*last)))
		}
		*last = e.Zxid
	}
}

// copies keeps the content of a snapshot that a leader sends.
func (x *ensemble) copies(m *member, e event.Event) {
	if m.snapshots == nil {
		m.snapshots = make(map[event.Actor]history)
	}
	m.snapshots[e.Peer] = x.copyOf(m, e.Zxid)
}

// sentTo returns the last proposal on the link to a server.
func (m *member) sentTo(to event.Actor) *int64 { return &m.lastSent[to.Number()%len(m.lastSent)] }

// toldTo returns one plus the number of transactions that were committed when this leader last told a server to
// give up the end of its log, 0 if it never did.
func (m *member) toldTo(to event.Actor) *int { return &m.told[to.Number()%len(m.told)] }

// receives judges a message that reached a server.
func (x *ensemble) receives(c *Checker, m *member, e event.Event) {
	if e.Peer != m.leader || e.Peer.Kind() != event.AServer {
		return
	}
	who, at := server(e.Actor), sentence.Time(e.At)
	switch e.Op {
	case event.NewLeader:
		if m.phase != event.Synchronizing {
			x.breaks(c, promise.LegalMessages, e, sentence.Of("broken.legal-messages.newleader",
				who, epochNumber(epochOf(e.Zxid)), at))
		}
	case event.Proposal:
		m.pending = append(m.pending, e.Zxid)
		x.blind = x.blind || len(m.pending) > maxTail
	case event.Commit:
		switch {
		case len(m.pending) == 0:
			x.breaks(c, promise.LegalMessages, e, sentence.Of("broken.legal-messages.unknown", who, zxid(e.Zxid), at))
			return
		case m.pending[0] != e.Zxid:
			x.breaks(c, promise.LegalMessages, e, sentence.Of("broken.legal-messages.commit",
				who, zxid(e.Zxid), at, zxid(m.pending[0])))
		}
		m.pending = m.pending[1:]
	}
}

// acks judges an ACK: of NEWLEADER, if its counter is 0, or of a proposal.
func (x *ensemble) acks(c *Checker, m *member, e event.Event) {
	if counterOf(e.Zxid) == 0 {
		x.acksLeader(c, m, e)
		return
	}
	who, z, at := server(e.Actor), zxid(e.Zxid), sentence.Time(e.At)
	n := x.upTo(&m.history, e.Zxid)
	switch {
	case epochOf(e.Zxid) > m.acked:
		x.breaks(c, promise.AckOrder, e, sentence.Of("broken.ack-order.early", who, z, at))
	case m.durable < n:
		x.breaks(c, promise.AckOrder, e, sentence.Of("broken.ack-order.disk",
			who, z, at, zxid(x.zxidAt(&m.history, m.durable))))
	}
	if x.zxidAt(&m.history, n) != e.Zxid {
		x.breaks(c, promise.LegalMessages, e, sentence.Of("broken.legal-messages.ack", who, z, at))
	}
}

// acksLeader judges the ACK of NEWLEADER. Another one follows UPTODATE, and means nothing.
func (x *ensemble) acksLeader(c *Checker, m *member, e event.Event) {
	epoch := epochOf(e.Zxid)
	if m.acked == epoch {
		return
	}
	m.acked = epoch
	who, of, at := server(e.Actor), epochNumber(epoch), sentence.Time(e.At)
	switch {
	case m.current != epoch:
		x.breaks(c, promise.AckOrder, e, sentence.Of("broken.ack-order.epoch", who, of, at, epochNumber(m.current)))
	case m.durable < m.length():
		x.breaks(c, promise.AckOrder, e, sentence.Of("broken.ack-order.log",
			who, of, at, zxid(x.zxidAt(&m.history, m.length())), zxid(x.zxidAt(&m.history, m.durable))))
	}
	x.follows(c, m, e, m.base)
}

// atClient judges what a client learns.
func (x *ensemble) atClient(c *Checker, e event.Event) {
	seen := slot(&x.seen, e.Actor)
	if seen == nil || x.blind {
		return
	}
	who, at := sentence.Client(e.Actor), sentence.Time(e.At)
	switch {
	case e.Kind == event.ConnOpened && e.Peer.Kind() == event.AServer:
		m := x.member(e.Peer)
		has := x.lastOf(min(m.applied, len(x.committed)))
		if ofTxn(*seen) && has < *seen {
			x.breaks(c, promise.SingleHistory, e, sentence.Of("broken.single-history",
				who, zxid(*seen), at, server(e.Peer), zxid(has)))
		}
	case e.Kind == event.OpDone && e.Code == 0 && e.Zxid != 0:
		n := x.upToCommitted(e.Zxid)
		if ofTxn(e.Zxid) && (n == 0 || x.committed[n-1].zxid != e.Zxid) {
			x.breaks(c, promise.AnsweredKept, e, sentence.Of("broken.answered-kept.lost", who, zxid(e.Zxid), at))
		}
		if e.Zxid < *seen {
			x.breaks(c, promise.AnsweredKept, e, sentence.Of("broken.answered-kept.back", who, zxid(e.Zxid), at, zxid(*seen)))
		}
		*seen = max(*seen, e.Zxid)
	}
}

// ofTxn reports whether z is a transaction on which servers agreed, and not their common start or an epoch.
func ofTxn(z int64) bool { return epochOf(z) > 0 && counterOf(z) > 0 }

// ofSession judges what is done in sessions.
func (x *ensemble) ofSession(c *Checker, e event.Event) {
	switch e.Kind {
	case event.SessionClosed, event.SessionExpired:
		x.over[e.Session] = e.At
	case event.TxnApplied:
		if ended, over := x.over[e.Session]; over && e.Code == 0 {
			x.breaks(c, promise.OneVerdict, e, sentence.Of("broken.one-verdict",
				sentence.Client(e.Peer), zxid(e.Zxid), sentence.Time(e.At), sentence.Time(ended)))
		}
	}
}
