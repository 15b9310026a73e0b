package embed

import (
	"runtime"
	"time"
)

// portion is how many of a great number of things are dealt with at a time: the lock is let go in between.
const portion = 200

// clock has the server do what is due: sessions expire, containers and znodes with a TTL go.
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
		// A session that is opened meanwhile lasts two ticks at least.
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
