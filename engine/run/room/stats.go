package room

import "sync/atomic"

// Stats holds figures of all runs at one moment. Totals count from the start.
type Stats struct {
	Rooms    int    // kept rooms
	Bytes    int    // bytes of their logs
	Viewers  int    // seated viewers
	Sessions int    // open sessions on the cluster
	Events   uint64 // sent to viewers, in total
	Refused  uint64 // refused requests of viewers, in total
}

// totals holds counts that only grow.
type totals struct{ events, refused atomic.Uint64 }

// Stats returns the current figures.
func (s *Runs) Stats() Stats {
	st := Stats{Events: s.rooms.totals.events.Load(), Refused: s.rooms.totals.refused.Load()}
	s.rooms.mu.Lock()
	st.Rooms, st.Bytes = len(s.rooms.byID), s.rooms.accounting.total
	s.rooms.mu.Unlock()
	st.Viewers = s.connections.Count()
	if s.cluster != nil {
		st.Sessions = s.cluster.Sessions()
	}
	return st
}
