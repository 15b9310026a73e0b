package view

import "time"

// StateAt is the State after the last event at or before t. See StateAtSeq.
func (h *History) StateAt(t time.Duration) *State { return h.StateAtSeq(h.SeqAt(t)) }
