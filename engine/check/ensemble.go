package check

import (
	"slices"
	"strconv"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/sentence"
)

// The invariants of ZAB: what holds in every log of an ensemble, whatever recipe runs on it. The first six are those of
// Junqueira, Reed and Serafini, "Zab: High-performance broadcast for primary-backup systems" (DSN 2011).
const (
	// Integrity: what a server applies was proposed under that zxid.
	Integrity = "integrity"
	// TotalOrder: all servers apply the same transactions in the same order.
	TotalOrder = "total-order"
	// LocalOrder: of an epoch's transactions none is left out.
	LocalOrder = "local-order"
	// GlobalOrder: zxids rise.
	GlobalOrder = "global-order"
	// PrimaryIntegrity: a leader that proposes has all that anybody has applied of earlier epochs.
	PrimaryIntegrity = "primary-integrity"
	// Leadership: at most one server ever leads an epoch, and no server promises an epoch to two.
	Leadership = "leadership"
	// CommittedDurable: nothing that is committed leaves a disk that had it.
	CommittedDurable = "committed-durable"
	// LeaderComplete: a leader begins with all that is committed.
	LeaderComplete = "leader-complete"
	// MonotonicCommit: a leader commits in the order of its proposals.
	MonotonicCommit = "monotonic-commit"
	// ProcessConsistency: a follower's log is that of its leader, as far as it goes.
	ProcessConsistency = "process-consistency"
	// QuorumDurable: what is applied is on the disks of a quorum.
	QuorumDurable = "quorum-durable"
	// EpochMonotony: epochs that are promised and adopted never fall, and none is adopted that was not promised.
	EpochMonotony = "epoch-monotony"
	// AckOrder: nothing is acknowledged that is not on the disk, and no proposal before NEWLEADER.
	AckOrder = "ack-order"
	// AnsweredKept: what a client was answered is committed, and its answers never go back.
	AnsweredKept = "answered-kept"
	// SingleHistory: no server welcomes a client that has seen more than the server has.
	SingleHistory = "single-history"
	// OneVerdict: nothing succeeds in a session after its end.
	OneVerdict = "one-verdict"
	// LegalMessages: no server says what it must not say.
	LegalMessages = "legal-messages"
)

// Invariants are the rules that every log of an ensemble is judged by.
func Invariants() []string {
	names := make([]string, len(invariants))
	for i, v := range invariants {
		names[i] = v.rule
	}
	return names
}

// invariants are the rules with what is said of one that is broken.
var invariants = [...]struct{ rule, broken string }{
	{Integrity, "broken.integrity"},
	{TotalOrder, "broken.total-order"},
	{LocalOrder, "broken.local-order"},
	{GlobalOrder, "broken.global-order"},
	{PrimaryIntegrity, "broken.primary-integrity"},
	{Leadership, "broken.leadership"},
	{CommittedDurable, "broken.committed-durable"},
	{LeaderComplete, "broken.leader-complete"},
	{MonotonicCommit, "broken.monotonic-commit"},
	{ProcessConsistency, "broken.process-consistency"},
	{QuorumDurable, "broken.quorum-durable"},
	{EpochMonotony, "broken.epoch-monotony"},
	{AckOrder, "broken.ack-order"},
	{AnsweredKept, "broken.answered-kept"},
	{SingleHistory, "broken.single-history"},
	{OneVerdict, "broken.one-verdict"},
	{LegalMessages, "broken.legal-messages"},
}

// mostTail bounds what a server may have in its log that is not committed, and mostProposed what was proposed and never
// committed. ZooKeeper has a thousand requests under way at most.
const (
	mostTail     = 2000
	mostProposed = 1 << 16
)

// txn is a transaction, as logs tell it from others.
type txn struct{ zxid, digest int64 }

func epochOf(zxid int64) int32 { return int32(zxid >> 32) }

func counterOf(zxid int64) uint32 { return uint32(zxid) }

