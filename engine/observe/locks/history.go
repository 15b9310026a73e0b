package locks

import "slices"

// rate counts events by the second, for the last minute.
type rate struct {
	last int64 // second since 1970
	n    [60]uint16
}

// to forgets what is too old at a second.
func (r *rate) to(second int64) {
	if second <= r.last {
		return
	}
	for s := max(r.last+1, second-int64(len(r.n))+1); s <= second; s++ {
		r.n[s%int64(len(r.n))] = 0
	}
	r.last = second
}

func (r *rate) add(ms int64) {
	r.to(ms / 1000)
	if n := &r.n[r.last%int64(len(r.n))]; *n < 1<<16-1 {
		*n++
	}
}

// minute returns how often it happened in the last minute.
func (r *rate) minute(ms int64) (n int) {
	r.to(ms / 1000)
	for _, c := range r.n {
		n += int(c)
	}
	return n
}

// lengths keeps the length at the end of each of the last minutes.
type lengths struct {
	last int64 // minute since 1970, 0 before the first
	n    [growthMinutes + 1]int32
}

func (l *lengths) set(ms int64, n int) {
	minute := ms / 60_000
	if l.last == 0 {
		l.last = minute
		for i := range l.n {
			l.n[i] = int32(n)
		}
	}
	l.to(minute)
	l.n[l.last%int64(len(l.n))] = int32(n)
}

func (l *lengths) to(minute int64) {
	before := l.n[l.last%int64(len(l.n))]
	for m := max(l.last+1, minute-int64(len(l.n))+1); m <= minute; m++ {
		l.n[m%int64(len(l.n))] = before
	}
	l.last = max(l.last, minute)
}

// before returns the length growthMinutes ago.
func (l *lengths) before(ms int64) int {
	l.to(ms / 60_000)
	return int(l.n[(l.last+1)%int64(len(l.n))])
}

// spans keeps the last few durations of something, in ms.
type spans struct {
	ms []int64
}

const maxSpans = 15

func (s *spans) add(ms int64) {
	if len(s.ms) == maxSpans {
		s.ms = slices.Delete(s.ms, 0, 1)
	}
	s.ms = append(s.ms, max(ms, 0))
}

// usual returns the median; 0 if there are too few to tell.
func (s *spans) usual() int64 {
	if len(s.ms) < fewest {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s.ms))
	return max(sorted[len(sorted)/2], 1)
}
