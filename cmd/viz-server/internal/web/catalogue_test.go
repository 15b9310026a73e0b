package web_test

import (
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/recipes"
	words "github.com/zkviz/zkviz/static/strings"
)

// The catalogue says under which faults a recipe's limits do not hold: those that each breaks, and no others.
func TestCatalogueSaysWhatBreaksLimits(t *testing.T) {
	srv := serve(t, web.Config{})
	status, _, body := get(t, srv.URL+"/recipes")
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
		card, _, _ = strings.Cut(card, "<details>")
		if got := strings.Contains(card, text.Say("recipes.calm")); got != (len(r.Limits) > 0) {
			t.Errorf("%s: it says that there are limits: %v; they are %v", r.Name, got, r.Limits)
		}
		said := 0
		for _, k := range fault.Kinds() {
			without := "recipes.without." + k.String()
			if !text.Has(without) {
				t.Errorf("there are no words for a run without %s", k)
			}
			if strings.Contains(card, text.Say(without)) {
				said++
			}
		}
		for _, name := range r.Harms {
			harmed++
			if !strings.Contains(card, ", "+text.Say("recipes.without."+name)) && !strings.Contains(card, ", and "+text.Say("recipes.without."+name)) {
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
