package zab

import "time"

// leader leads the other servers: it holds the state of ZooKeeper's class Leader.
type leader struct {
	node     *Node
	epoch    Epoch // that it leads; 0 until a quorum has come
	learners [MaxServers + 1]learnerHandler
	// Who came for an epoch, who acknowledged it, and who acknowledged NEWLEADER.
	connecting, epochAcks, newLeaderAcks Set

	highest  Epoch         // that any server has promised
	limit    time.Duration // until when a quorum must have come or acknowledged; 0 for no limit
	nextPing time.Duration
	midTick  bool // the next ping falls in the middle of a tick

	proposed    Zxid // the last one
	outstanding []proposal
	syncs       []pendingSync
}

// end closes all connections and forgets everything.
func (l *leader) end() {
	for id := range l.learners {
		if l.learners[id].stage != away {
			l.node.do(Effect{Kind: Hangup, To: ID(id)})
		}
	}
	*l = leader{node: l.node, outstanding: l.outstanding[:0], syncs: l.syncs[:0]}
}

func (l *leader) deadline() time.Duration {
	if l.limit > 0 {
		return min(l.limit, l.nextPing)
	}
	return l.nextPing
}

// begin waits for a quorum that wants an epoch.
func (l *leader) begin() {
	n := l.node
	n.enter(Leading, Discovery)
	l.limit = n.now + n.cfg.initTime()
	l.nextPing = n.now + n.cfg.Tick/2
	l.highest = n.history.accepted
	l.countConnected(n.id)
}

// receive handles a message from a learner.
func (l *leader) receive(from ID, m *Message) {
	n := l.node
	h := &l.learners[from]
	h.heard = n.now
	switch m.Type {
	case FollowerInfo, ObserverInfo:
		*h = learnerHandler{stage: connected, heard: n.now}
		l.highest = max(l.highest, m.Zxid.Epoch())
		if l.epoch > 0 {
			l.sendLeaderInfo(from)
		} else {
			l.countConnected(from)
		}
	case AckEpoch:
		l.receiveAckEpoch(from, m)
	case Ack:
		l.receiveAck(from, m.Zxid)
	case Ping:
		if len(m.Touched) > 0 {
			n.do(Effect{Kind: Touches, To: from, Message: *m})
		}
	case Sync:
		l.sync(from, m.Asked)
	case Request, Revalidate:
		if n.phase == Broadcast {
			n.do(Effect{Kind: Asks, To: from, Message: *m})
		}
	}
}

// countConnected counts the servers that came for an epoch. With a quorum, the leader chooses one.
func (l *leader) countConnected(id ID) {
	n := l.node
	l.connecting = l.connecting.With(id)
	if l.epoch > 0 || !n.quorum.contains(l.connecting) {
		return
	}
	l.epoch = l.highest + 1
	n.history.promise(l.epoch, n.id)
	l.proposed = ZxidOf(l.epoch, 0)
	l.limit = n.now + n.cfg.initTime()
	n.enter(Leading, Synchronization)
	for id := range l.learners {
		if l.learners[id].stage == connected {
			l.sendLeaderInfo(ID(id))
		}
	}
	l.epochAcked(n.id)
}

func (l *leader) sendLeaderInfo(to ID) {
	l.learners[to].stage = toldEpoch
	l.node.send(to, Message{Type: LeaderInfo, Zxid: ZxidOf(l.epoch, 0)})
}

// receiveAckEpoch handles an ACKEPOCH. A server with a longer history than the leader cannot follow it.
func (l *leader) receiveAckEpoch(from ID, m *Message) {
	h := &l.learners[from]
	if h.stage != toldEpoch {
		return
	}
	if l.node.history.behind(m) && !m.Promised && !l.adopted() {
		l.drop(from)
		return
	}
	h.stage, h.last = ackedEpoch, m.Zxid
	if l.adopted() {
		l.synchronize(from)
		return
	}
	if !m.Promised {
		l.epochAcked(from)
	}
}

