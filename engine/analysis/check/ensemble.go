package check

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// maxTail bounds the uncommitted transactions in a server's log, maxProposed those that were proposed and never
// committed. ZooKeeper has at most a thousand requests under way.
const (
	maxTail     = 2000
	maxProposed = 1 << 16
)

// txn identifies a transaction in a log.
type txn struct{ zxid, digest int64 }

func epochOf(zxid int64) int32 { return int32(zxid >> 32) }

func counterOf(zxid int64) uint32 { return uint32(zxid) }

// ensemble judges the invariants, by every server's log.
type ensemble struct {
	judged  []string
	blind   bool // more is uncommitted than can be, or the log doesn't show something
	quorum  int
	voters  int
	servers []member

	start     int64 // the last transaction before the log began
	committed []txn // the longest sequence that any server has applied
	// proposed holds the transactions that were proposed and aren't committed.
	proposed  map[txn]struct{}
	activated map[int32]event.Actor
	seen      []int64                 // by client, the last zxid in an answer
	over      map[int64]time.Duration // when a session ended
}

func newEnsemble(rules []string, h event.Header) *ensemble {
	x := &ensemble{proposed: make(map[txn]struct{}), activated: make(map[int32]event.Actor),
		over: make(map[int64]time.Duration)}
	for _, rule := range promise.Invariants() {
		if slices.Contains(rules, rule) {
			x.judged = append(x.judged, rule)
		}
	}
	if len(x.judged) == 0 || len(h.Systems) == 0 || h.Systems[0].Servers < 2 {
		return nil
	}
	x.voters = h.Systems[0].Servers
	x.quorum = x.voters/2 + 1
	return x
}

func (*ensemble) reads() []event.Kind {
	return []event.Kind{
		event.TxnLogged, event.TxnDelivered, event.LogSynced, event.TxnProposed, event.TxnCommitted,
		event.MsgSent, event.MsgReceived, event.LeaderActivated, event.EpochPromised, event.EpochAdopted,
		event.VoteCast, event.LogTruncated, event.SnapshotLoaded, event.SnapshotSaved,
		event.ServerSynced, event.ServerStopped, event.ServerStarted, event.ServerPhase,
		event.ConnOpened, event.OpDone, event.RunStarted, event.SessionClosed, event.SessionExpired,
		event.TxnApplied,
	}
}

func (x *ensemble) append(c *Checker, e event.Event) {
	switch e.Actor.Kind() {
	case event.AServer:
		if x.blind {
			return
		}
		x.atServer(c, x.member(e.Actor), e)
	case event.AClient:
		x.atClient(c, e)
	case event.ASystem:
		if e.Kind == event.RunStarted {
			x.start = e.Zxid
		}
		x.ofSession(c, e)
	}
}

// unjudged returns all rules but the one that needs no server's log, if the log doesn't show something.
func (x *ensemble) unjudged() (rules []string) {
	for _, rule := range x.judged {
		if x.blind && rule != promise.OneVerdict {
			rules = append(rules, rule)
		}
	}
	return rules
}

// member returns what is known about a server.
func (x *ensemble) member(a event.Actor) *member {
	n := a.Number()
	for len(x.servers) < n {
		x.servers = append(x.servers, member{})
	}
	return &x.servers[n-1]
}

// breaks reports that e breaks a rule, if that rule is judged.
func (x *ensemble) breaks(c *Checker, rule string, e event.Event, say sentence.Sentence) {
	if slices.Contains(x.judged, rule) {
		c.violate(broken(rule, e, []event.Actor{e.Actor}, say))
	}
}

// Arguments of the sentences. A zxid is written as ZooKeeper writes it.
func server(a event.Actor) sentence.Arg    { return sentence.Text(a.String()) }
func zxid(z int64) sentence.Arg            { return sentence.Text("0x" + strconv.FormatUint(uint64(z), 16)) }
func epochNumber(epoch int32) sentence.Arg { return sentence.Number(int(epoch)) }

func (x *ensemble) atServer(c *Checker, m *member, e event.Event) {
	switch e.Kind {
	case event.TxnLogged:
		x.logged(c, m, e)
	case event.TxnDelivered:
		x.delivered(c, m, e)
	case event.LogSynced:
		m.durable = max(m.durable, x.upTo(&m.history, e.Zxid))
	case event.TxnProposed:
		x.proposes(c, m, e)
	case event.TxnCommitted:
		x.commits(c, m, e)
	case event.MsgSent:
		x.sends(c, m, e)
	case event.MsgReceived:
		x.receives(c, m, e)
	case event.LeaderActivated:
		x.activates(c, m, e)
	case event.EpochPromised, event.EpochAdopted:
		x.writesEpoch(c, m, e)
	case event.VoteCast:
		x.votes(c, m, e)
	case event.LogTruncated:
		x.truncates(c, m, e)
	case event.SnapshotLoaded:
		m.loading = x.snapshot(e)
	case event.SnapshotSaved:
		x.saves(c, m, e)
	default:
		x.changes(m, e)
	}
}

// changes takes a change of a server's process, or of its progress.
func (x *ensemble) changes(m *member, e event.Event) {
	switch e.Kind {
	case event.ServerSynced: // a snapshot's transactions are applied by now, without an event for each
		m.applied = max(m.applied, min(m.loaded, len(x.committed)))
		if e.Cause == 0 { // before the log began
			m.acked = e.Code
		}
	case event.ServerStopped:
		m.phase, m.leader = "", 0
		m.leaves()
		m.loading = nil // what it sent itself may still arrive
		if e.Reason == event.ServerPowerLost {
			x.cut(m, m.durable)
		}
	case event.ServerStarted:
		m.restarted = true
	case event.ServerPhase:
		m.phase, m.leader = event.ServerPhaseName(e.Text), e.Peer
		if m.phase == event.Electing || m.phase == event.Discovering {
			m.leaves()
		}
	}
}

