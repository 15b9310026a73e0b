package compare

import "github.com/zkviz/zkviz/engine/event"

// between is a Sink that counts what the servers of an ensemble say to each other for the requests of a recipe: what
// hands a write on to the leader, has a quorum agree to it and tells everybody so, and what a sync asks. Votes,
// handshakes, heartbeats and sessions are left out, as they are from the count of requests. It isn't the sum of
// view.Costs: these keep the last few writes, while hundreds are on their way here, and they count what the ending of a
// session takes as well.
type between struct {
	Messages int

	sessions map[int64]bool // transactions that open or close one
	handed   event.Seq      // the last request that reached a leader from another server
}

// Append takes the next event.
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
		switch { // what hands a request on shows what it asks only when that is proposed
		case e.OfTransaction() && !b.sessions[e.Zxid], e.Op == event.ServerSync:
			b.Messages++
		}
	}
}
