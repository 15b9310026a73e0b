package zab

import "time"

// This file holds what the clients of a server need from the other servers.

// Ask sends a REQUEST, REVALIDATE or SYNC to the leader. If this server leads, it handles the message itself. Ask
// reports false if there is no leader.
func (n *Node) Ask(now time.Duration, m Message) bool {
	n.now = now
	switch {
	case n.phase != Broadcast:
		return false
	case n.state != Leading:
		n.send(n.vote.Leader, m)
	case m.Type == Sync:
		n.leader.sync(n.id, m.Asked)
	default:
		n.do(Effect{Kind: Asks, To: n.id, Message: m})
	}
	return true
}

// Answer sends the answer to a REVALIDATE back to a learner, or to the leader itself.
func (n *Node) Answer(to ID, m Message) {
	switch {
	case to == n.id:
		n.do(Effect{Kind: Answers, Message: m})
	case n.leader.learners[to].stage != away:
		n.send(to, m)
	}
}

// Touch records that a session showed activity. A learner passes this on to the leader with its answer to the next
// ping.
func (n *Node) Touch(t Touch) {
	if n.state == Following || n.state == Observing {
		n.learner.touches.put(t)
	}
}

// Propose gives a transaction the next zxid and asks the voters to log it. It reports false if the server is not a
// leader that serves.
func (n *Node) Propose(now time.Duration, x Txn) (Zxid, bool) {
	n.now = now
	if n.state != Leading || n.phase != Broadcast {
		return 0, false
	}
	z, ok := n.leader.propose(x)
	n.election.hearSelf()
	return z, ok
}

// Outstanding returns how many of a leader's proposals are not committed yet.
func (n *Node) Outstanding() int { return len(n.leader.outstanding) }
