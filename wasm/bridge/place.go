package bridge

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/player"
)

// Place is a moment of a run in a link.
type Place struct {
	Set bool          // the link has one
	At  time.Duration // the time, and
	Seq event.Seq     // the last event that has happened, 0 if the time decides
	Sum string        // result of Sum for the link, or ""
}

// ReadPlace reads a place's parameters. It ignores invalid ones: the run is then shown from its start.
func ReadPlace(get func(key string) string) (p Place) {
	if at, err := time.ParseDuration(get("at")); err == nil && at >= 0 {
		p.Set, p.At = true, at
	}
	if n, err := strconv.ParseUint(get("event"), 10, 32); err == nil && n > 0 {
		p.Set, p.Seq = true, event.Seq(n)
		p.Sum = get("sum")
	}
	return p
}

// Link returns the query for what is shown: the scenario, the faults of the branch and of its ancestors, and the place.
// The scenario is as the server wrote it, "" for a lesson's.
func Link(scenario string, branches []player.Branch, shown int, p Place) string {
	parts := []string{scenario}
	if scenario == "" {
		parts = nil
	}
	for _, f := range faultsOf(branches, shown) {
		parts = append(parts, "fault="+url.QueryEscape(f))
	}
	return strings.Join(append(parts, p.Query()), "&")
}

// Query writes the place in the form that ReadPlace reads.
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

// faultsOf returns the faults that lead from the first branch to this one, in order.
func faultsOf(branches []player.Branch, id int) (faults []string) {
	for _, b := range player.Descent(branches, id) {
		faults = append(faults, b.Fault)
	}
	return faults
}

// Sum returns a hash of the events up to upTo, which determine the state. It omits the lines of the recipe's source, so
// that a changed comment makes no difference.
func Sum(lookup func(event.Seq) (event.Event, bool), upTo event.Seq) string {
	var h event.HashSink
	for seq := event.Seq(1); seq <= upTo; seq++ {
		e, ok := lookup(seq)
		if !ok {
			return ""
		}
		e.Line = 0
		h.Append(e)
	}
	digits := strconv.FormatUint(h.Sum(), 16)
	return strings.Repeat("0", 16-len(digits)) + digits
}
