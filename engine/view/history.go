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

// History is a growing log that can be looked at in any of its moments. It keeps States along the way (marks)
// and folds on from the nearest. Its zero value is empty and ready to use.
type History struct {
	first  *State          // before the first event; nil means New
	chunks [][]event.Event // of chunkLen events each, the last maybe fewer; shared with forks
	len    int
	head   *State // after the last event
	marks  []mark // never changed; shared with forks
	gap    int    // events between marks, at least
	shown  *State // what StateAtSeq returned last
	index  historyIndex
}

// NewHistoryFor is a History without events of a log with this header.
func NewHistoryFor(h event.Header) *History { return &History{first: NewFor(h)} }

// Append adds the next event. An event's number is its place in the History.
func (h *History) Append(e event.Event) {
	if h.len%chunkLen == 0 {
		h.chunks = append(h.chunks, make([]event.Event, 0, chunkLen))
	}
	h.len++
	e.Seq = event.Seq(h.len)
	last := &h.chunks[len(h.chunks)-1]
	*last = append(*last, e)
	h.head = h.ready(h.head)
	h.head.Apply(e)
	if h.len-h.lastMark() >= max(h.gap, gapFor(h.head)) {
		h.mark()
	}
}

// AppendAll adds events.
func (h *History) AppendAll(events []event.Event) {
	for _, e := range events {
		h.Append(e)
	}
}

// ready is s, or if it is nil the State before the first event.
func (h *History) ready(s *State) *State {
	switch {
	case s != nil:
		return s
	case h.first != nil:
		return h.first.Clone()
	}
	return New()
}

// gapFor keeps the marks of a large State far apart.
func gapFor(s *State) int {
	size := s.bytes()
	return max(min(max(size/markBytes, minGap), maxGap), size/mostBytes)
}

func (h *History) lastMark() int {
	if n := len(h.marks); n > 0 {
		return int(h.marks[n-1].rest.Seq)
	}
	return 0
}

// mark is a State without the releases that could not change any more: of these the head has as many.
type mark struct {
	rest     *State // Releases are those that could still change
	releases int    // how many were before them
}

// recall makes s the marked State.
func (h *History) recall(m mark, s *State) {
	s.copyFrom(m.rest)
	s.Releases = append(append(s.Releases[:0], h.head.Releases[:m.releases]...), m.rest.Releases...)
}

// mark keeps the head. When there are too many marks, every other one goes.
func (h *History) mark() {
	if len(h.marks) == maxMarks {
		half := make([]mark, 0, maxMarks)
		for i := 1; i < len(h.marks); i += 2 {
			half = append(half, h.marks[i])
		}
		h.marks = half
		h.gap = 2 * max(h.gap, minGap)
	}
	n := h.head.settled()
	h.head.Order()
	rest := *h.head
	rest.Releases = rest.Releases[n:]
	h.marks = append(h.marks, mark{rest: rest.Clone(), releases: n})
}

// Len is the number of events.
func (h *History) Len() int { return h.len }

// Event is the event at index i, from 0: the one with the sequence number i+1.
func (h *History) Event(i int) event.Event { return h.chunks[i/chunkLen][i%chunkLen] }

// Lookup finds an event by its sequence number.
func (h *History) Lookup(seq event.Seq) (event.Event, bool) {
	if seq < 1 || int(seq) > h.len {
		return event.Event{}, false
	}
	return h.Event(int(seq) - 1), true
}

// SeqAt is the last event at or before t, 0 if there is none.
func (h *History) SeqAt(t time.Duration) event.Seq {
	return event.Seq(sort.Search(h.len, func(i int) bool { return h.Event(i).At > t }))
}

// StateAtSeq is the State after the event seq, or after the last one if there are fewer. It belongs to the
// History and is overwritten by the next call: Clone what is to be kept, and change nothing in it.
func (h *History) StateAtSeq(seq event.Seq) *State {
	seq = min(seq, event.Seq(h.len))
	h.shown = h.ready(h.shown)
	h.wind(h.shown, seq)
	return h.shown
}

// wind brings s, which is some moment of the History, to the event seq in the fastest way.
func (h *History) wind(s *State, seq event.Seq) {
	i := sort.Search(len(h.marks), func(i int) bool { return h.marks[i].rest.Seq > seq })
	switch {
	case s.Seq <= seq && seq-s.Seq <= nearby:
	case h.head != nil && h.head.Seq == seq:
		s.copyFrom(h.head)
	case i > 0 && (s.Seq > seq || s.Seq < h.marks[i-1].rest.Seq):
		h.recall(h.marks[i-1], s)
	case s.Seq > seq:
		s.copyFrom(h.ready(nil))
	}
	for s.Seq < seq {
		s.Apply(h.Event(int(s.Seq)))
	}
	s.Order()
}

// Fork is a History with the first n events of h, which go on differently. Both share what they have in
// common, and either can grow without the other seeing it.
func (h *History) Fork(n event.Seq) *History {
	n = min(n, event.Seq(h.len))
	full, rest := int(n)/chunkLen, int(n)%chunkLen
	fork := &History{first: h.first, len: int(n), gap: h.gap}
	fork.chunks = append(fork.chunks, h.chunks[:full]...)
	if rest > 0 {
		fork.chunks = append(fork.chunks, append(make([]event.Event, 0, chunkLen), h.chunks[full][:rest]...))
	}
	i := sort.Search(len(h.marks), func(i int) bool { return h.marks[i].rest.Seq > n })
	fork.marks = append(fork.marks, h.marks[:i]...)
	fork.head = h.ready(nil)
	h.wind(fork.head, n)
	return fork
}