// adopted reports whether a quorum has acknowledged the epoch.
func (l *leader) adopted() bool { return l.node.history.current == l.epoch }

// epochAcked counts the servers that acknowledged the epoch. With a quorum, the leader adopts it and synchronizes
// the learners.
func (l *leader) epochAcked(id ID) {
	n := l.node
	l.epochAcks = l.epochAcks.With(id)
	if !n.quorum.contains(l.epochAcks) {
		return
	}
	n.do(Effect{Kind: Flush}) // its own history counts, so it must be on its disk
	n.history.adopt(l.epoch, n.id)
	l.limit = n.now + n.cfg.initTime()
	for id := range l.learners {
		if l.learners[id].stage == ackedEpoch {
			l.synchronize(ID(id))
		}
	}
	l.newLeaderAcked(n.id)
	if n.cfg.Flaws.Has(ServesEarly) {
		l.activate()
	}
}

// receiveAck handles an ACK, of NEWLEADER or of a proposal.
func (l *leader) receiveAck(from ID, z Zxid) {
	h := &l.learners[from]
	switch {
	case z.Counter() != 0:
		h.unacked.acknowledge(z)
		l.processAck(from, z)
	case h.stage == syncing && z.Epoch() == l.epoch:
		h.stage = ackedNewLeader
		if l.node.phase == Broadcast {
			l.sendUpToDate(from)
			return
		}
		l.newLeaderAcked(from)
	}
}

// newLeaderAcked counts the servers that acknowledged NEWLEADER. With a quorum, broadcast begins.
func (l *leader) newLeaderAcked(id ID) {
	l.newLeaderAcks = l.newLeaderAcks.With(id)
	if l.node.phase != Broadcast && l.node.quorum.contains(l.newLeaderAcks) {
		l.activate()
	}
}

// activate begins broadcast. A quorum has everything that the leader has, so all of it is committed.
func (l *leader) activate() {
	n := l.node
	l.limit = 0
	n.vote.Epoch = l.epoch
	n.enter(Leading, Broadcast)
	n.do(Effect{Kind: Activates, Epoch: l.epoch})
	n.do(Effect{Kind: Serve, Zxid: n.history.processed, Epoch: l.epoch})
	n.history.processed = ZxidOf(l.epoch, 0)
	for id := range l.learners {
		if h := &l.learners[id]; h.stage == ackedNewLeader || n.cfg.Flaws.Has(ServesEarly) && h.stage == syncing {
			l.sendUpToDate(ID(id))
		}
	}
}

func (l *leader) sendUpToDate(to ID) {
	l.learners[to].stage = upToDate
	l.node.send(to, Message{Type: UpToDate})
}

// drop closes the connection to a learner.
func (l *leader) drop(id ID) {
	l.learners[id] = learnerHandler{}
	l.node.do(Effect{Kind: Hangup, To: id})
}

// checkTimers checks a leader's timers: it sends pings, drops silent learners, and resigns without a quorum.
func (l *leader) checkTimers() {
	n := l.node
	if l.limit > 0 && n.now >= l.limit {
		if l.epoch == 0 {
			n.lose(NoEpoch)
		} else {
			n.lose(NoAck)
		}
		return
	}
	if n.now < l.nextPing {
		return
	}
	l.nextPing = n.now + n.cfg.Tick/2
	heard := Set(0).With(n.id)
	for i := range l.learners {
		h := &l.learners[i]
		if h.stage == away {
			continue
		}
		if h.timedOut(n.now, &n.cfg) {
			l.drop(ID(i))
			continue
		}
		if h.stage == upToDate {
			heard = heard.With(ID(i))
			n.send(ID(i), Message{Type: Ping, Zxid: l.proposed})
		}
	}
	if l.midTick = !l.midTick; !l.midTick && n.phase == Broadcast && !n.quorum.contains(heard) {
		n.lose(NoQuorum)
	}
}
