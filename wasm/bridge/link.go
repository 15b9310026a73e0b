package bridge

import (
	"net/url"
	"slices"

	"github.com/zkviz/zkviz/engine/run/link"
	"github.com/zkviz/zkviz/engine/stage/player"
)

// Link returns the query for what is shown: the scenario, the faults of the branch and of its ancestors, and the
// moment. The scenario is as the server wrote it, "" for a lesson's.
func Link(scenario string, branches []player.Branch, shown int, m link.Moment) string {
	parts := []string{scenario}
	for _, f := range faultsOf(branches, shown) {
		parts = append(parts, "fault="+url.QueryEscape(f))
	}
	return link.Join(append(parts, m.Query())...)
}

// faultsOf returns the faults that lead from the first branch to this one, in order.
func faultsOf(branches []player.Branch, id int) (faults []string) {
	for _, b := range player.Descent(branches, id) {
		faults = append(faults, b.Fault)
	}
	return faults
}

// WithFaults returns the parameters of a scenario with more faults.
func WithFaults(scenario string, faults []string) url.Values {
	q, _ := url.ParseQuery(scenario)
	if len(faults) > 0 {
		q["fault"] = append(q["fault"], faults...)
	}
	return q
}

// Differs returns the parameters in which another run differs from one, as a query. An empty one isn't in the other.
func Differs(own, other url.Values) string {
	differs := url.Values{}
	for name, values := range other {
		if !slices.Equal(values, own[name]) {
			differs[name] = values
		}
	}
	for name := range own {
		if !other.Has(name) {
			differs.Set(name, "")
		}
	}
	if len(differs) == 0 { // the same run
		differs.Set("recipe", other.Get("recipe"))
	}
	return differs.Encode()
}

// Holds reports whether a log has the events that a place in a link was made from. It isn't known before the log has
// come that far or ended, nor for a place without a hash.
func Holds(t *player.Track, p link.Place) (holds, known bool) {
	h := t.History()
	if p.Sum == "" || h == nil || h.Len() < min(int(p.Seq), t.All()) {
		return false, false
	}
	return link.Sum(h.Lookup, p.Seq) == p.Sum, true
}
