package view

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// StateAt returns the State after the last event at or before t. See StateAtSeq.
func (h *History) StateAt(t time.Duration) *State { return h.StateAtSeq(h.SeqAt(t)) }

// KeepOpen sets how many chunks of an empty History stay unpacked, not counting the last of it and of its forks.
func (h *History) KeepOpen(chunks int) { h.events.ready().most = chunks }

// Folds returns how many events are folded to get from far away to the State after the event seq.
func (h *History) Folds(seq event.Seq) int {
	s := New()
	h.near(s, seq)
	return int(seq - s.Seq)
}
