package record

// Stats are figures of a folder at one moment. Totals are since it was opened.
type Stats struct {
	Segments, Live int    // that there are, and of these that are being written
	Bytes, Max     int64  // that they take, and may take
	Failing        int    // recordings that are not written now
	Events         uint64 // that were written, in total,
	Written        uint64 // and their bytes
	Lost           uint64 // events that were observed and not written, in total: the disk was full or too slow
	Cut            uint64 // how often a recording ended for that, or could not begin, in total
	Removed        uint64 // segments that have gone to make room, in total
}

// Stats counts.
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
