package ensemble

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// memory holds the state that a server's process keeps in memory.
type memory struct {
	log     *eventLog
	app     App
	applied zab.Zxid // the last transaction in app
}

// inMemory carries out the effects on the server's state in memory. It reports false for other effects.
func (s *Server) inMemory(e *zab.Effect) bool {
	switch e.Kind {
	case zab.Load:
		s.memory.applied = e.Message.Snapshot.Zxid
		s.memory.app.Restore(e.Message.Snapshot)
	case zab.Reload:
		s.memory.applied = s.Disk.Snapshot.Zxid
		s.memory.app.Restore(s.Disk.Snapshot)
		s.memory.applyLog(&s.Disk)
	case zab.CatchUp:
		s.memory.applyLog(&s.Disk)
	case zab.Deliver:
		s.deliver(e.Entry)
		s.memory.apply(e.Entry)
		s.shorten()
	case zab.Serve:
		s.confirm(e)
		s.memory.app.Serve(s.log.cause)
	case zab.Stop:
		s.memory.app.Stop(event.ConnNotServing, s.log.cause)
	default:
		return false
	}
	return true
}

// apply applies the next transaction to the state.
func (m *memory) apply(e zab.Entry) {
	m.applied = e.Zxid
	m.app.Apply(e, m.log.cause)
}

// applyLog applies the log entries that were not applied yet, committed or not.
func (m *memory) applyLog(d *zab.Disk) {
	last := d.Last()
	for _, e := range d.After(m.applied) {
		if e.Zxid <= last {
			m.apply(e)
		}
	}
}

// deliver emits an event for a committed transaction that the server applies.
func (s *Server) deliver(e zab.Entry) {
	s.delivered = e.Zxid
	s.log.follow(event.Event{Kind: event.TxnDelivered, Zxid: int64(e.Zxid), N: s.c.digest(e.Txn)})
	if e.Zxid > s.c.agreed {
		s.c.agreed = e.Zxid
		if s.c.cfg.Agreed != nil {
			s.log.cause = s.c.cfg.Agreed(e, s.log.cause)
		}
	}
}

// snapshot fills in a snapshot of the state, up to its transaction.
func (s *Server) snapshot(to *zab.Snapshot) {
	to.State = s.memory.app.Snapshot()
	for _, e := range slices.Concat(s.Disk.Snapshot.Open, s.Disk.After(s.Disk.Snapshot.Zxid)) {
		if e.Zxid > s.c.agreed && e.Zxid <= to.Zxid {
			to.Open = append(to.Open, e)
		}
	}
}

// confirm handles the moment at which everything the server has applied turns out to be committed. What came to it in a
// snapshot may be news to all: the server that took it may have died before.
func (s *Server) confirm(e *zab.Effect) {
	if s.node.State() != zab.Leading {
		s.log.follow(event.Event{Kind: event.ServerSynced, Code: int32(e.Epoch), Zxid: int64(e.Zxid)})
	}
	cause := s.log.cause
	for _, x := range s.Disk.Snapshot.Open {
		if x.Zxid > s.c.agreed {
			s.log.cause = cause
			s.deliver(x)
		}
	}
	s.delivered = max(s.delivered, s.Disk.Snapshot.Zxid)
	for _, x := range s.Disk.After(s.delivered) {
		if x.Zxid <= e.Zxid {
			s.log.cause = cause
			s.deliver(x)
		}
	}
	s.log.cause = cause
}

// digest returns a transaction's digest, cut to the 53 bits that every form of a log can keep.
func (c *Cluster) digest(x zab.Txn) int64 {
	if c.cfg.Emit == nil {
		return 0
	}
	return int64(x.Digest() & (1<<53 - 1))
}
