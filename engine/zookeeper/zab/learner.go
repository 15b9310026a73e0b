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

// follow holds what a learner, a follower or an observer, knows about its leader.
type follow struct {
	connected bool
	tries     int
	redial    time.Duration // when it tries again; 0 while it waits for the outcome
	heard     time.Duration // when it last heard from the leader
	adopted   bool          // it has handled NEWLEADER
	pending   []Entry       // proposals that are not committed; before NEWLEADER they are not logged either
	commits   []Zxid        // commits that arrived before UPTODATE
}

func (f *follow) clear() {
	*f = follow{pending: f.pending[:0], commits: f.commits[:0]}
}

func (n *Node) beginFollowing(as State) {
	n.follow.heard = n.now
	n.epoch = 0
	n.enter(as, Discovery)
	n.dial()
}

func (n *Node) dial() {
	n.follow.tries++
	n.follow.redial = 0
	n.do(Effect{Kind: Dial, To: n.vote.Leader})
}

func (n *Node) dialled(ok bool) {
	f := &n.follow
	switch {
	case ok:
		f.connected, f.heard = true, n.now
		hello := Message{Type: FollowerInfo, Zxid: ZxidOf(n.accepted, 0)}
		if n.state == Observing {
			hello.Type = ObserverInfo
		}
		n.send(n.vote.Leader, hello)
	case f.tries == dialTries:
		n.lose(Unreachable)
	default:
		f.redial = n.now + dialPause
	}
}

// patience returns how long the learner waits for the leader's next message.
func (n *Node) patience() time.Duration {
	if n.phase == Broadcast {
		return n.cfg.syncTime()
	}
	return n.cfg.initTime()
}

func (f *follow) deadlineWith(patience time.Duration) time.Duration {
	if f.redial > 0 {
		return min(f.redial, f.heard+patience)
	}
	return f.heard + patience
}

// followOn checks a learner's timers.
func (n *Node) followOn() {
	f := &n.follow
	switch {
	case n.now >= f.heard+n.patience():
		n.lose(Silent)
	case f.redial > 0 && n.now >= f.redial:
		n.dial()
	}
}

// fromLeader handles a message from the leader.
func (n *Node) fromLeader(m *Message) {
	n.follow.heard = n.now
	switch n.phase {
	case Discovery:
		n.discover(m)
	case Synchronization:
		n.synchronize(m)
	case Broadcast:
		n.obey(m)
	}
}

// discover waits for the new epoch.
func (n *Node) discover(m *Message) {
	e := m.Zxid.Epoch()
	answer := Message{Type: AckEpoch, Epoch: n.current, Zxid: n.logged}
	switch {
	case m.Type == Ping:
		n.pong()
		return
	case m.Type != LeaderInfo:
		n.lose(Illegal)
		return
	case e > n.accepted:
		n.promise(e, n.vote.Leader)
	case e == n.accepted:
		answer.Promised = true
	default:
		n.lose(LowerEpoch)
		return
	}
	n.epoch = e
	n.send(n.vote.Leader, answer)
	n.enter(n.state, Synchronization)
}

// synchronize receives what the leader has and this server lacks. The entries stay in memory until NEWLEADER. They
// are then written before the epoch, and the epoch before the acknowledgement.
func (n *Node) synchronize(m *Message) {
	f := &n.follow
	switch m.Type {
	case Diff:
	case Trunc:
		n.truncate(m.Zxid)
	case Snap:
		n.logged, n.processed = m.Zxid, m.Zxid
		n.do(Effect{Kind: Load, To: n.vote.Leader, Message: *m})
		n.do(Effect{Kind: Save, Message: *m})
	case Proposal:
		e := Entry{m.Zxid, m.Txn}
		f.pending = append(f.pending, e)
		if f.adopted {
			n.append(e)
			n.owe(e.Zxid)
		}
	case Inform:
		e := Entry{m.Zxid, m.Txn}
		f.pending, f.commits = append(f.pending, e), append(f.commits, e.Zxid)
		if f.adopted {
			n.append(e)
		}
	case Commit:
		f.commits = append(f.commits, m.Zxid)
	case NewLeader:
		n.adoptLeader(m.Zxid)
	case UpToDate:
		n.beUpToDate()
	case Ping:
		n.pong()
	default:
		n.fromLeaderForClients(m)
	}
}

