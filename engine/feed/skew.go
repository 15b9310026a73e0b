package feed

import "time"

// skew tells when a transaction happened, by this program's clock. While all comes as it happens, that is when it
// comes; what was missed meanwhile has its time by the leader's clock, which may go wrong.
type skew struct {
	behind time.Duration // our clock less the leader's, at the least of what came as it happened
	known  bool
	isLive bool
	last   time.Duration // nothing is before it any more
}

func (s *skew) catchUp() { s.isLive = false }
func (s *skew) live()    { s.isLive = true }

// past is that something has been told that happened now.
func (s *skew) past(now time.Duration) { s.last = max(s.last, now) }

// at is when a transaction happened that comes now and has that time by the leader's clock.
func (s *skew) at(now, leaders time.Duration) time.Duration {
	at := now
	switch {
	case s.isLive:
		if behind := now - leaders; !s.known || behind < s.behind {
			s.behind, s.known = behind, true
		}
	case s.known:
		at = min(now, leaders+s.behind)
	}
	s.last = max(s.last, at)
	return s.last
}
