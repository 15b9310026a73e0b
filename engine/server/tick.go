package server

import (
	"math"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Tick carries out what is due by now: sessions that have been silent for too long expire, containers and
// znodes with a TTL go. The host calls it at NextTick or soon after; later only means later.
func (s *Server) Tick(now time.Duration) {
	for s.TickSome(now, math.MaxInt) {
	}
}

// TickSome is Tick for a host that lets others in between: it ends sessions and deletes znodes, so many together, or
// more if it ends with a session that owns them, and reports whether it has left any.
func (s *Server) TickSome(now time.Duration, most int) (more bool) {
	s.now = now
	for ; ; most-- {
		at, id, ok := s.expiry.First()
		if !ok || at > now {
			break
		}
		if most <= 0 {
			return true
		}
		s.expiry.Next()
		n := s.sessions[id]
		switch {
		case n == nil || n.look != at || n.ending: // it is over, or looked at at another time
		case n.deadline > now:
			s.lookAt(n)
		case s.cfg.Ensemble != nil:
			s.proposeEnd(n, s.silenced(n.actor))
		default:
			most -= s.tree.Owned(n.id)
			s.expire(n, s.silenced(n.actor))
		}
	}
	if len(s.due) == 0 && s.tree.Mortals() > 0 && s.looks <= now {
		s.due = s.tree.Due(s.nowMS())
		s.planSweep()
	}
	s.sweep(most)
	return len(s.due) > 0
}

// NextTick is when there may be something to do for Tick, and whether there is anything to wait for. It becomes
// earlier only by a handshake, a request or Renew.
func (s *Server) NextTick() (time.Duration, bool) {
	at, _, ok := s.expiry.First()
	if s.tree.Mortals() > 0 && (!ok || s.looks < at) {
		return s.looks, true
	}
	return at, ok
}

// Renew gives every session its full timeout again, as a server does that was down.
func (s *Server) Renew(now time.Duration) {
	s.now = now
	for _, n := range s.sessions {
		s.touch(n)
	}
}

func (s *Server) silenced(a event.Actor) event.Seq {
	if s.cfg.Silenced == nil {
		return 0
	}
	return s.cfg.Silenced(a)
}

// planSweep puts the next look at containers and TTLs at the next multiple of their interval.
func (s *Server) planSweep() {
	s.looks = (s.now/s.cfg.ContainerCheck + 1) * s.cfg.ContainerCheck
}

// sweep removes so many of the containers and znodes with a TTL that are due, each in a transaction of its own.
func (s *Server) sweep(most int) {
	for ; len(s.due) > 0 && most > 0; most-- {
		x := s.due[0]
		if s.due = s.due[1:]; len(s.due) == 0 {
			s.due = nil
		}
		x.TimeMS = s.nowMS()
		switch {
		case !s.tree.IsDue(x, x.TimeMS):
		case s.cfg.Ensemble != nil:
			s.cfg.Ensemble.Propose(&Proposal{txn: x, op: event.Delete, reason: event.ByTimer}, 0)
		default:
			s.commit(&x, 0, event.Delete, event.ByTimer, 0)
		}
	}
}
