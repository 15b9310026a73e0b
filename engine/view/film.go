package view

import (
	"sort"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

const (
	chunkLen = 1024 // events
	maxMarks = 128
	minGap   = 1024 // events between marks
	maxGap   = 1 << 14
	nearby   = 512 // events that are folded rather than copying a State

	// markBytes is the memory for marks that each event of the log may cost, unless that puts them
	// further apart than maxGap; and then it is mostBytes.
	markBytes = 24
	mostBytes = 128
)

// Film is a growing log that can be looked at in any of its moments. It keeps States along the way (marks)
// and folds on from the nearest. Its zero value is empty and ready to use.
type Film struct {
	first  *State          // before the first event; nil means New
	chunks [][]event.Event // of chunkLen events each, the last maybe fewer; shared with forks
	len    int
	head   *State // after the last event
	marks  []mark // never changed; shared with forks
	gap    int    // events between marks, at least
	shown  *State // what StateAt returned last
	index  filmIndex
}

// NewFilm is a Film without events.
func NewFilm() *Film { return &Film{} }

// NewFilmFor is a Film without events of a log with this header.
func NewFilmFor(h event.Header) *Film { return &Film{first: NewFor(h)} }

// Append adds the next event. An event's number is its place in the Film.
func (f *Film) Append(e event.Event) {
	f.push(e)
	f.head = f.ready(f.head)
	e.Seq = event.Seq(f.len)
	f.head.Apply(e)
	if f.len-f.lastMark() >= max(f.gap, gapFor(f.head)) {
		f.mark()
	}
}

// AppendAll adds events.
func (f *Film) AppendAll(events []event.Event) {
	for _, e := range events {
		f.Append(e)
	}
}

func (f *Film) push(e event.Event) {
	if f.len%chunkLen == 0 {
		f.chunks = append(f.chunks, make([]event.Event, 0, chunkLen))
	}
	f.len++
	e.Seq = event.Seq(f.len)
	last := &f.chunks[len(f.chunks)-1]
	*last = append(*last, e)
}

// ready is s, or if it is nil the State before the first event.
func (f *Film) ready(s *State) *State {
	switch {
	case s != nil:
		return s
	case f.first != nil:
		return f.first.Clone()
	}
	return New()
}

// gapFor keeps the marks of a large State far apart.
func gapFor(s *State) int {
	size := s.bytes()
	return max(min(max(size/markBytes, minGap), maxGap), size/mostBytes)
}

func (f *Film) lastMark() int {
	if n := len(f.marks); n > 0 {
		return int(f.marks[n-1].rest.Seq)
	}
	return 0
}

// mark is a State without the releases that could not change any more: of these the head has as many.
type mark struct {
	rest  *State // Hands are those that could still change
	hands int    // how many were before them
}

// recall makes s the marked State.
func (f *Film) recall(m mark, s *State) {
	s.copyFrom(m.rest)
	s.Hands = append(append(s.Hands[:0], f.head.Hands[:m.hands]...), m.rest.Hands...)
}

// mark keeps the head. When there are too many marks, every other one goes.
func (f *Film) mark() {
	if len(f.marks) == maxMarks {
		half := make([]mark, 0, maxMarks)
		for i := 1; i < len(f.marks); i += 2 {
			half = append(half, f.marks[i])
		}
		f.marks = half
		f.gap = 2 * max(f.gap, minGap)
	}
	n := f.head.settled()
	f.head.Order()
	rest := *f.head
	rest.Hands = rest.Hands[n:]
	f.marks = append(f.marks, mark{rest: rest.Clone(), hands: n})
}

// Len is the number of events.
func (f *Film) Len() int { return f.len }

// Event is the event at index i, from 0: the one with the sequence number i+1.
func (f *Film) Event(i int) event.Event { return f.chunks[i/chunkLen][i%chunkLen] }

// Lookup finds an event by its sequence number.
func (f *Film) Lookup(seq event.Seq) (event.Event, bool) {
	if seq < 1 || int(seq) > f.len {
		return event.Event{}, false
	}
	return f.Event(int(seq) - 1), true
}

// SeqAt is the last event at or before t, 0 if there is none.
func (f *Film) SeqAt(t time.Duration) event.Seq {
	return event.Seq(sort.Search(f.len, func(i int) bool { return f.Event(i).At > t }))
}

// StateAt is the State after the last event at or before t. See StateAtSeq.
func (f *Film) StateAt(t time.Duration) *State { return f.StateAtSeq(f.SeqAt(t)) }

// StateAtSeq is the State after the event seq, or after the last one if there are fewer. It belongs to the
// Film and is overwritten by the next call: Clone what is to be kept, and change nothing in it.
func (f *Film) StateAtSeq(seq event.Seq) *State {
	seq = min(seq, event.Seq(f.len))
	f.shown = f.ready(f.shown)
	f.wind(f.shown, seq)
	return f.shown
}

// wind brings s, which is some moment of the Film, to the event seq in the fastest way.
func (f *Film) wind(s *State, seq event.Seq) {
	i := sort.Search(len(f.marks), func(i int) bool { return f.marks[i].rest.Seq > seq })
	switch {
	case s.Seq <= seq && seq-s.Seq <= nearby:
	case f.head != nil && f.head.Seq == seq:
		s.copyFrom(f.head)
	case i > 0 && (s.Seq > seq || s.Seq < f.marks[i-1].rest.Seq):
		f.recall(f.marks[i-1], s)
	case s.Seq > seq:
		s.copyFrom(f.ready(nil))
	}
	for s.Seq < seq {
		s.Apply(f.Event(int(s.Seq)))
	}
	s.Order()
}

// Fork is a Film with the first n events of f, which go on differently. Both share what they have in
// common, and either can grow without the other seeing it.
func (f *Film) Fork(n event.Seq) *Film {
	n = min(n, event.Seq(f.len))
	full, rest := int(n)/chunkLen, int(n)%chunkLen
	fork := &Film{first: f.first, len: int(n), gap: f.gap}
	fork.chunks = append(fork.chunks, f.chunks[:full]...)
	if rest > 0 {
		fork.chunks = append(fork.chunks, append(make([]event.Event, 0, chunkLen), f.chunks[full][:rest]...))
	}
	i := sort.Search(len(f.marks), func(i int) bool { return f.marks[i].rest.Seq > n })
	fork.marks = append(fork.marks, f.marks[:i]...)
	fork.head = f.ready(nil)
	f.wind(fork.head, n)
	return fork
}
