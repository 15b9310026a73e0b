package server

import (
	"math"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Tick does the work that is due: it expires silent sessions and deletes containers and znodes with a TTL. The host
// calls it at NextTick or soon after. A later call only delays the work.
func (s *Server) Tick(now time.Duration) {
	for s.TickSome(now, math.MaxInt) {
	}
}

// TickSome does the same as Tick for a host that interleaves other work. It ends sessions and deletes znodes, up to
// most in all, or more if the last session owns several. It reports whether work is left.
func (s *Server) TickSome(now time.Duration, most int) (more bool) {
	s.now = now
	for ; ; most-- {
		at, id, ok := s.sessions.expiry.First()
		if !ok || at > now {
			break
		}
		if most <= 0 {
			return true
		}
		s.sessions.expiry.Next()
		n := s.sessions.all[id]
		switch {
		case n == nil || n.check != at || n.ending: // the session is over, or its check is at another time
		case n.deadline > now:
			s.sessions.scheduleCheck(n)
		case s.Member.ensemble != nil:
			s.Member.proposeEnd(n, s.silenced(n.actor))
		default:
			most -= s.tree.Owned(n.id)
			s.expire(n, s.silenced(n.actor))
		}
	}
	if len(s.containers.due) == 0 && s.tree.Mortals() > 0 && s.containers.next <= now {
		s.containers.due = s.tree.Due(s.nowMS())
		s.containers.plan(s.now)
	}
	s.sweep(most)
	return len(s.containers.due) > 0
}

// NextTick returns when Tick may have work, and false if it has nothing to wait for. Only a handshake, a request or
// Renew makes it earlier.
func (s *Server) NextTick() (time.Duration, bool) {
	at, _, ok := s.sessions.expiry.First()
	if s.tree.Mortals() > 0 && (!ok || s.containers.next < at) {
		return s.containers.next, true
	}
	return at, ok
}

// Renew gives every session its full timeout again, as after an outage.
func (s *Server) Renew(now time.Duration) {
	s.now = now
	for _, n := range s.sessions.all {
		s.sessions.touch(n, s.now)
	}
}

func (s *Server) silenced(a event.Actor) event.Seq {
	if s.cfg.Silenced == nil {
		return 0
	}
	return s.cfg.Silenced(a)
}

// sweep deletes up to most of the due containers and znodes with a TTL, each in its own transaction.
func (s *Server) sweep(most int) {
	for ; len(s.containers.due) > 0 && most > 0; most-- {
		x := s.containers.due[0]
		if s.containers.due = s.containers.due[1:]; len(s.containers.due) == 0 {
			s.containers.due = nil
		}
		x.TimeMS = s.nowMS()
		switch {
		case !s.tree.IsDue(x, x.TimeMS):
		case s.Member.ensemble != nil:
			s.Member.ensemble.Propose(&Proposal{txn: x, op: event.Delete, reason: event.ByTimer}, 0)
		default:
			s.commit(&x, 0, event.Delete, event.ByTimer, 0)
		}
	}
}
