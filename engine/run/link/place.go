package link

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Place is a moment of a run.
type Place struct {
	Set bool          // there is one
	At  time.Duration // the time, and
	Seq event.Seq     // the last event that has happened, 0 if the time decides
	Sum string        // result of Sum for Seq, or ""
}

// Query writes the place in the form that Take reads.
func (p Place) Query() string {
	q := "at=" + url.QueryEscape(p.At.String())
	if p.Seq > 0 {
		q += "&event=" + strconv.FormatUint(uint64(p.Seq), 10)
	}
	if p.Sum != "" {
		q += "&sum=" + p.Sum
	}
	return q
}

// Sum returns a hash of the events up to upTo, which determine the state. It omits the lines of the recipe's source, so
// that a changed comment makes no difference. It is "" if an event is missing.
func Sum(lookup func(event.Seq) (event.Event, bool), upTo event.Seq) string {
	h := Hash{UpTo: upTo}
	for seq := event.Seq(1); seq <= upTo; seq++ {
		e, ok := lookup(seq)
		if !ok {
			return ""
		}
		h.Append(e)
	}
	return h.Sum()
}

// Hash is a Sink that computes the Sum of a log up to an event without keeping the log.
type Hash struct {
	UpTo event.Seq

	events event.HashSink
}

// Append implements event.Sink.
func (h *Hash) Append(e event.Event) {
	if e.Seq <= h.UpTo {
		e.Line = 0
		h.events.Append(e)
	}
}

// Sum returns the hash, or "" if the log ended before.
func (h *Hash) Sum() string {
	if h.events.Count < int(h.UpTo) {
		return ""
	}
	digits := strconv.FormatUint(h.events.Sum(), 16)
	return strings.Repeat("0", 16-len(digits)) + digits
}
