package compare

import "github.com/zkviz/zkviz/engine/event"

// between is a Sink that counts the messages between an ensemble's servers for a recipe's requests: those that
// forward a write to the leader, get a quorum's agreement and announce it, and those of a sync. Votes, handshakes,
// heartbeats and sessions are left out, as in the count of requests. It isn't the sum of view.Costs: these keep
// only the last few writes, while hundreds are under way here, and they also count what ending a session takes.
type between struct {
	Messages int

	sessions map[int64]bool // transactions that open or close one
	handed   event.Seq      // the last request that a leader received from another server
}

// Append adds the next event.
func (b *between) Append(e event.Event) {
	switch e.Kind {
	case event.MsgReceived:
		if e.Op == event.Forward {
			b.handed = e.Seq
		}
	case event.TxnProposed:
		switch {
		case e.Op == event.Connect || e.Op == event.CloseSession:
			b.sessions[e.Zxid] = true
		case e.Cause == b.handed && e.Cause > 0:
			b.Messages++
		}
	case event.MsgSent:
		switch { // a forwarded request only shows its operation once it is proposed
		case e.OfTransaction() && !b.sessions[e.Zxid], e.Op == event.ServerSync:
			b.Messages++
		}
	}
}
