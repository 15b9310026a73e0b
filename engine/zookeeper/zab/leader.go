package zab

import "time"

// stage is how far a learner has come, as its leader knows it.
type stage uint8

const (
	away         stage = iota
	waiting            // for an epoch
	told               // the epoch; it has not acknowledged it yet
	behind             // acknowledged the epoch, and waits for a quorum
	catching           // received NEWLEADER
	acknowledged       // acknowledged NEWLEADER, and waits for a quorum
	current            // received UPTODATE
)

// learner is a follower or an observer, as its leader knows it.
type learner struct {
	stage stage
	last  Zxid          // its last logged entry when it connected
	heard time.Duration // when the leader last heard from it
	// The oldest proposal that it has not acknowledged, and one that was sent later.
	owes, next   Zxid
	owed, nextAt time.Duration
}

func (l *learner) forwarding() bool { return l.stage >= catching }

// outstanding is a proposal that is not committed yet.
type outstanding struct {
	entry Entry
	acks  Set
}

// lead holds what a leader knows.
type lead struct {
	learners    [MaxServers + 1]learner
	connecting  Set // servers that came for an epoch. The next two: acknowledged it, acknowledged NEWLEADER
	epochAcks   Set
	leaderAcks  Set
	top         Epoch // the highest epoch that any server has promised
	until       time.Duration
	ping        time.Duration
	half        bool // the next ping falls in the middle of a tick
	outstanding []outstanding
	proposed    Zxid
	committed   Zxid
	syncs       []pendingSync
}

// pendingSync is a SYNC that is answered once a proposal is committed.
type pendingSync struct {
	after Zxid
	to    ID
	asked Asked
}

func (l *lead) clear() { *l = lead{outstanding: l.outstanding[:0], syncs: l.syncs[:0]} }

func (l *lead) deadline() time.Duration {
	if l.until > 0 {
		return min(l.until, l.ping)
	}
	return l.ping
}

func (n *Node) beginLeading() {
	l := &n.lead
	n.enter(Leading, Discovery)
	n.epoch = 0
	l.until = n.now + n.cfg.initTime()
	l.ping = n.now + n.cfg.Tick/2
	l.top = n.accepted
	n.connected(n.id)
}

// fromLearner handles a message from a learner.
func (n *Node) fromLearner(from ID, m *Message) {
	f := &n.lead.learners[from]
	f.heard = n.now
	switch m.Type {
	case FollowerInfo, ObserverInfo:
		*f = learner{stage: waiting, heard: n.now}
		n.lead.top = max(n.lead.top, m.Zxid.Epoch())
		if n.epoch > 0 {
			n.tellEpoch(from)
		} else {
			n.connected(from)
		}
	case AckEpoch:
		n.epochAcked(from, m)
	case Ack:
		n.learnerAcked(from, m.Zxid)
	case Ping:
		if len(m.Touched) > 0 {
			n.do(Effect{Kind: Touches, To: from, Message: *m})
		}
	case Sync:
		n.sync(from, m.Asked)
	case Request, Revalidate:
		if n.phase == Broadcast {
			n.do(Effect{Kind: Asks, To: from, Message: *m})
		}
	}
}

// connected counts the servers that came for an epoch. With a quorum, the leader chooses one.
func (n *Node) connected(id ID) {
	l := &n.lead
	l.connecting = l.connecting.With(id)
	if n.epoch > 0 || !n.quorum(l.connecting) {
		return
	}
	n.epoch = l.top + 1
	n.promise(n.epoch, n.id)
	l.proposed = ZxidOf(n.epoch, 0)
	l.until = n.now + n.cfg.initTime()
	n.enter(Leading, Synchronization)
	for id := range l.learners {
		if l.learners[id].stage == waiting {
			n.tellEpoch(ID(id))
		}
	}
	n.epochAck(n.id)
}

func (n *Node) tellEpoch(to ID) {
	n.lead.learners[to].stage = told
	n.send(to, Message{Type: LeaderInfo, Zxid: ZxidOf(n.epoch, 0)})
}

