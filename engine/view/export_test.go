package view

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// StateAt is the State after the last event at or before t. See StateAtSeq.
func (h *History) StateAt(t time.Duration) *State { return h.StateAtSeq(h.SeqAt(t)) }

// KeepOpen is how many chunks of an empty History are unpacked at once, besides the last of it and of its forks.
func (h *History) KeepOpen(chunks int) { h.events.ready().most = chunks }

// Folds is how many events are folded to get from anywhere far away to the State after the event seq.
func (h *History) Folds(seq event.Seq) int {
	s := New()
	h.near(s, seq)
	return int(seq - s.Seq)
}
