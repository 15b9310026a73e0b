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
