package sim

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// stop takes the server down for d. What it committed stays; its connections and the watches on them go.
func (s *server) stop(d time.Duration, cause event.Seq) {
	upAt := s.w.now + d
	if s.down {
		s.upAt = max(s.upAt, upAt)
		s.w.agenda.add(upAt, action{step: stepUp})
		return
	}
	s.down, s.upAt = true, upAt
	cause = s.w.emit(event.Event{Kind: event.ServerStopped, Text: "the server is stopped", Cause: cause})
	for _, k := range s.conns {
		if k.atServer {
			s.hangUp(k, cause)
			s.w.agenda.add(k.down.arrival(s.w.now, k.client.flight()), action{step: stepHungUp, client: k.client, conn: k, cause: cause})
		}
	}
	s.w.agenda.add(upAt, action{step: stepUp})
}

// startAgain brings the server up. Every session starts with its whole timeout again.
func (s *server) startAgain() {
	if !s.down || s.w.now < s.upAt {
		return
	}
	s.down = false
	s.w.emit(event.Event{Kind: event.ServerStarted})
	for _, n := range s.sessions {
		if !n.over {
			s.touch(n)
		}
	}
}
