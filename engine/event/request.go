package event

// IsRequest reports whether e is a request that counts. Handshakes, heartbeats and the set-up, which a log attributes
// to ZooKeeper, don't.
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

// Expects returns the version that a conditional write expects; ok is false if the write is unconditional.
func (e *Event) Expects() (version int32, ok bool) {
	if e.Kind != OpSent || e.Code <= 0 {
		return 0, false
	}
	return e.Code - 1, true
}

// OfTransaction reports whether e is about a message by which servers of an ensemble agree on the transaction in its
// zxid. Heartbeats also have a zxid, and so has the acknowledgement of a new leader, which names no transaction.
func (e *Event) OfTransaction() bool {
	const counter = 1<<32 - 1
	switch e.Op {
	case Proposal, Ack, Commit, Inform:
		return e.Actor.Kind() == AServer && e.Peer.Kind() == AServer && e.Zxid&counter > 0
	}
	return false
}
