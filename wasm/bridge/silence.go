package bridge

import "time"

// silence counts how long the other end has said nothing, in beats. A beat that comes late doesn't count: the machine
// slept, or the browser let a hidden page's timers wait, and the other end may have had no time either.
type silence struct {
	every  time.Duration // from one beat to the next
	then   time.Duration // when the last beat was
	long   time.Duration
	broken bool // since the last beat
}

// end ends the silence: something was said, or a request begins to wait.
func (s *silence) end() { s.broken, s.long = true, 0 }

// beat returns how long the silence has lasted.
func (s *silence) beat(now time.Duration) time.Duration {
	if !s.broken && now-s.then < 2*s.every {
		s.long += s.every
	}
	s.then, s.broken = now, false
	return s.long
}
