package replay

// Gap names missing transactions: those between two zxids.
type Gap struct {
	After  int64 // 0 if it is unknown what came before
	Before int64 // 0 if nothing is missing
	Known  bool  // the state after them is known all the same
}

// Gap returns the last gap before the State's transactions.
func (s *State) Gap() Gap { return s.gap }

// Forget records a gap before the next transaction. Nobody knows whether what existed before still exists. The
// State reports changes from now on, but not what was there.
func (s *State) Forget(gap Gap) {
	clear(s.nodes)
	clear(s.sessions)
	s.gap = gap
}

// Since records a gap before the state that a snapshot has set.
func (s *State) Since(gap Gap) { s.gap = gap }

// Sure reports whether everything at a path and below it is known.
func (s *State) Sure(path string) bool {
	if s.gap.Before == 0 || s.gap.Known {
		return true
	}
	n := s.nodes[path]
	return n != nil && n.Czxid >= s.gap.Before // nothing was below it then
}
