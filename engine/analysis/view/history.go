package view

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

const (
	minGap = 1024 // events between marks
	maxGap = 1 << 14
	nearby = 512 // events that are folded rather than copying a State

	// markBytes is the number of bytes of unpacked State that each event of the log may cost. Where that would put
	// marks further apart than maxGap, the limit is mostBytes. All marks together, packed, take at most maxMarkBytes.
	markBytes    = 24
	mostBytes    = 128
	maxMarkBytes = 96 << 20
)

// History is a growing log whose every moment can be viewed. It keeps States along the way (marks) and folds on
// from the nearest one. Its zero value is empty and ready to use.
type History struct {
	first  *State // before the first event; nil means New
	events shelf
	head   *State // after the last event
	marks  marks
	shown  *State // the last result of StateAtSeq
	index  historyIndex
}

// NewHistoryFor returns an empty History for a log with this header.
func NewHistoryFor(h event.Header) *History { return &History{first: NewFor(h)} }

// Append adds the next event. An event's number is its place in the History.
func (h *History) Append(e event.Event) {
	e.Seq = event.Seq(h.Len() + 1)
	h.events.append(e)
	h.index.add(&e)
	h.head = h.ready(h.head)
	h.head.Apply(e)
	h.marks.pass(h.head)
}

// AppendAll adds events.
func (h *History) AppendAll(events []event.Event) {
	for _, e := range events {
		h.Append(e)
	}
}

// ready returns s, or if s is nil the State before the first event.
func (h *History) ready(s *State) *State {
	switch {
	case s != nil:
		return s
	case h.first != nil:
		return h.first.Clone()
	}
	return New()
}

// Len returns the number of events.
func (h *History) Len() int { return h.events.len }

// Event returns the event at index i, from 0. Its sequence number is i+1.
func (h *History) Event(i int) event.Event { return *h.events.at(i) }

// Lookup finds an event by its sequence number.
func (h *History) Lookup(seq event.Seq) (event.Event, bool) {
	if seq < 1 || int(seq) > h.Len() {
		return event.Event{}, false
	}
	return h.Event(int(seq) - 1), true
}

// SeqAt returns the last event at or before t, 0 if there is none.
func (h *History) SeqAt(t time.Duration) event.Seq {
	return event.Seq(h.events.before(t))
}

// StateAtSeq returns the State after the event seq, or after the last event if there are fewer. The History owns it
// and overwrites it in the next call: don't change it, and Clone what you keep.
func (h *History) StateAtSeq(seq event.Seq) *State {
	seq = min(seq, event.Seq(h.Len()))
	h.shown = h.ready(h.shown)
	h.wind(h.shown, seq)
	return h.shown
}

// Releases returns all releases in the History, in order. The History owns the slice; don't change it.
func (h *History) Releases() []Release {
	if h.head == nil {
		return nil
	}
	return h.head.Wakeups.Releases
}

// wind moves s, which is some moment of the History, to the event seq in the fastest way.
func (h *History) wind(s *State, seq event.Seq) {
	h.near(s, seq)
	for s.Seq < seq {
		s.Apply(*h.events.at(int(s.Seq)))
	}
	s.Tree.Order()
}

// near moves s to a moment from which folding on to the event seq is short.
func (h *History) near(s *State, seq event.Seq) {
	m, marked := h.marks.before(seq)
	switch {
	case s.Seq <= seq && seq-s.Seq <= nearby:
	case h.head != nil && h.head.Seq == seq:
		s.copyFrom(h.head)
	case marked && (s.Seq > seq || s.Seq < m.rest.Seq):
		h.marks.recall(m, s, h.head)
	case s.Seq > seq:
		s.copyFrom(h.ready(nil))
	}
}

// Fork returns a History with the first n events of h, which continues separately. Both share their common events,
// and either can grow without affecting the other.
func (h *History) Fork(n event.Seq) *History {
	n = min(n, event.Seq(h.Len()))
	fork := &History{first: h.first, events: h.events.fork(int(n)), marks: h.marks.fork(n), index: h.index.fork(n)}
	fork.head = h.ready(nil)
	h.wind(fork.head, n)
	return fork
}