// ensemble judges the invariants, by what every server has in its log.
type ensemble struct {
	judged  map[string]string // what is said of each rule that is judged, if it is broken
	blind   bool              // a server has more in its log that is not committed than can be
	quorum  int
	voters  int
	servers []member

	committed []txn // the longest that any server has applied
	// proposed are the transactions that were proposed and are not committed.
	proposed  map[txn]struct{}
	activated map[int32]event.Actor
	seen      []int64             // by client: the last zxid in an answer
	over      map[int64]event.Seq // sessions that have ended
}

func newEnsemble(rules []string, h event.Header) *ensemble {
	judged := make(map[string]string)
	for _, v := range invariants {
		if slices.Contains(rules, v.rule) {
			judged[v.rule] = v.broken
		}
	}
	if len(judged) == 0 || len(h.Systems) == 0 || h.Systems[0].Servers < 2 {
		return nil
	}
	n := h.Systems[0].Servers
	return &ensemble{judged: judged, voters: n, quorum: n/2 + 1, proposed: make(map[txn]struct{}),
		activated: make(map[int32]event.Actor), over: make(map[int64]event.Seq)}
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
		x.ofSession(c, e)
	}
}

// member is the books of a server.
func (x *ensemble) member(a event.Actor) *member {
	n := a.Number()
	for len(x.servers) < n {
		x.servers = append(x.servers, member{})
	}
	return &x.servers[n-1]
}

// breaks says that e breaks a rule, if that is judged.
func (x *ensemble) breaks(c *Checker, rule string, e event.Event) {
	key := x.judged[rule]
	if key == "" {
		return
	}
	c.violate(broken(rule, e, []event.Actor{e.Actor}, sentence.Of(key,
		sentence.Text(e.Actor.String()), sentence.Text("0x"+strconv.FormatUint(uint64(e.Zxid), 16)), sentence.Time(e.At),
		sentence.Number(int(e.Code)))))
}

func (x *ensemble) atServer(c *Checker, m *member, e event.Event) {
	switch e.Kind {
	case event.TxnLogged:
		x.logged(c, m, e)
	case event.TxnDelivered:
		x.delivered(c, m, e)
	case event.LogSynced:
		m.durable = max(m.durable, x.upTo(m, e.Zxid))
	case event.TxnProposed:
		x.proposes(c, m, e)
	case event.TxnCommitted:
		if e.Zxid != m.lastCommitted+1 && counterOf(e.Zxid) != 1 {
			x.breaks(c, MonotonicCommit, e)
		}
		m.lastCommitted = e.Zxid
	case event.MsgSent, event.MsgReceived:
		x.says(c, m, e)
	case event.LeaderActivated:
		x.activates(c, m, e)
	default:
		x.changes(c, m, e)
	}
}

// changes takes what changes a server's epochs, its disk or its process.
func (x *ensemble) changes(c *Checker, m *member, e event.Event) {
	switch e.Kind {
	case event.EpochPromised:
		if e.Code <= m.accepted {
			x.breaks(c, EpochMonotony, e)
			x.breaks(c, Leadership, e)
		}
		m.accepted = max(m.accepted, e.Code)
	case event.EpochAdopted:
		if e.Code < m.current || e.Code > m.accepted {
			x.breaks(c, EpochMonotony, e)
		}
		m.current = e.Code
	case event.LogTruncated:
		x.leaves(c, m, e, x.upTo(m, e.Zxid))
		x.cut(m, x.upTo(m, e.Zxid))
		m.durable = min(m.durable, x.length(m))
	case event.SnapshotLoaded:
		leader := x.member(e.Peer)
		m.loading = history{leader.base, append([]txn(nil), leader.tail...)}
	case event.SnapshotSaved:
		x.saved(c, m, e)
	case event.ServerSynced: // what a snapshot had in it is applied by now, and was not told one by one
		m.applied = max(m.applied, min(m.loaded, len(x.committed)))
	case event.ServerStopped:
		m.phase, m.leader, m.acked, m.loading = "", 0, 0, history{}
		if e.Reason == event.ServerPowerLost {
			x.cut(m, m.durable)
		}
	case event.ServerPhase:
		m.phase, m.leader = event.ServerPhaseName(e.Text), e.Peer
		if m.phase == event.Electing {
			m.acked = 0
		}
	}
}