func (n *Node) truncate(z Zxid) {
	if n.cfg.Flaws.Has(NeverTruncates) {
		return
	}
	n.logged, n.processed = z, z
	n.do(Effect{Kind: Truncate, Zxid: z})
	n.do(Effect{Kind: Reload})
}

// adoptLeader handles NEWLEADER. The order makes it safe: first everything received goes to the disk, then the
// epoch, then the acknowledgement, then those of single proposals.
func (n *Node) adoptLeader(z Zxid) {
	f := &n.follow
	if n.cfg.Flaws.Has(EpochBeforeLog) {
		n.adopt(z.Epoch(), n.vote.Leader)
	}
	for _, e := range f.pending {
		n.append(e)
	}
	if !n.cfg.Flaws.Has(EpochBeforeLog) {
		n.do(Effect{Kind: Flush})
		n.adopt(z.Epoch(), n.vote.Leader)
	}
	f.adopted = true
	n.send(n.vote.Leader, Message{Type: Ack, Zxid: z})
	if n.state != Following {
		return
	}
	for _, e := range f.pending {
		if n.cfg.Flaws.Has(EpochBeforeLog) {
			n.owe(e.Zxid)
		} else {
			n.ackOwn(e.Zxid)
		}
	}
}

func (n *Node) beUpToDate() {
	f := &n.follow
	if !f.adopted {
		n.lose(Illegal)
		return
	}
	n.vote.Epoch = n.epoch // without this, late servers could not tell that everybody votes for this leader
	n.send(n.vote.Leader, Message{Type: Ack, Zxid: ZxidOf(n.epoch, 0)})
	n.enter(n.state, Broadcast)
	n.do(Effect{Kind: Serve, Zxid: n.processed, Epoch: n.epoch})
	commits := slices.Clone(f.commits)
	f.commits = f.commits[:0]
	for _, z := range commits {
		if n.state != Looking {
			n.commit(z)
		}
	}
}

// commit applies the oldest pending proposal. z must name it.
func (n *Node) commit(z Zxid) {
	f := &n.follow
	i := 0
	if n.cfg.Flaws.Has(CommitsOutOfOrder) {
		i = max(0, slices.IndexFunc(f.pending, func(e Entry) bool { return e.Zxid == z }))
	}
	if i >= len(f.pending) || f.pending[i].Zxid != z {
		n.lose(Illegal)
		return
	}
	e := f.pending[i]
	f.pending = slices.Delete(f.pending, i, i+1)
	n.deliver(e)
}

// obey handles a message of the broadcast phase.
func (n *Node) obey(m *Message) {
	f := &n.follow
	switch m.Type {
	case Proposal:
		e := Entry{m.Zxid, m.Txn}
		f.pending = append(f.pending, e)
		n.append(e)
		n.owe(e.Zxid)
	case Commit:
		n.commit(m.Zxid)
	case Inform:
		e := Entry{m.Zxid, m.Txn}
		n.append(e)
		n.deliver(e)
	case Ping:
		n.pong()
	default:
		n.fromLeaderForClients(m)
	}
}

// pong answers a ping and names the sessions that showed activity.
func (n *Node) pong() {
	n.send(n.vote.Leader, Message{Type: Ping, Touched: n.touched})
	n.touched = nil
	clear(n.touchedAt)
}

func (n *Node) fromLeaderForClients(m *Message) {
	switch m.Type {
	case Revalidate, Sync:
		n.do(Effect{Kind: Answers, Message: *m})
	default:
		n.lose(Illegal)
	}
}
