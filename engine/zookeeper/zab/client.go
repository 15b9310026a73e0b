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
		n.sync(n.id, m.Asked)
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
	case n.lead.learners[to].stage != away:
		n.send(to, m)
	}
}

// Touch records that a session showed activity. A learner passes this on to the leader with its answer to the next
// ping.
func (n *Node) Touch(t Touch) {
	if n.state != Following && n.state != Observing {
		return
	}
	if i, known := n.touchedAt[t.Session]; known {
		n.touched[i] = t
		return
	}
	if n.touchedAt == nil {
		n.touchedAt = make(map[int64]int)
	}
	n.touchedAt[t.Session] = len(n.touched)
	n.touched = append(n.touched, t)
}
