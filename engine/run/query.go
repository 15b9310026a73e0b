package run

import (
	"cmp"
	"maps"
	"net/url"
	"slices"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/link"
)

// MaxQuery is the longest query of a scenario, in bytes.
const MaxQuery = link.Max

// Query writes the scenario as the query of an address, from which ParseQuery gives the very same run: it includes
// the timing of messages, but neither the root nor the limits. With too many faults it is longer than MaxQuery.
func (s Scenario) Query() string {
	s = s.WithDefaults()
	q := ""
	for _, p := range parameters {
		for _, text := range p.write(s) {
			q += "&" + p.Name + "=" + url.QueryEscape(text)
		}
	}
	return q[1:]
}

// ParseQuery reads a scenario from a query that somebody wrote, and validates it.
func ParseQuery(query string) (Scenario, error) {
	g, err := ReadQuery(query)
	if err != nil {
		return Scenario{}, err
	}
	return g.Valid()
}

// ReadQuery reads what a query specifies of a scenario.
func ReadQuery(query string) (Given, error) {
	if len(query) > MaxQuery {
		return Given{}, sentence.Error("bad.query.long", sentence.Number(MaxQuery), sentence.Number(len(query)))
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return Given{}, sentence.Wrap(err, "bad.query", sentence.Quote(query))
	}
	var g Given
	for _, name := range slices.SortedFunc(maps.Keys(values), byPlace) {
		if err := g.Set(name, values[name]...); err != nil {
			return Given{}, err
		}
	}
	return g, nil
}

// byPlace compares parameters by their place in the table, so that the targets of faults are read before the
// faults. Unknown ones come first, by their names.
func byPlace(a, b string) int {
	place := func(name string) int {
		return slices.IndexFunc(parameters, func(p Parameter) bool { return p.Name == name })
	}
	return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
}
