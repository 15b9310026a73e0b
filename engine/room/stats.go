package room

import "sync/atomic"

// Stats are figures of all runs at one moment. Totals are since the start.
type Stats struct {
	Rooms    int    // that are kept
	Bytes    int    // that their logs take
	Viewers  int    // that are seated
	Sessions int    // that are open on the cluster
	Events   uint64 // sent to viewers, in total
	Refused  uint64 // requests of viewers, in total
}

// totals only grow.
type totals struct{ events, refused atomic.Uint64 }

// Stats counts.
func (s *Runs) Stats() Stats {
	st := Stats{Events: s.rooms.totals.events.Load(), Refused: s.rooms.totals.refused.Load()}
	s.rooms.mu.Lock()
	st.Rooms, st.Bytes = len(s.rooms.byID), s.rooms.logs.total
	s.rooms.mu.Unlock()
	s.seats.mu.Lock()
	st.Viewers = len(s.seats.taken)
	s.seats.mu.Unlock()
	if s.cluster != nil {
		st.Sessions = s.cluster.Sessions()
	}
	return st
}
