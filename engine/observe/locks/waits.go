package locks

import (
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// flowMinutes is for how long a Flow counts.
const flowMinutes = growthMinutes

// waitBounds are the upper bounds of the buckets of Waits, in ms. The last bucket has none.
var waitBounds = [...]int64{10, 100, 1000, 10_000, 60_000, 600_000}

// Waits counts those that got in by how long they had waited, in buckets.
type Waits [len(waitBounds) + 1]uint32

// Bucket counts waits of less than UnderMS, and not less than the UnderMS of the one before. The last has no bound: 0.
type Bucket struct {
	UnderMS int64
	N       uint32
}

func (w *Waits) of(ms int64) *uint32 {
	i, _ := slices.BinarySearch(waitBounds[:], max(ms, 0)+1)
	return &w[i]
}

// Buckets returns all buckets; none if nobody has waited.
func (w *Waits) Buckets() (list []Bucket) {
	if *w == (Waits{}) {
		return nil
	}
	for i, n := range w {
		b := Bucket{N: n}
		if i < len(waitBounds) {
			b.UnderMS = waitBounds[i]
		}
		list = append(list, b)
	}
	return list
}

// Said says how many had waited for how long; nothing if nobody has.
func (w *Waits) Said() (s sentence.Sentence) {
	for _, b := range w.Buckets() {
		n := sentence.Number(b.N)
		one := sentence.Of("hands.waits.under", n, handover.Precisely(b.UnderMS))
		switch {
		case b.N == 0:
			continue
		case b.UnderMS == 0:
			one = sentence.Of("hands.waits.more", n, handover.Precisely(waitBounds[len(waitBounds)-1]))
		}
		if s.Key == "" {
			s = sentence.Of("hands.waits", sentence.Sentences(one))
		} else {
			s = sentence.Of("hands.waits.and", sentence.Sentences(s), sentence.Sentences(one))
		}
	}
	return s
}

// Flow counts those that came, got in and left the line without that, in the last SpanMS. All are 0 if what it
// counts has no line. Least means that there may be more, since not every change was seen.
type Flow struct {
	Came, Got, Quit int
	SpanMS          int64
	Least           bool
}

// Said says how many came, got in and left; nothing if nobody did.
func (f *Flow) Said() (s sentence.Sentence) {
	if f.Came+f.Got+f.Quit == 0 {
		return s
	}
	key := "hands.flow"
	if f.Least {
		key = "hands.flow.least"
	}
	return sentence.Of(key, handover.Precisely(f.SpanMS/1000*1000), sentence.Number(f.Came), sentence.Number(f.Got),
		sentence.Number(f.Quit))
}

// total counts something, and keeps the counts at the ends of the last minutes.
type total struct {
	n     int
	since lengths
}

func (c *total) add(ms int64) { c.more(ms, 1) }

func (c *total) more(ms int64, n int) {
	if n == 0 {
		return
	}
	if c.since.last == 0 {
		c.since.set(ms, 0)
	}
	c.n += n
	c.since.set(ms, c.n)
}

// lately returns how often it happened in the last flowMinutes.
func (c *total) lately(ms int64) int {
	if c.since.last == 0 {
		return 0
	}
	return max(c.n-c.since.before(ms), 0)
}

// flow counts what a Flow says.
type flow struct {
	came, got, quit total
	missedMS        int64 // when it last turned out that changes were missed; 0 if that never happened
}

// lines reports whether those that come stand in line, one after the other.
func (t *thing) lines() bool { return t.use.Line() && !t.alone }

// arrive counts those that came in a transaction.
func (t *thing) arrive(timeMS int64) {
	if t.lines() {
		t.flow.came.more(timeMS, t.arrived)
	}
	t.arrived = 0
}

// gotAfter counts one that got in.
func (t *thing) gotAfter(timeMS int64, h *handover.Hand) {
	if !t.lines() {
		return
	}
	t.flow.got.add(timeMS)
	if h.MadeMS != 0 {
		*t.took.of(timeMS - h.MadeMS)++
	}
}

// gotNever takes back that one got in.
func (t *thing) gotNever(h *handover.Hand) {
	if !t.lines() {
		return
	}
	t.flow.got.more(h.GotMS, -1)
	if n := t.took.of(h.GotMS - h.MadeMS); h.MadeMS != 0 && *n > 0 {
		*n--
	}
}

func (t *thing) flowed(nowMS int64) (f Flow) {
	if !t.lines() {
		return f
	}
	f.SpanMS = min(max(nowMS-t.beganMS, 0), flowMinutes*60_000)
	f.Came, f.Got, f.Quit = t.flow.came.lately(nowMS), t.flow.got.lately(nowMS), t.flow.quit.lately(nowMS)
	f.Least = t.flow.missedMS != 0 && nowMS-t.flow.missedMS <= f.SpanMS
	return f
}

// missed records that changes of a znode or of its children weren't seen.
func (l *Locks) missed(path string, timeMS int64) {
	for _, t := range l.concerned(path) {
		t.flow.missedMS = timeMS
	}
}