// activates judges a leader that gets its quorum.
func (x *ensemble) activates(c *Checker, m *member, e event.Event) {
	if by, is := x.activated[e.Code]; is && by != e.Actor {
		x.breaks(c, promise.Leadership, e, sentence.Of("broken.leadership.led",
			server(e.Actor), epochNumber(e.Code), sentence.Time(e.At), server(by)))
	}
	x.activated[e.Code] = e.Actor
	if m.base < len(x.committed) {
		x.breaks(c, promise.LeaderComplete, e, sentence.Of("broken.leader-complete",
			server(e.Actor), epochNumber(e.Code), sentence.Time(e.At), zxid(x.committed[m.base].zxid)))
	}
	if m.leads != e.Code {
		x.lead(m, e.Code)
	}
	if m.lastCommitted = int64(e.Code) << 32; e.Cause == 0 { // before the log began
		m.lastCommitted = 0
	}
	m.applied = max(m.applied, min(m.loaded, len(x.committed)))
}

func (x *ensemble) proposes(c *Checker, m *member, e event.Event) {
	epoch, n := epochOf(e.Zxid), len(x.committed)
	if counterOf(e.Zxid) == 1 && m.base < n && epochOf(x.committed[n-1].zxid) < epoch {
		x.breaks(c, promise.PrimaryIntegrity, e, sentence.Of("broken.primary-integrity",
			server(e.Actor), zxid(e.Zxid), sentence.Time(e.At), zxid(x.committed[m.base].zxid)))
	}
	if x.activated[epoch] != e.Actor {
		x.breaks(c, promise.Leadership, e, sentence.Of("broken.leadership.proposed",
			server(e.Actor), zxid(e.Zxid), sentence.Time(e.At), epochNumber(epoch)))
	}
	t := txn{e.Zxid, e.N}
	x.proposed[t] = struct{}{}
	m.sent = append(m.sent, t)
	if len(x.proposed) > maxProposed {
		last := x.last()
		maps.DeleteFunc(x.proposed, func(t txn, _ struct{}) bool { return t.zxid <= last }) // they are lost for good
		x.blind = len(x.proposed) > maxProposed/2
	}
}

// commits judges a leader's commit of a transaction that a quorum has.
func (x *ensemble) commits(c *Checker, m *member, e event.Event) {
	if m.lastCommitted != 0 && e.Zxid != m.lastCommitted+1 {
		x.breaks(c, promise.MonotonicCommit, e, sentence.Of("broken.monotonic-commit",
			server(e.Actor), zxid(e.Zxid), sentence.Time(e.At), zxid(m.lastCommitted+1)))
	}
	m.lastCommitted = e.Zxid
}

// delivered judges a server that applies a committed transaction.
func (x *ensemble) delivered(c *Checker, m *member, e event.Event) {
	t := txn{e.Zxid, e.N}
	if m.restarted {
		m.restarted = false
		if n := x.upToCommitted(e.Zxid); n <= m.applied && x.lastOf(n) == e.Zxid {
			m.applied = max(0, n-1) // it applies again what is on its disk
		}
	}
	at := m.applied
	m.applied++
	if at < len(x.committed) {
		if want := x.committed[at]; want.zxid != t.zxid {
			x.breaks(c, promise.TotalOrder, e, sentence.Of("broken.total-order",
				server(e.Actor), zxid(e.Zxid), sentence.Time(e.At), zxid(want.zxid)))
		} else if want != t {
			x.breaks(c, promise.TotalOrder, e, sentence.Of("broken.total-order.other",
				server(e.Actor), zxid(e.Zxid), sentence.Time(e.At)))
		}
		return
	}
	if _, is := x.proposed[t]; !is {
		x.breaks(c, promise.Integrity, e, sentence.Of("broken.integrity",
			server(e.Actor), zxid(e.Zxid), sentence.Time(e.At)))
	}
	delete(x.proposed, t)
	x.inOrder(c, e)
	x.committed = append(x.committed, t)
	for i := range x.servers {
		x.settle(&x.servers[i])
	}
	if holders := x.holders(len(x.committed)); holders < x.quorum {
		x.breaks(c, promise.QuorumDurable, e, sentence.Of("broken.quorum-durable", server(e.Actor), zxid(e.Zxid),
			sentence.Time(e.At), sentence.Number(holders), sentence.Number(x.quorum)))
	}
}

// inOrder judges the place of the next committed transaction.
func (x *ensemble) inOrder(c *Checker, e event.Event) {
	last := max(x.last(), x.start)
	if e.Zxid <= last {
		x.breaks(c, promise.GlobalOrder, e, sentence.Of("broken.global-order",
			server(e.Actor), zxid(e.Zxid), sentence.Time(e.At), zxid(last)))
	}
	if next := following(last, e.Zxid); e.Zxid != next {
		x.breaks(c, promise.LocalOrder, e, sentence.Of("broken.local-order",
			server(e.Actor), zxid(e.Zxid), sentence.Time(e.At), zxid(next)))
	}
}

// following returns the only zxid in the epoch of z that may come right after last.
func following(last, z int64) int64 {
	if epochOf(z) == epochOf(last) {
		return last + 1
	}
	return int64(epochOf(z))<<32 | 1
}
