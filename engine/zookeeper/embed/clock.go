package embed

import (
	"runtime"
	"time"
)

// portion is how many items the server handles before it releases its lock for a moment.
const portion = 200

// clock expires sessions and deletes containers and znodes with a TTL when they are due.
func (s *Server) clock() {
	var others []*conn
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-timer.C:
		}
		s.mu.Lock()
		more := s.core.TickSome(s.since(), portion)
		// A session that opens meanwhile lasts at least two ticks.
		pause := s.cfg.Tick
		if next, ok := s.core.NextTick(); ok {
			pause = min(pause, next-s.now)
		}
		others = s.take(others[:0])
		s.mu.Unlock()
		nudgeAll(others)
		if more {
			pause = 0
			runtime.Gosched()
		} else {
			pause = max(pause, time.Millisecond)
		}
		timer.Reset(pause)
	}
}
