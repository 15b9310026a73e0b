package check

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// This file judges what servers write to their disks.

// writesEpoch judges the two epochs.
func (x *ensemble) writesEpoch(c *Checker, m *member, e event.Event) {
	who, epoch, at := server(e.Actor), epochNumber(e.Code), sentence.Time(e.At)
	if e.Kind == event.EpochPromised {
		if e.Code <= m.accepted {
			x.breaks(c, promise.EpochMonotony, e, sentence.Of("broken.epoch-monotony.promised",
				who, epoch, at, epochNumber(m.accepted)))
		}
		if e.Code == m.accepted {
			x.breaks(c, promise.Leadership, e, sentence.Of("broken.leadership.promised", who, epoch, at))
		}
		m.accepted = max(m.accepted, e.Code)
		return
	}
	switch {
	case e.Code < m.current:
		x.breaks(c, promise.EpochMonotony, e, sentence.Of("broken.epoch-monotony.adopted",
			who, epoch, at, epochNumber(m.current)))
	case e.Code > m.accepted:
		x.breaks(c, promise.EpochMonotony, e, sentence.Of("broken.epoch-monotony.unpromised",
			who, epoch, at, epochNumber(m.accepted)))
	}
	m.current = e.Code
	if e.Peer == e.Actor && m.phase != event.Electing {
		x.lead(m, e.Code)
	}
}

// logged judges a write to a server's log.
func (x *ensemble) logged(c *Checker, m *member, e event.Event) {
	m.tail = append(m.tail, txn{e.Zxid, e.N})
	x.settle(m)
	unknown := e.Cause == 0 && e.N == 0 // it existed before the log began, which doesn't tell what it is
	x.blind = x.blind || unknown || len(m.tail) > maxTail
	if epochOf(e.Zxid) > m.accepted {
		x.breaks(c, promise.EpochMonotony, e, sentence.Of("broken.epoch-monotony.logged",
			server(e.Actor), zxid(e.Zxid), sentence.Time(e.At), epochNumber(m.accepted)))
	}
	x.follows(c, m, e, m.length()-1)
}

// follows compares a follower's history, from its i-th transaction on, with its leader's. Until it has acknowledged
// NEWLEADER they may differ.
func (x *ensemble) follows(c *Checker, m *member, e event.Event, i int) {
	if m.acked == 0 || m.leader == e.Actor || m.leader.Kind() != event.AServer {
		return
	}
	l := x.member(m.leader)
	if l.leads != m.acked { // it no longer leads, and nobody knows what it had
		return
	}
	for ; i < m.length(); i++ {
		has, want := x.at(&m.history, i), x.ofLeader(l, i)
		who, at, leader := server(e.Actor), sentence.Time(e.At), server(m.leader)
		switch {
		case has == want:
			continue
		case want == txn{}:
			x.breaks(c, promise.ProcessConsistency, e, sentence.Of("broken.process-consistency.more",
				who, zxid(has.zxid), at, leader))
		case has.zxid == want.zxid:
			x.breaks(c, promise.ProcessConsistency, e, sentence.Of("broken.process-consistency.other",
				who, zxid(has.zxid), at, leader))
		default:
			x.breaks(c, promise.ProcessConsistency, e, sentence.Of("broken.process-consistency",
				who, zxid(has.zxid), at, leader, zxid(want.zxid)))
		}
		return
	}
}

// truncates judges a server that cuts off the end of its log. The rest is on its disk.
func (x *ensemble) truncates(c *Checker, m *member, e event.Event) {
	n := x.upTo(&m.history, e.Zxid)
	kept := min(m.durable, m.base)
	x.cut(m, n)
	m.durable = n
	if x.loses(e.Actor, m, n, kept) {
		x.breaks(c, promise.CommittedDurable, e, sentence.Of("broken.committed-durable.cut",
			server(e.Actor), zxid(e.Zxid), sentence.Time(e.At), zxid(x.lastOf(kept))))
	}
}

// loses reports whether a server has given up what it should not have: it has n of the committed transactions, and
// had kept on its disk. Its leader cannot know what is committed after it told the server what to give up: a quorum
// without this server must have that.
func (x *ensemble) loses(who event.Actor, m *member, n, kept int) bool {
	if kept <= n {
		return false
	}
	if by := m.leader.Number(); m.leader.Kind() == event.AServer && by <= len(x.servers) {
		if told := *x.servers[by-1].toldTo(who); told > 0 && told-1 <= n {
			return x.holders(kept) < x.quorum
		}
	}
	return true
}

// holders returns how many voters have the first n committed transactions on their disks.
func (x *ensemble) holders(n int) (holders int) {
	for i := range x.servers {
		if s := &x.servers[i]; i < x.voters && min(s.base, s.durable) >= n {
			holders++
		}
	}
	return holders
}

// saves judges a snapshot that a server has on its disk: its leader's, in place of its old log, or its own.
func (x *ensemble) saves(c *Checker, m *member, e event.Event) {
	if m.loading == nil {
		m.durable = max(m.durable, x.upTo(&m.history, e.Zxid))
		return
	}
	old := *m
	m.history, m.loading = *m.loading, nil
	x.settle(m)
	n := x.upTo(&m.history, e.Zxid)
	x.cut(m, n)
	m.durable, m.loaded, m.applied = n, n, min(n, m.base)
	if kept := min(old.durable, old.base); x.loses(e.Actor, m, n, kept) {
		x.breaks(c, promise.CommittedDurable, e, sentence.Of("broken.committed-durable.snapshot",
			server(e.Actor), zxid(e.Zxid), sentence.Time(e.At), zxid(x.lastOf(kept))))
	}
}

// claims compares the end of its log, as a server states it, with what it had on its disk.
func (x *ensemble) claims(c *Checker, m *member, e event.Event) {
	if kept := min(m.durable, m.base); x.zxidAt(&m.history, kept) > e.Zxid {
		x.breaks(c, promise.CommittedDurable, e, sentence.Of("broken.committed-durable.lost",
			server(e.Actor), zxid(e.Zxid), sentence.Time(e.At), zxid(x.zxidAt(&m.history, kept))))
	}
}

// votes judges a server's vote for itself, which shows what it found on its disk.
func (x *ensemble) votes(c *Checker, m *member, e event.Event) {
	if e.Peer != e.Actor {
		return
	}
	x.claims(c, m, e)
	who, at := server(e.Actor), sentence.Time(e.At)
	switch {
	case e.Code < m.current:
		x.breaks(c, promise.EpochMonotony, e, sentence.Of("broken.epoch-monotony.voted",
			who, epochNumber(e.Code), at, epochNumber(m.current)))
	case e.Code < epochOf(e.Zxid):
		x.breaks(c, promise.EpochMonotony, e, sentence.Of("broken.epoch-monotony.behind",
			who, epochNumber(e.Code), at, zxid(e.Zxid)))
	}
}
