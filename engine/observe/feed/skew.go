package feed

import "time"

// skew dates transactions on this program's clock. A live transaction has its time of arrival. A missed one has its
// time on the leader's clock, corrected by the difference of the clocks.
type skew struct {
	behind time.Duration // our clock minus the leader's: the minimum over live transactions
	known  bool
	isLive bool
	last   time.Duration // no later event may be before it
}

func (s *skew) catchUp() { s.isLive = false }
func (s *skew) live()    { s.isLive = true }

// past records that an event with the time now was reported.
func (s *skew) past(now time.Duration) { s.last = max(s.last, now) }

// at returns the time of a transaction that arrives now. leaders is its time on the leader's clock.
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
