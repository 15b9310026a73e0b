package bridge

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/wasm/player"
)

// Place is a moment of a run, as a link names it.
type Place struct {
	Set bool          // the link names one
	At  time.Duration // the time, and
	Seq event.Seq     // the last event that has happened, 0 if the time decides
	Sum string        // what Sum gave when the link was made, empty if it does not say
}

// ReadPlace reads a place's parameters. What makes no sense is left out: the run is shown from its start.
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

// Link is the address of what is shown: the scenario, the faults of the branch and of those that it came
// from, and the place. The scenario is as the server wrote it, empty for a lesson's.
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

// Query writes the place as ReadPlace reads it.
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

// faultsOf are the faults that lead from the first branch to this one, in order.
func faultsOf(branches []player.Branch, id int) (faults []string) {
	for _, b := range player.Descent(branches, id) {
		faults = append(faults, b.Fault)
	}
	return faults
}

// Sum is a hash of the state after so many events: of all that has made it. The lines of the recipe's source
// are left out, so that a word changed in a comment makes no difference.
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
