package zab

import "slices"

// Choice says how a leader brings a learner to its own state.
type Choice struct {
	Type Type // Diff, Trunc or Snap
	To   Zxid // TRUNC: the end of what remains; SNAP: the snapshot's last entry; DIFF: the last entry that follows
	Rule int  // the rule that decided, from 1; see choose
	// The learner's last transaction, and the range of recent transactions that the leader keeps at hand.
	Last, Min, Max Zxid

	missing []Entry // the committed entries to send after it
}

// choose decides how a learner whose last transaction is p catches up with a leader. The leader's state is at
// processed, and log is its log.
//
//  1. The learner is up to date: an empty DIFF.
//  2. It has more than the leader: TRUNC.
//  3. Its last is within the window of recent transactions: DIFF from there on. If the leader lacks its last,
//     TRUNC to the one before, unless that would cross an epoch: SNAP.
//  4. Its last is before the window, but in the log: as in 3, unless the log files that begin after it are too
//     large. Each file takes at least fileBytes.
//  5. Else SNAP.
func choose(p, processed Zxid, log []Entry, window int, fits bool) Choice {
	c := Choice{Last: p, Min: processed, Max: processed}
	recent := log[max(0, len(log)-window):]
	if len(recent) > 0 {
		c.Min, c.Max = recent[0].Zxid, recent[len(recent)-1].Zxid
	}
	switch {
	case p == processed:
		c.Type, c.To, c.Rule = Diff, p, 1
	case p > c.Max && p.Counter() != 0:
		c.Type, c.To, c.Rule = Trunc, c.Max, 2
	case p >= c.Min && p <= c.Max:
		c.walk(recent, 3)
	case p < c.Min && len(log) > len(recent) && log[0].Zxid <= p && fits:
		c.walk(log, 4)
	default:
		c.Type, c.To, c.Rule = Snap, processed, 5
	}
	return c
}

// walk finds the learner's last transaction in entries, or the place where it would be.
func (c *Choice) walk(entries []Entry, rule int) {
	c.Rule = rule
	i, found := slices.BinarySearchFunc(entries, c.Last, func(e Entry, z Zxid) int {
		return int(min(max(int64(e.Zxid-z), -1), 1))
	})
	switch {
	case found:
		i++
	case c.Last.Counter() == 0: // it has nothing of its epoch
	case i > 0 && i < len(entries) && entries[i].Zxid.Epoch() == c.Last.Epoch():
		c.Type, c.To = Trunc, entries[i-1].Zxid
		c.missing = entries[i:]
		return
	default:
		c.Type, c.To = Snap, c.Max
		return
	}
	c.Type, c.missing = Diff, entries[i:]
	c.To = c.Max
}

// fileBytes is the size that a log file has from the start (ZooKeeper's preAllocSize).
const fileBytes = 64 << 20

// synchronize makes a learner catch up: it sends what the leader chooses, then the outstanding proposals, then
// NEWLEADER. From here on the learner receives every proposal and commit.
func (l *leader) synchronize(id ID) {
	n := l.node
	h := &l.learners[id]
	log := l.committedLog()
	room := int64(n.cfg.SnapshotFactor * float64(len(n.history.disk.Snapshot.State)))
	fits := int64(n.history.disk.filesAfter(h.last))*fileBytes <= room
	c := choose(h.last, n.history.processed, log, n.cfg.Window, fits)
	if c.Type == Snap {
		c.To = n.history.processed
	}
	n.do(Effect{Kind: Chooses, To: id, Choice: c})
	n.send(id, Message{Type: c.Type, Zxid: c.To, Snapshot: Snapshot{Zxid: c.To}})
	for _, e := range c.missing {
		n.send(id, Message{Type: Proposal, Zxid: e.Zxid, Txn: e.Txn})
		n.send(id, Message{Type: Commit, Zxid: e.Zxid})
	}
	if n.quorum.voters.Has(id) {
		for i := range l.outstanding {
			p := &l.outstanding[i]
			p.acks = p.acks.Without(id) // the learner cut off what it acknowledged before it disconnected
			n.send(id, Message{Type: Proposal, Zxid: p.entry.Zxid, Txn: p.entry.Txn})
			h.unacked.propose(p.entry.Zxid, n.now)
		}
	}
	h.stage = syncing
	n.send(id, Message{Type: NewLeader, Zxid: ZxidOf(l.epoch, 0)})
}

// committedLog returns the leader's log without outstanding proposals.
func (l *leader) committedLog() []Entry {
	log := l.node.history.disk.Log
	if len(l.outstanding) > 0 {
		first := l.outstanding[0].entry.Zxid
		for len(log) > 0 && log[len(log)-1].Zxid >= first {
			log = log[:len(log)-1]
		}
	}
	return log
}
