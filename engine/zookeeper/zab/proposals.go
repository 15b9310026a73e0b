package zab

// proposal is a transaction that is not committed yet.
type proposal struct {
	entry Entry
	acks  Set
}

// pendingSync is a SYNC that is answered once a proposal is committed.
type pendingSync struct {
	after Zxid
	to    ID
	asked Asked
}

// propose gives a transaction the next zxid and asks the voters to log it. It reports false, and gives up the
// leadership, if the epoch has no zxid left.
func (l *leader) propose(x Txn) (Zxid, bool) {
	n := l.node
	if l.proposed.Counter() == MaxCounter {
		n.lose(CounterUsed)
		return 0, false
	}
	l.proposed++
	e := Entry{l.proposed, x}
	l.outstanding = append(l.outstanding, proposal{entry: e})
	n.do(Effect{Kind: Proposes, Entry: e})
	for _, id := range n.cfg.Voters {
		if h := &l.learners[id]; h.forwarding() {
			n.send(id, Message{Type: Proposal, Zxid: e.Zxid, Txn: x})
			h.unacked.propose(e.Zxid, n.now)
		}
	}
	n.history.append(e)
	n.history.acknowledgeOnceSynced(e.Zxid)
	return e.Zxid, true
}

// processAck counts an acknowledgement of a proposal. It commits, in order, what a quorum has acknowledged.
func (l *leader) processAck(from ID, z Zxid) {
	for i := range l.outstanding {
		if l.outstanding[i].entry.Zxid == z {
			l.outstanding[i].acks = l.outstanding[i].acks.With(from)
			break
		}
	}
	for i := 0; i < len(l.outstanding); i++ {
		if l.node.quorum.contains(l.outstanding[i].acks) {
			l.commitAt(i)
			i--
		} else if !l.node.cfg.Flaws.Has(CommitsOutOfOrder) {
			return
		}
	}
}

// commitAt commits the outstanding proposal with that index.
func (l *leader) commitAt(i int) {
	n := l.node
	e := l.outstanding[i].entry
	l.outstanding = append(l.outstanding[:i], l.outstanding[i+1:]...)
	n.do(Effect{Kind: Commits, Zxid: e.Zxid})
	for id := range l.learners {
		switch h := &l.learners[id]; {
		case !h.forwarding():
		case n.quorum.voters.Has(ID(id)):
			n.send(ID(id), Message{Type: Commit, Zxid: e.Zxid})
		default:
			n.send(ID(id), Message{Type: Inform, Zxid: e.Zxid, Txn: e.Txn})
		}
	}
	n.history.deliver(e)
	l.answerSyncs()
}

// sync answers a SYNC once every current proposal is committed. It asks no quorum whether this server still leads.
func (l *leader) sync(from ID, asked Asked) {
	s := pendingSync{after: l.proposed, to: from, asked: asked}
	if len(l.outstanding) > 0 {
		l.syncs = append(l.syncs, s)
		return
	}
	l.answerSync(s)
}

// answerSyncs answers the SYNCs that waited for what is now committed.
func (l *leader) answerSyncs() {
	for len(l.syncs) > 0 && (len(l.outstanding) == 0 || l.syncs[0].after < l.outstanding[0].entry.Zxid) {
		s := l.syncs[0]
		l.syncs = append(l.syncs[:0], l.syncs[1:]...)
		l.answerSync(s)
	}
}

func (l *leader) answerSync(s pendingSync) { l.node.Answer(s.to, Message{Type: Sync, Asked: s.asked}) }
