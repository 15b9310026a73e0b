package lab

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/room"
	"github.com/zkviz/zkviz/engine/stage/player"
	"github.com/zkviz/zkviz/recipes"
)

// comparison describes the run beside a link's own.
type comparison struct {
	what   string // a recipe, or a query with the differences; empty for none
	seed   string // empty for the same seed
	inStep string
}

// takeComparison takes it out of the query: beside=RECIPE or beside=QUERY, beside-seed=N and in-step=time|handover.
func takeComparison(q url.Values) (b comparison, err error) {
	b.what, b.seed, b.inStep = q.Get("beside"), q.Get("beside-seed"), q.Get("in-step")
	for _, name := range []string{"beside", "beside-seed", "in-step"} {
		q.Del(name)
	}
	switch player.InStep(b.inStep) {
	case "", player.ByTime, player.ByHandOver:
		return b, nil
	}
	return b, sentence.Error("bad.in-step", sentence.Quote(b.inStep))
}

// scenario returns the query of the run beside one with the query q: q with the differences. It is empty if there is
// none.
func (b comparison) scenario(q url.Values) (string, error) {
	if b.what == "" && b.seed == "" {
		return "", nil
	}
	other := maps.Clone(q)
	if strings.Contains(b.what, "=") {
		differs, err := url.ParseQuery(b.what)
		if err != nil {
			return "", sentence.Wrap(err, "bad.link")
		}
		for name, values := range differs {
			if values = slices.DeleteFunc(values, func(v string) bool { return v == "" }); len(values) == 0 {
				other.Del(name)
			} else {
				other[name] = values
			}
		}
	} else if b.what != "" {
		other.Set("recipe", b.what)
	}
	if b.seed != "" {
		other.Set("seed", b.seed)
	}
	sc, err := room.Asked(other.Encode())
	if err != nil {
		return "", sentence.Wrap(err, "bad.beside")
	}
	return sc.Query(), nil
}

// putComparison makes the page show the run beside its own, if the link describes one.
func putComparison(p *page.LabProps, b comparison, q url.Values) error {
	query, err := b.scenario(q)
	if err != nil || query == "" {
		return err
	}
	p.Beside, p.BesideSeed = b.what, b.seed
	p.Place += "&beside=" + url.QueryEscape(query)
	if b.inStep != "" {
		p.Place += "&in-step=" + b.inStep
	}
	return nil
}

// suggestions returns the runs that the stage offers to show beside one: a pitfall's cure, the pitfalls that the recipe
// cures, the same run with another seed or without faults, and variants of a run that was seen on a real system.
func (s *Pages) suggestions(f page.Frame, sc run.Scenario) (all []page.Beside) {
	put := func(other run.Scenario, label string) {
		same := func(b page.Beside) bool { return b.Label == label }
		if q := other.Query(); len(q) <= run.MaxQuery && other.Validate() == nil && !slices.ContainsFunc(all, same) {
			all = append(all, page.Beside{Query: q, Label: label})
		}
	}
	add := func(recipe string) {
		other := sc
		other.Recipe = recipe
		there := other.Scope() // another system may not allow all the faults
		other.Faults = slices.DeleteFunc(slices.Clone(sc.Faults), func(f fault.Fault) bool {
			return f.Validate(there) != nil
		})
		put(other, recipe)
	}
	this, _ := recipe.Find(sc.Recipe)
	for _, cure := range this.Cures() {
		add(cure)
	}
	for _, r := range recipes.All() {
		if slices.Contains(r.Cures(), sc.Recipe) {
			add(r.Name)
		}
	}
	other := sc
	other.Seed++
	put(other, f.Say("beside.other-seed"))
	if len(sc.Arrivals) == 0 {
		return all
	}
	for _, r := range recipes.Using(this.Use) {
		if r.Name != sc.Recipe {
			add(r.Name)
		}
	}
	if len(sc.Faults) > 0 {
		other = sc
		other.Faults = nil
		put(other, f.Say("beside.no-faults"))
	}
	other = sc
	if other.SessionTimeout = longTimeout; sc.SessionTimeout >= longTimeout {
		other.SessionTimeout = shortTimeout
	}
	put(other, f.Say("beside.timeout", other.SessionTimeout.String()))
	return all
}

// longTimeout and shortTimeout are alternative session timeouts to try.
const longTimeout, shortTimeout = 30 * time.Second, 6 * time.Second
