package zab

import "slices"

// Choice is how a leader brings a learner to its own state.
type Choice struct {
	Type Type // Diff, Trunc or Snap
	To   Zxid // of TRUNC what is left, of SNAP what it has, of DIFF the last that follows
	Rule int  // which rule decided, from 1; see choose
	// The learner's last transaction, and the bounds of the last transactions that the leader has at hand.
	Last, Min, Max Zxid

	missing []Entry // the committed ones that are sent after it
}

// choose is how a learner whose last transaction is p catches up with a leader whose state is at processed and which
// has that log.
//
//  1. It has the same: an empty DIFF.
//  2. It has more than all that the leader has: TRUNC.
//  3. It is within the window of the last transactions: DIFF from there on. If its last is not one of the leader's,
//     TRUNC to the one before, unless that would cross an epoch: SNAP.
//  4. It is before the window, but in the log: likewise, unless the files of the log that begin behind it are too
//     large, each of which takes fileBytes at least.
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
	case c.Last.Counter() == 0: // nothing of its epoch
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

// fileBytes is what a file of the log takes from its beginning (ZooKeeper's preAllocSize).
const fileBytes = 64 << 20

// bring has a learner catch up: by what the leader chooses, then what is outstanding, then NEWLEADER. From here on the
// learner gets all that is proposed and committed.
func (n *Node) bring(id ID) {
	f, l := &n.lead.learners[id], &n.lead
	log := n.committedLog()
	room := int64(n.cfg.SnapshotFactor * float64(len(n.disk.Snapshot.State)))
	fits := int64(n.disk.filesAfter(f.last))*fileBytes <= room
	c := choose(f.last, n.processed, log, n.cfg.Window, fits)
	if c.Type == Snap {
		c.To = n.processed
	}
	n.do(Effect{Kind: Chooses, To: id, Choice: c})
	n.send(id, Message{Type: c.Type, Zxid: c.To, Snapshot: Snapshot{Zxid: c.To}})
	for _, e := range c.missing {
		n.send(id, Message{Type: Proposal, Zxid: e.Zxid, Txn: e.Txn})
		n.send(id, Message{Type: Commit, Zxid: e.Zxid})
	}
	if n.voters.Has(id) {
		for i := range l.outstanding {
			p := &l.outstanding[i]
			p.acks = p.acks.Without(id) // it has cut off what it acknowledged before it was away
			n.send(id, Message{Type: Proposal, Zxid: p.entry.Zxid, Txn: p.entry.Txn})
			f.sentProposal(p.entry.Zxid, n.now)
		}
	}
	f.stage = catching
	n.send(id, Message{Type: NewLeader, Zxid: ZxidOf(n.epoch, 0)})
}

// committedLog is the leader's log without what is outstanding.
func (n *Node) committedLog() []Entry {
	log := n.disk.Log
	if len(n.lead.outstanding) > 0 {
		first := n.lead.outstanding[0].entry.Zxid
		for len(log) > 0 && log[len(log)-1].Zxid >= first {
			log = log[:len(log)-1]
		}
	}
	return log
}
