package zab

import "time"

// What a server's clients need of the others.

// Ask sends a REQUEST, REVALIDATE or SYNC to the leader, or asks the server itself, if it leads. It reports false if
// there is no leader.
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

// Answer answers a REVALIDATE of a learner, or of the leader itself.
func (n *Node) Answer(to ID, m Message) {
	switch {
	case to == n.id:
		n.do(Effect{Kind: Answers, Message: m})
	case n.lead.learners[to].stage != away:
		n.send(to, m)
	}
}

// Touch says that something was heard from a session. The leader is told with the answer to its next ping.
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