// epochAcked handles an ACKEPOCH. A server with a longer history than the leader cannot follow it.
func (n *Node) epochAcked(from ID, m *Message) {
	f := &n.lead.learners[from]
	if f.stage != told {
		return
	}
	if n.behind(m) && !m.Promised && !n.adopted() {
		n.drop(from)
		return
	}
	f.stage, f.last = behind, m.Zxid
	if n.adopted() {
		n.bring(from)
		return
	}
	if !m.Promised {
		n.epochAck(from)
	}
}

// behind reports whether the sender of an ACKEPOCH has a longer history than this server.
func (n *Node) behind(m *Message) bool {
	if m.Epoch != n.current && !n.cfg.Flaws.Has(VotesByZxid) {
		return m.Epoch > n.current
	}
	return m.Zxid > n.logged
}

// adopted reports whether a quorum has acknowledged the epoch.
func (n *Node) adopted() bool { return n.current == n.epoch }

func (n *Node) epochAck(id ID) {
	l := &n.lead
	l.epochAcks = l.epochAcks.With(id)
	if !n.quorum(l.epochAcks) {
		return
	}
	n.do(Effect{Kind: Flush}) // its own history counts, so it must be on its disk
	n.adopt(n.epoch, n.id)
	l.until = n.now + n.cfg.initTime()
	for id := range l.learners {
		if l.learners[id].stage == behind {
			n.bring(ID(id))
		}
	}
	n.leaderAck(n.id)
	if n.cfg.Flaws.Has(ServesEarly) {
		n.activate()
	}
}

// learnerAcked handles an ACK, of NEWLEADER or of a proposal.
func (n *Node) learnerAcked(from ID, z Zxid) {
	f := &n.lead.learners[from]
	switch {
	case z.Counter() != 0:
		f.acknowledges(z)
		n.acked(from, z)
	case f.stage == catching && z.Epoch() == n.epoch:
		f.stage = acknowledged
		if n.phase == Broadcast {
			n.upToDate(from)
			return
		}
		n.leaderAck(from)
	}
}

func (n *Node) leaderAck(id ID) {
	l := &n.lead
	l.leaderAcks = l.leaderAcks.With(id)
	if n.phase != Broadcast && n.quorum(l.leaderAcks) {
		n.activate()
	}
}

// activate begins broadcast. A quorum has everything that the leader has, so all of it is committed.
func (n *Node) activate() {
	l := &n.lead
	l.until = 0
	n.vote.Epoch = n.epoch
	n.enter(Leading, Broadcast)
	n.do(Effect{Kind: Activates, Epoch: n.epoch})
	n.do(Effect{Kind: Serve, Zxid: n.processed, Epoch: n.epoch})
	n.processed = ZxidOf(n.epoch, 0)
	l.committed = n.processed
	for id := range l.learners {
		if f := &l.learners[id]; f.stage == acknowledged || n.cfg.Flaws.Has(ServesEarly) && f.stage == catching {
			n.upToDate(ID(id))
		}
	}
}

func (n *Node) upToDate(to ID) {
	n.lead.learners[to].stage = current
	n.send(to, Message{Type: UpToDate})
}

// Propose gives a transaction the next zxid and asks the voters to log it. It reports false if the server is not a
// leader that serves.
func (n *Node) Propose(now time.Duration, x Txn) (Zxid, bool) {
	n.now = now
	if n.state != Leading || n.phase != Broadcast {
		return 0, false
	}
	l := &n.lead
	if l.proposed.Counter() == MaxCounter {
		n.lose(CounterUsed)
		n.settle()
		return 0, false
	}
	l.proposed++
	e := Entry{l.proposed, x}
	l.outstanding = append(l.outstanding, outstanding{entry: e})
	n.do(Effect{Kind: Proposes, Entry: e})
	for _, id := range n.cfg.Voters {
		if f := &l.learners[id]; f.forwarding() {
			n.send(id, Message{Type: Proposal, Zxid: e.Zxid, Txn: x})
			f.sentProposal(e.Zxid, n.now)
		}
	}
	n.append(e)
	n.owe(e.Zxid)
	return e.Zxid, true
}

