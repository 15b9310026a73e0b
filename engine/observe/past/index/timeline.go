package index

import (
	"math"

	"github.com/zkviz/zkviz/engine/event"
)

// Counts says how much happened in a period.
type Counts struct {
	Txns                    int64
	Created, Set, Deleted   int64 // znodes
	Opened, Closed, Expired int64 // sessions
	Failed                  int64 // writes that failed
}

// Add adds the counts of another period.
func (c *Counts) Add(d *Counts) {
	c.Txns += d.Txns
	c.Created, c.Set, c.Deleted = c.Created+d.Created, c.Set+d.Set, c.Deleted+d.Deleted
	c.Opened, c.Closed, c.Expired = c.Opened+d.Opened, c.Closed+d.Closed, c.Expired+d.Expired
	c.Failed += d.Failed
}

// Of returns how many facts of a kind there were.
func (c *Counts) Of(kind event.Kind) int64 {
	switch kind {
	case event.ZnodeCreated:
		return c.Created
	case event.ZnodeChanged:
		return c.Set
	case event.ZnodeDeleted:
		return c.Deleted
	case event.SessionCreated:
		return c.Opened
	case event.SessionClosed:
		return c.Closed
	case event.SessionExpired:
		return c.Expired
	case event.TxnApplied:
		return c.Failed
	}
	return 0
}

// maxBuckets is the maximum number of buckets. When there are more, each becomes twice as long.
const maxBuckets = 1 << 12

// latest is the last plausible time, in ms. A later time, or one before 1970, counts as the nearest plausible one.
const latest = 1 << 42

// timeline counts by time.
type timeline struct {
	width   int64 // of a bucket, in ms
	first   int64 // the number of the first bucket: its time divided by the width
	buckets []Counts
}

func newTimeline() timeline { return timeline{width: 1000} }

func (l *timeline) add(ms int64, c *Counts) {
	if len(l.buckets) == 0 {
		l.first = ms / l.width
		l.buckets = append(l.buckets, Counts{})
	}
	for {
		last := max(l.first+int64(len(l.buckets))-1, ms/l.width)
		if last-min(l.first, ms/l.width) < maxBuckets {
			break
		}
		l.widen()
	}
	n := ms / l.width
	if n < l.first {
		l.buckets = append(make([]Counts, l.first-n), l.buckets...)
		l.first = n
	}
	for n >= l.first+int64(len(l.buckets)) {
		l.buckets = append(l.buckets, Counts{})
	}
	l.buckets[n-l.first].Add(c)
}

// widen makes each bucket twice as long.
func (l *timeline) widen() {
	first := l.first / 2
	half := make([]Counts, (l.first+int64(len(l.buckets))-1)/2-first+1)
	for i := range l.buckets {
		half[(l.first+int64(i))/2-first].Add(&l.buckets[i])
	}
	l.width, l.first, l.buckets = l.width*2, first, half
}

// Span returns the period of the transactions, in ms since 1970; until is exclusive. Both are 0 if there are none.
func (x *Index) Span() (from, until int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	from = math.MaxInt64
	for i := range x.chunks {
		from, until = min(from, x.chunks[i].minMS), max(until, x.chunks[i].maxMS+1)
	}
	if len(x.chunks) == 0 {
		return 0, 0
	}
	return from, until
}

// Columns returns the counts of n periods of equal length between two times. They are exact to within a bucket. It
// reports false if the periods are shorter than that: use Tally then.
func (x *Index) Columns(from, until int64, n int) (columns []Counts, fine bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	l := &x.times
	if n < 1 || until <= from || (until-from)/int64(n) < l.width {
		return nil, false
	}
	columns = make([]Counts, n)
	for i := range l.buckets {
		ms := max((l.first+int64(i))*l.width, from)
		if end := (l.first + int64(i) + 1) * l.width; ms < until && end > from {
			columns[column(ms, from, until, n)].Add(&l.buckets[i])
		}
	}
	return columns, true
}

// column returns which of n columns between two times contains ms.
func column(ms, from, until int64, n int) int {
	return min(int(float64(ms-from)/float64(until-from)*float64(n)), n-1)
}
