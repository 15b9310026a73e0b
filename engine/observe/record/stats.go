package record

// Stats holds figures of a folder at one moment. Totals count from its opening.
type Stats struct {
	Segments, Live int    // existing segments, and how many are being written
	Bytes, Max     int64  // current and maximum size
	Failing        int    // recordings that are not being written now
	Events         uint64 // total written
	Written        uint64 // total bytes written
	Lost           uint64 // total observed but not written: the disk was full or too slow
	Cut            uint64 // how often a recording ended for that reason or could not begin, in total
	Removed        uint64 // segments deleted to make room, in total
}

// Stats returns the current figures.
func (f *Folder) Stats() Stats {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.totals
	s.Segments, s.Bytes, s.Max, s.Failing = len(f.segments), f.total, f.cfg.Max, len(f.troubles)
	for _, r := range f.segments {
		if r.Live {
			s.Live++
		}
	}
	return s
}

// lose counts events that are not written.
func (f *Folder) lose(events int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.totals.Lost += uint64(events)
}