func (x *ensemble) saved(c *Checker, m *member, e event.Event) {
	old := *m
	m.history, m.loading = m.loading, history{}
	n := x.upTo(m, e.Zxid)
	x.leaves(c, &old, e, min(n, m.base))
	x.cut(m, n)
	m.durable, m.loaded, m.applied = n, n, min(n, m.base)
}

// leaves judges that of what a server has on its disk no more than left stays.
func (x *ensemble) leaves(c *Checker, m *member, e event.Event, left int) {
	if min(m.durable, m.base) > left {
		x.breaks(c, CommittedDurable, e)
	}
}

func (x *ensemble) activates(c *Checker, m *member, e event.Event) {
	if by, is := x.activated[e.Code]; is && by != e.Actor {
		x.breaks(c, Leadership, e)
	}
	x.activated[e.Code] = e.Actor
	if m.base < len(x.committed) {
		x.breaks(c, LeaderComplete, e)
	}
	m.began, m.sent = x.length(m), m.sent[:0]
	m.lastCommitted = int64(e.Code) << 32
	m.applied = max(m.applied, min(m.loaded, len(x.committed)))
}

func (x *ensemble) proposes(c *Checker, m *member, e event.Event) {
	first := counterOf(e.Zxid) == 1
	if n := len(x.committed); first && n > 0 && epochOf(x.committed[n-1].zxid) < epochOf(e.Zxid) && m.base < n {
		x.breaks(c, PrimaryIntegrity, e)
	}
	if by := x.activated[epochOf(e.Zxid)]; by != e.Actor {
		x.breaks(c, Leadership, e)
	}
	t := txn{e.Zxid, e.N}
	if len(x.proposed) > mostProposed {
		clear(x.proposed)
	}
	x.proposed[t] = struct{}{}
	m.sent = append(m.sent, t)
}

// logged is when a server writes to its log.
func (x *ensemble) logged(c *Checker, m *member, e event.Event) {
	t := txn{e.Zxid, e.N}
	n := x.length(m)
	m.tail = append(m.tail, t)
	x.settle(m)
	x.blind = x.blind || len(m.tail) > mostTail
	if m.acked != 0 && m.leader != e.Actor && m.phase != event.Electing {
		if want, known := x.ofLeader(x.member(m.leader), n); known && want != t {
			x.breaks(c, ProcessConsistency, e)
		}
	}
}

// delivered is when a server applies a committed transaction.
func (x *ensemble) delivered(c *Checker, m *member, e event.Event) {
	t := txn{e.Zxid, e.N}
	at := m.applied
	m.applied++
	if at < len(x.committed) {
		if x.committed[at] != t {
			x.breaks(c, TotalOrder, e)
		}
		return
	}
	if _, is := x.proposed[t]; !is {
		x.breaks(c, Integrity, e)
	}
	delete(x.proposed, t)
	if at > len(x.committed) {
		x.breaks(c, TotalOrder, e)
	}
	x.inOrder(c, e)
	x.committed = append(x.committed, t)
	holders := 0
	for i := range x.servers {
		s := &x.servers[i]
		x.settle(s)
		if i < x.voters && s.base == len(x.committed) && s.durable >= s.base {
			holders++
		}
	}
	m.applied = len(x.committed)
	if holders < x.quorum {
		x.breaks(c, QuorumDurable, e)
	}
}

// inOrder judges the place of the next committed transaction.
func (x *ensemble) inOrder(c *Checker, e event.Event) {
	var last int64
	if n := len(x.committed); n > 0 {
		last = x.committed[n-1].zxid
	}
	if e.Zxid <= last {
		x.breaks(c, GlobalOrder, e)
	}
	if epochOf(e.Zxid) == epochOf(last) && e.Zxid != last+1 || epochOf(e.Zxid) != epochOf(last) && counterOf(e.Zxid) != 1 {
		x.breaks(c, LocalOrder, e)
	}
}