// acked counts an acknowledgement of a proposal. It commits, in order, what a quorum has acknowledged.
func (n *Node) acked(from ID, z Zxid) {
	l := &n.lead
	for i := range l.outstanding {
		if l.outstanding[i].entry.Zxid == z {
			l.outstanding[i].acks = l.outstanding[i].acks.With(from)
			break
		}
	}
	for i := 0; i < len(l.outstanding); i++ {
		if n.quorum(l.outstanding[i].acks) {
			n.commitAt(i)
			i--
		} else if !n.cfg.Flaws.Has(CommitsOutOfOrder) {
			return
		}
	}
}

func (n *Node) commitAt(i int) {
	l := &n.lead
	e := l.outstanding[i].entry
	l.outstanding = append(l.outstanding[:i], l.outstanding[i+1:]...)
	l.committed = e.Zxid
	n.do(Effect{Kind: Commits, Zxid: e.Zxid})
	for id := range l.learners {
		switch f := &l.learners[id]; {
		case !f.forwarding():
		case n.voters.Has(ID(id)):
			n.send(ID(id), Message{Type: Commit, Zxid: e.Zxid})
		default:
			n.send(ID(id), Message{Type: Inform, Zxid: e.Zxid, Txn: e.Txn})
		}
	}
	n.deliver(e)
	n.answerSyncs()
}

// sync answers a SYNC once every current proposal is committed. It asks no quorum whether this server still leads.
func (n *Node) sync(from ID, asked Asked) {
	l := &n.lead
	s := pendingSync{after: l.proposed, to: from, asked: asked}
	if len(l.outstanding) > 0 {
		l.syncs = append(l.syncs, s)
		return
	}
	n.answerSync(s)
}

func (n *Node) answerSyncs() {
	l := &n.lead
	for len(l.syncs) > 0 && (len(l.outstanding) == 0 || l.syncs[0].after < l.outstanding[0].entry.Zxid) {
		s := l.syncs[0]
		l.syncs = append(l.syncs[:0], l.syncs[1:]...)
		n.answerSync(s)
	}
}

func (n *Node) answerSync(s pendingSync) { n.Answer(s.to, Message{Type: Sync, Asked: s.asked}) }

// drop closes the connection to a learner.
func (n *Node) drop(id ID) {
	n.lead.learners[id] = learner{}
	n.do(Effect{Kind: Hangup, To: id})
}

// leadOn checks a leader's timers: it sends pings, drops silent learners, and resigns without a quorum.
func (n *Node) leadOn() {
	l := &n.lead
	if l.until > 0 && n.now >= l.until {
		if n.epoch == 0 {
			n.lose(NoEpoch)
		} else {
			n.lose(NoAck)
		}
		return
	}
	if n.now < l.ping {
		return
	}
	l.ping = n.now + n.cfg.Tick/2
	heard := Set(0).With(n.id)
	for i := range l.learners {
		f := &l.learners[i]
		if f.stage == away {
			continue
		}
		if f.silentTooLong(n) {
			n.drop(ID(i))
			continue
		}
		if f.stage == current {
			heard = heard.With(ID(i))
			n.send(ID(i), Message{Type: Ping, Zxid: l.proposed})
		}
	}
	if l.half = !l.half; !l.half && n.phase == Broadcast && !n.quorum(heard) {
		n.lose(NoQuorum)
	}
}

func (f *learner) silentTooLong(n *Node) bool {
	if f.stage < current {
		return n.now >= f.heard+n.cfg.initTime()
	}
	return n.now >= f.heard+n.cfg.syncTime() || f.owes != 0 && n.now >= f.owed+n.cfg.syncTime()
}

func (f *learner) sentProposal(z Zxid, now time.Duration) {
	if f.owes == 0 {
		f.owes, f.owed = z, now
	} else {
		f.next, f.nextAt = z, now
	}
}

func (f *learner) acknowledges(z Zxid) {
	if z >= f.owes {
		f.owes, f.owed = 0, 0
		if z < f.next {
			f.owes, f.owed = f.next, f.nextAt
		}
		f.next = 0
	}
}

// Outstanding returns how many of a leader's proposals are not committed yet.
func (n *Node) Outstanding() int { return len(n.lead.outstanding) }
