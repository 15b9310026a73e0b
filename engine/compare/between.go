package compare

import "github.com/zkviz/zkviz/engine/event"

// between is a Sink that counts what the servers of an ensemble say to each other for the requests of a recipe: what
// hands a write on to the leader, has a quorum agree to it and tells everybody so, and what a sync asks. Votes,
// handshakes, heartbeats and sessions are left out, as they are from the count of requests.
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
		if e.Actor.Kind() == event.AServer && e.Peer.Kind() == event.AServer && b.counts(e) {
			b.Messages++
		}
	}
}

// counts reports whether a server sends a message for a request, but for those that hand it on: what is asked shows
// only when it is proposed.
func (b *between) counts(e event.Event) bool {
	switch e.Op {
	case event.Proposal, event.Ack, event.Commit, event.Inform:
		const counter = 1<<32 - 1
		return e.Zxid&counter > 0 && !b.sessions[e.Zxid] // none counts for the transaction that begins an epoch
	case event.ServerSync:
		return true
	}
	return false
}
