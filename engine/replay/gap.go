package replay

// Gap is transactions that are missing: those after one and before another, by their zxids.
type Gap struct {
	After  int64 // 0 if it isn't known what there was
	Before int64 // 0 if nothing is missing
	Known  bool  // what was there after them is known all the same
}

// Gap returns the last transactions that are missing before what the State tells.
func (s *State) Gap() Gap { return s.gap }

// Forget is that transactions are missing that come now: of what was there nobody knows whether it still is. The State
// tells what happens to it from now on, but not what it was.
func (s *State) Forget(gap Gap) {
	clear(s.nodes)
	clear(s.sessions)
	s.gap = gap
}

// Since is that transactions are missing before what a snapshot has told the State.
func (s *State) Since(gap Gap) { s.gap = gap }

// Sure reports whether all that is there at a path and below it is known.
func (s *State) Sure(path string) bool {
	if s.gap.Before == 0 || s.gap.Known {
		return true
	}
	n := s.nodes[path]
	return n != nil && n.Czxid >= s.gap.Before // nothing was below it then
}
