package event

// IsRequest reports whether e is a request that counts: no handshake, no heartbeat, and none of the set-up, which is
// ZooKeeper's own doing in a log.
func (e *Event) IsRequest() bool {
	if e.Kind != OpSent || e.Actor == ZooKeeper {
		return false
	}
	switch e.Op {
	case NoOp, Connect, Ping, CloseSession, SetWatches:
		return false
	}
	return true
}

// Expects is the version on which a write is conditional; ok is false if it is not.
func (e *Event) Expects() (version int32, ok bool) {
	if e.Kind != OpSent || e.Code <= 0 {
		return 0, false
	}
	return e.Code - 1, true
}

// OfTransaction reports whether e is about a message between servers of an ensemble with which they agree on the
// transaction that its zxid names. Heartbeats bear a zxid too, and so does the acknowledgement of a new leader, which
// names none.
func (e *Event) OfTransaction() bool {
	const counter = 1<<32 - 1
	switch e.Op {
	case Proposal, Ack, Commit, Inform:
		return e.Actor.Kind() == AServer && e.Peer.Kind() == AServer && e.Zxid&counter > 0
	}
	return false
}
