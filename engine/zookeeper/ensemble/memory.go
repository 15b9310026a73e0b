package ensemble

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// inMemory carries out the effects on the server's state in memory. It reports false for other effects.
func (s *Server) inMemory(e *zab.Effect) bool {
	switch e.Kind {
	case zab.Load:
		s.applied = e.Message.Snapshot.Zxid
		s.app.Restore(e.Message.Snapshot)
	case zab.Reload:
		s.applied = s.Disk.Snapshot.Zxid
		s.app.Restore(s.Disk.Snapshot)
		s.applyLog(s.Disk.Last())
	case zab.CatchUp:
		s.applyLog(s.Disk.Last())
	case zab.Deliver:
		s.deliver(e.Entry)
		s.apply(e.Entry)
		s.shorten()
	case zab.Serve:
		s.confirm(e)
		s.app.Serve(s.cause)
	case zab.Stop:
		s.app.Stop(event.ConnNotServing, s.cause)
	default:
		return false
	}
	return true
}

// apply applies the next transaction to the state.
func (s *Server) apply(e zab.Entry) {
	s.applied = e.Zxid
	s.app.Apply(e, s.cause)
}

// applyLog applies the log entries that were not applied yet, committed or not.
func (s *Server) applyLog(to zab.Zxid) {
	for _, e := range s.Disk.After(s.applied) {
		if e.Zxid <= to {
			s.apply(e)
		}
	}
}

// deliver emits an event for a committed transaction that the server applies.
func (s *Server) deliver(e zab.Entry) {
	s.delivered = e.Zxid
	s.cause = s.emit(event.Event{Kind: event.TxnDelivered, Zxid: int64(e.Zxid), N: s.c.digest(e.Txn), Cause: s.cause})
	if e.Zxid > s.c.agreed {
		s.c.agreed = e.Zxid
		if s.c.cfg.Agreed != nil {
			s.cause = s.c.cfg.Agreed(e, s.cause)
		}
	}
}

// confirm handles the moment at which everything the server has applied turns out to be committed.
func (s *Server) confirm(e *zab.Effect) {
	if s.node.State() != zab.Leading {
		s.cause = s.emit(event.Event{Kind: event.ServerSynced, Code: int32(e.Epoch), Zxid: int64(e.Zxid), Cause: s.cause})
	}
	cause := s.cause
	s.delivered = max(s.delivered, s.Disk.Snapshot.Zxid)
	for _, x := range s.Disk.After(s.delivered) {
		if x.Zxid <= e.Zxid {
			s.cause = cause
			s.deliver(x)
		}
	}
	s.cause = cause
}

// digest returns a transaction's digest, cut to the 53 bits that every form of a log can keep.
func (c *Cluster) digest(x zab.Txn) int64 {
	if c.cfg.Emit == nil {
		return 0
	}
	return int64(x.Digest() & (1<<53 - 1))
}
