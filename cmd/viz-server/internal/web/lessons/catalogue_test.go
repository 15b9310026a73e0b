package lessons_test

import (
	"context"
	"html"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/recipes"
	words "github.com/zkviz/zkviz/static/strings"
)

// TestCatalogueSaysWhatBreaksLimits checks that the catalogue lists exactly the faults that break a recipe's limits.
func TestCatalogueSaysWhatBreaksLimits(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	status, _, body := webtest.Get(t, srv.URL+"/recipes")
	if status != 200 {
		t.Fatal(status)
	}
	text, err := words.Load(words.Source)
	if err != nil {
		t.Fatal(err)
	}
	harmed := 0
	for _, r := range recipes.All() {
		_, card, _ := strings.Cut(body, `<section class="recipe" id="`+r.Name+`"`)
		card, _, _ = strings.Cut(html.UnescapeString(card), "<details>")
		if got := strings.Contains(card, text.Say("recipes.calm")); got != (len(r.Limits) > 0) {
			t.Errorf("%s: it says that there are limits: %v; they are %v", r.Name, got, r.Limits)
		}
		said := 0
		for _, k := range append(fault.ToClients(fault.Anywhere), fault.Restart) {
			without := "recipes.without." + k.String()
			if !text.Has(without) {
				t.Errorf("the language file has no %s", without)
			}
			if strings.Contains(card, text.Say(without)) {
				said++
			}
		}
		for _, name := range r.Harms {
			harmed++
			if !strings.Contains(card, ", "+text.Say("recipes.without."+name)) &&
				!strings.Contains(card, ", and "+text.Say("recipes.without."+name)) {
				t.Errorf("%s: it does not say that its limits end with a %s", r.Name, name)
			}
		}
		if said != len(r.Harms) {
			t.Errorf("%s: it says %d things that must not happen, want %v", r.Name, said, r.Harms)
		}
	}
	if harmed == 0 {
		t.Error("no recipe is harmed by anything: the test tests nothing")
	}
}

// TestPitfallsCanBeWatched checks that each pitfall has a lesson or a run that breaks a promise.
func TestPitfallsCanBeWatched(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	_, _, body := webtest.Get(t, srv.URL+"/recipes")
	for _, r := range recipes.All() {
		if r.Kind != recipe.Pitfall {
			continue
		}
		_, card, _ := strings.Cut(body, `<section class="recipe" id="`+r.Name+`"`)
		card, _, _ = strings.Cut(html.UnescapeString(card), "<details>")
		_, query, seen := strings.Cut(card, `href="/lab?recipe=`+r.Name+`&`)
		if !seen {
			if !strings.Contains(card, `href="/lessons/`) {
				t.Errorf("%s: neither a lesson nor a run shows it", r.Name)
			}
			continue
		}
		query, _, _ = strings.Cut(query, `"`)
		s, err := run.ParseQuery("recipe=" + r.Name + "&" + query)
		if err != nil {
			t.Errorf("%s: %v", r.Name, err)
			continue
		}
		s = s.WithDefaults()
		log := event.Log{Header: s.Header("sim")}
		if err := run.Sim(context.Background(), s, &log); err != nil {
			t.Fatal(err)
		}
		checker := check.New(r.Promises, log.Header)
		for _, e := range log.Events {
			checker.Append(e)
		}
		broken := checker.Report().Violations
		if !slices.ContainsFunc(broken, func(v promise.Violation) bool { return slices.Contains(r.Promises, v.Rule) }) {
			t.Errorf("%s: the run that is to show it breaks nothing", r.Name)
		}
	}
}
