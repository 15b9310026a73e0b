package player

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Head is the playhead: where it is, and whether it moves.
type Head struct {
	at      time.Duration // the time shown
	seq     event.Seq     // the last event that has happened; never later than at
	stood   time.Duration // where it last stood still
	wanted  time.Duration // the time that it was to go to, which may be after the end; 0 for none
	playing bool
	follow  bool   // stay at the live edge
	moves   uint64 // how often seq has changed
}

// At returns the time shown.
func (h *Head) At() time.Duration { return h.at }

// Seq returns the last event that has happened, 0 before the first.
func (h *Head) Seq() event.Seq { return h.seq }

// Stood returns the time at which the playhead last stood still, for scene.Options.Stood.
func (h *Head) Stood() time.Duration { return h.stood }

// Playing reports whether time passes.
func (h *Head) Playing() bool { return h.playing }

// before reports whether the playhead is before a place.
func (h *Head) before(at time.Duration, seq event.Seq) bool {
	return at > h.at || at == h.at && seq > h.seq
}

// move moves the playhead.
func (h *Head) move(at time.Duration, seq event.Seq) {
	h.at = at
	if seq != h.seq {
		h.seq = seq
		h.moves++
	}
}

// stop moves the playhead and pauses.
func (h *Head) stop(at time.Duration, seq event.Seq) {
	h.move(at, seq)
	h.playing, h.follow, h.stood, h.wanted = false, false, at, 0
}
