package zab

import (
	"slices"
	"time"
)

// The limits of a learner's connection attempts, as in Apache ZooKeeper.
const (
	dialTries = 5
	dialPause = 100 * time.Millisecond
)

// learner follows or observes a leader: it holds the state of ZooKeeper's class Learner.
type learner struct {
	node      *Node
	epoch     Epoch // its leader's
	connected bool
	tries     int
	redial    time.Duration // when it tries again; 0 while it waits for the outcome
	heard     time.Duration // when it last heard from the leader
	adopted   bool          // it has handled NEWLEADER
	pending   []Entry       // proposals that are not committed; before NEWLEADER they are not logged either
	commits   []Zxid        // commits that arrived before UPTODATE
	touches   touchTable    // remains when the leader is lost
}

// end closes the connection and forgets the leader.
func (l *learner) end() {
	if l.connected && !l.node.cfg.Flaws.Has(BreaksPromise) {
		l.node.do(Effect{Kind: Hangup, To: l.node.vote.Leader})
	}
	*l = learner{node: l.node, pending: l.pending[:0], commits: l.commits[:0], touches: l.touches}
}

// begin connects to the leader.
func (l *learner) begin(as State) {
	l.heard = l.node.now
	l.node.enter(as, Discovery)
	l.dial()
}

func (l *learner) dial() {
	l.tries++
	l.redial = 0
	l.node.do(Effect{Kind: Dial, To: l.node.vote.Leader})
}

// dialled registers with the leader, or tries again.
func (l *learner) dialled(ok bool) {
	n := l.node
	switch {
	case ok:
		l.connected, l.heard = true, n.now
		hello := Message{Type: FollowerInfo, Zxid: ZxidOf(n.history.accepted, 0)}
		if n.state == Observing {
			hello.Type = ObserverInfo
		}
		n.send(n.vote.Leader, hello)
	case l.tries == dialTries:
		n.lose(Unreachable)
	default:
		l.redial = n.now + dialPause
	}
}

// patience returns how long the learner waits for the leader's next message.
func (l *learner) patience() time.Duration {
	n := l.node
	if n.phase == Broadcast {
		return n.cfg.syncTime()
	}
	return n.cfg.initTime()
}

func (l *learner) deadline() time.Duration {
	limit := l.heard + l.patience()
	if l.redial > 0 {
		return min(l.redial, limit)
	}
	return limit
}

// checkTimers checks a learner's timers.
func (l *learner) checkTimers() {
	n := l.node
	switch {
	case n.now >= l.heard+l.patience():
		n.lose(Silent)
	case l.redial > 0 && n.now >= l.redial:
		l.dial()
	}
}

// receive handles a message from the leader.
func (l *learner) receive(m *Message) {
	l.heard = l.node.now
	switch l.node.phase {
	case Discovery:
		l.discover(m)
	case Synchronization:
		l.synchronize(m)
	case Broadcast:
		l.broadcast(m)
	}
}

// discover waits for the new epoch.
func (l *learner) discover(m *Message) {
	n := l.node
	e := m.Zxid.Epoch()
	answer := Message{Type: AckEpoch, Epoch: n.history.current, Zxid: n.history.logged}
	switch {
	case m.Type == Ping:
		l.answerPing()
		return
	case m.Type != LeaderInfo:
		n.lose(Illegal)
		return
	case e > n.history.accepted:
		n.history.promise(e, n.vote.Leader)
	case e == n.history.accepted:
		answer.Promised = true
	default:
		n.lose(LowerEpoch)
		return
	}
	l.epoch = e
	n.send(n.vote.Leader, answer)
	n.enter(n.state, Synchronization)
}

// synchronize receives what the leader has and this server lacks. The entries stay in memory until NEWLEADER. They
// are then written before the epoch, and the epoch before the acknowledgement.
func (l *learner) synchronize(m *Message) {
	n := l.node
	switch m.Type {
	case Diff:
	case Trunc:
		n.history.truncate(m.Zxid)
	case Snap:
		n.history.replace(n.vote.Leader, m)
	case Proposal:
		e := Entry{m.Zxid, m.Txn}
		l.pending = append(l.pending, e)
		if l.adopted {
			n.history.append(e)
			n.history.acknowledgeOnceSynced(e.Zxid)
		}
	case Inform:
		e := Entry{m.Zxid, m.Txn}
		l.pending, l.commits = append(l.pending, e), append(l.commits, e.Zxid)
		if l.adopted {
			n.history.append(e)
		}
	case Commit:
		l.commits = append(l.commits, m.Zxid)
	case NewLeader:
		l.adoptLeader(m.Zxid)
	case UpToDate:
		l.beUpToDate()
	case Ping:
		l.answerPing()
	default:
		l.answerClients(m)
	}
}

