package model

import (
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// find returns the item of a key, or nil. The command that finds an expired item removes it, but a replica only hides
// it.
func (s *Server) find(key string) *item {
	i := s.keys.items[key]
	if i == nil || !s.moment.expired(i) || s.replication.replaying {
		return i
	}
	if !s.replication.replica {
		s.expire(key, i)
	}
	return nil
}

// expire removes an expired key, at the replicas too.
func (s *Server) expire(key string, i *item) {
	s.keys.drop(key, i)
	s.emit(event.Event{Kind: event.EntryGone, Path: key, Reason: event.ByTimer})
	by := s.moment.by
	s.moment.by = 0
	s.replication.propagate(key, "DEL", key)
	s.moment.by = by
}

// put sets a key.
func (s *Server) put(key string, i *item) {
	s.keys.put(key, i)
	if i.ends != 0 {
		s.planCycle(s.moment.given())
	}
}

// emitValue emits the new value of a key.
func (s *Server) emitValue(key string, i *item) {
	s.emit(event.Event{Kind: event.EntrySet, Peer: i.owner, Path: key, Text: i.text(), N: nanos(i.ends)})
}

func nanos(ms int64) int64 { return ms * int64(time.Millisecond) }

// remove deletes a key on request. If a primary requests it for no client, the key had expired there.
func (s *Server) remove(key string, i *item) {
	why := event.ByOp
	if s.replication.replaying && s.moment.by == 0 {
		why = event.ByTimer
	}
	s.keys.drop(key, i)
	s.emit(event.Event{Kind: event.EntryGone, Peer: s.moment.by, Path: key, Reason: why})
	s.replication.propagate(key, "DEL", key)
}

// endAt makes a key expire at a time, or never for 0.
func (s *Server) endAt(key string, i *item, ends int64) {
	s.keys.endAt(key, i, ends)
	if ends != 0 {
		s.planCycle(s.moment.given())
	}
	s.emit(event.Event{Kind: event.EntryExpires, Peer: s.moment.by, Path: key, N: nanos(ends)})
	switch {
	case ends == 0:
		s.replication.propagate(key, "PERSIST", key)
	case s.replication.send == nil:
		s.replication.propagate(key)
	default:
		s.replication.propagate(key, "PEXPIREAT", key, strconv.FormatInt(ends, 10))
	}
}

// The active expiry cycle runs ten times a second, and samples some of the keys that expire, one after the other: more
// of them at once if more than a tenth had expired. A real Redis limits it by time, this node by rounds.
const (
	cycleEvery  = 100 * time.Millisecond
	cycleLooks  = 20
	cycleStale  = 10 // percent
	cycleRounds = 500
)

func (s *Server) planCycle(now time.Duration) {
	if s.cycle == 0 && len(s.keys.volatile) > 0 && !s.replication.replica {
		s.cycle = (now/cycleEvery + 1) * cycleEvery
	}
}

func (s *Server) expireSome() {
	for range cycleRounds {
		looks, past := min(cycleLooks, len(s.keys.volatile)), 0
		for range looks {
			if s.keys.cursor >= len(s.keys.volatile) {
				s.keys.cursor = 0
			}
			key := s.keys.volatile[s.keys.cursor]
			if i := s.keys.items[key]; s.moment.expired(i) {
				past++
				s.expire(key, i) // another key takes its place
				continue
			}
			s.keys.cursor++
		}
		if past*100 <= looks*cycleStale {
			return
		}
	}
}
