package lab

import (
	"net/url"
	"slices"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/link"
	"github.com/zkviz/zkviz/engine/run/room"
	"github.com/zkviz/zkviz/engine/stage/player"
	"github.com/zkviz/zkviz/recipes"
)

// putMoment makes the page show the moment of a link whose scenario is q, with the run beside it, if it describes one.
func putMoment(p *page.LabProps, m link.Moment, q url.Values) error {
	switch player.InStep(m.Beside.InStep) {
	case "", player.ByTime, player.ByHandOver:
	default:
		return sentence.Error("bad.in-step", sentence.Quote(m.Beside.InStep))
	}
	other, err := m.Beside.Scenario(q)
	if err != nil {
		return err
	}
	p.Beside, p.BesideSeed = m.Beside.What, m.Beside.Seed
	if m.Beside.What, m.Beside.Seed = "", ""; other == nil {
		m.Beside = link.Beside{}
	} else {
		sc, err := room.Asked(other.Encode())
		if err != nil {
			return sentence.Wrap(err, "bad.beside")
		}
		m.Beside.What = sc.Query()
	}
	if rest := m.Query(); rest != "" {
		p.Place = "&" + rest
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
	put(other, f.Say("beside.timeout", sentence.Spell(other.SessionTimeout)))
	return all
}

// longTimeout and shortTimeout are alternative session timeouts to try.
const longTimeout, shortTimeout = 30 * time.Second, 6 * time.Second