// adoptLeader handles NEWLEADER. The order makes it safe: first everything received goes to the disk, then the
// epoch, then the acknowledgement, then those of single proposals.
func (l *learner) adoptLeader(z Zxid) {
	n := l.node
	if n.cfg.Flaws.Has(EpochBeforeLog) {
		n.history.adopt(z.Epoch(), n.vote.Leader)
	}
	for _, e := range l.pending {
		n.history.append(e)
	}
	if !n.cfg.Flaws.Has(EpochBeforeLog) {
		n.do(Effect{Kind: Flush})
		n.history.adopt(z.Epoch(), n.vote.Leader)
	}
	l.adopted = true
	n.send(n.vote.Leader, Message{Type: Ack, Zxid: z})
	if n.state != Following {
		return
	}
	for _, e := range l.pending {
		if n.cfg.Flaws.Has(EpochBeforeLog) {
			n.history.acknowledgeOnceSynced(e.Zxid)
		} else {
			n.acknowledge(e.Zxid)
		}
	}
}

// beUpToDate handles UPTODATE.
func (l *learner) beUpToDate() {
	n := l.node
	if !l.adopted {
		n.lose(Illegal)
		return
	}
	n.vote.Epoch = l.epoch // without this, late servers could not tell that everybody votes for this leader
	n.send(n.vote.Leader, Message{Type: Ack, Zxid: ZxidOf(l.epoch, 0)})
	n.enter(n.state, Broadcast)
	n.do(Effect{Kind: Serve, Zxid: n.history.processed, Epoch: l.epoch})
	commits := slices.Clone(l.commits)
	l.commits = l.commits[:0]
	for _, z := range commits {
		if n.state != Looking {
			l.commit(z)
		}
	}
}

// commit applies the oldest pending proposal. z must name it.
func (l *learner) commit(z Zxid) {
	n := l.node
	i := 0
	if n.cfg.Flaws.Has(CommitsOutOfOrder) {
		i = max(0, slices.IndexFunc(l.pending, func(e Entry) bool { return e.Zxid == z }))
	}
	if i >= len(l.pending) || l.pending[i].Zxid != z {
		n.lose(Illegal)
		return
	}
	e := l.pending[i]
	l.pending = slices.Delete(l.pending, i, i+1)
	n.history.deliver(e)
}

// broadcast handles a message of the broadcast phase.
func (l *learner) broadcast(m *Message) {
	n := l.node
	switch m.Type {
	case Proposal:
		e := Entry{m.Zxid, m.Txn}
		l.pending = append(l.pending, e)
		n.history.append(e)
		n.history.acknowledgeOnceSynced(e.Zxid)
	case Commit:
		l.commit(m.Zxid)
	case Inform:
		e := Entry{m.Zxid, m.Txn}
		n.history.append(e)
		n.history.deliver(e)
	case Ping:
		l.answerPing()
	default:
		l.answerClients(m)
	}
}

// obeyFormer logs and acknowledges the proposal of a leader that the server has left, as BreaksPromise does. It applies
// nothing: the commits are its present leader's. While that one sends its history, nothing can come between.
func (l *learner) obeyFormer(from ID, m *Message) {
	h := &l.node.history
	if l.node.phase == Synchronization || m.Zxid <= h.disk.Snapshot.Zxid {
		return
	}
	if last := h.logged; !h.disk.Has(m.Zxid) {
		h.append(Entry{m.Zxid, m.Txn})
		h.logged = max(h.logged, last)
	}
	l.node.do(Effect{Kind: Flush})
	l.node.send(from, Message{Type: Ack, Zxid: m.Zxid})
}

// answerPing answers a ping and names the sessions that showed activity.
func (l *learner) answerPing() {
	l.node.send(l.node.vote.Leader, Message{Type: Ping, Touched: l.touches.take()})
}

// answerClients passes on the leader's answer to a client's question.
func (l *learner) answerClients(m *Message) {
	switch m.Type {
	case Revalidate, Sync:
		l.node.do(Effect{Kind: Answers, Message: *m})
	default:
		l.node.lose(Illegal)
	}
}
