package lab

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/explore"
	"github.com/zkviz/zkviz/engine/run/room"
	_ "github.com/zkviz/zkviz/recipes"
)

// TestExplored checks that all schedules of a correct recipe are tried, and that for another recipe the answer names
// the first schedule that breaks it and a run that shows it, the same each time.
func TestExplored(t *testing.T) {
	s, _, get := served(t)
	s.explorations.limit = 24 * time.Hour // even on a busy machine
	first := map[string]string{}
	said := map[string]string{
		"predecessor-lock": "1,000 schedules, and none broke it.",
		"answer-not-read":  "Schedule 78 breaks it: B waits forever: ",
	}
	if !testing.Short() { // these take ten times as long on the same path
		said["children-lock"] = "1,000 schedules, and none broke it."
		said["no-second-look"] = "Schedule 8 breaks it: A entered at "
	}
	for range 2 { // explored, then kept
		for name, words := range said {
			w := get("/api/explore?recipe=" + name)
			var f finding
			if err := json.Unmarshal(w.Body.Bytes(), &f); err != nil || w.Code != http.StatusOK ||
				w.Header().Get("Content-Type") != "application/json" {
				t.Fatalf("%s: %d %s: %v", name, w.Code, w.Body, err)
			}
			r, _ := recipe.Find(name)
			if !strings.HasPrefix(f.Words, words) || f.Of != exploredSeeds || f.Held != (r.Kind == recipe.Right) ||
				f.Held != (f.Tried == exploredSeeds) || f.Held != (f.Link == "") {
				t.Errorf("%s: %+v", name, f)
			}
			if before, ok := first[name]; ok && before != w.Body.String() {
				t.Errorf("%s: first %s, then %s", name, before, w.Body)
			}
			first[name] = w.Body.String()
			if !f.Held {
				breaks(t, r, f.Link)
			}
		}
	}
}

// breaks checks that the run which a link to the Lab opens breaks a promise of the recipe.
func breaks(t *testing.T, r recipe.Recipe, link string) {
	query, ok := strings.CutPrefix(link, "/lab?")
	scenario, at, cut := strings.Cut(query, "&at=")
	s, err := run.ParseQuery(scenario)
	if !ok || !cut || !strings.Contains(at, "&event=") || err != nil || s.Recipe != r.Name {
		t.Fatalf("%s: %v", link, err)
	}
	checker := check.New(r.Promises, s.Header(event.Simulated))
	if err := run.Sim(t.Context(), s, checker); err != nil || len(checker.Report().Violations) == 0 {
		t.Errorf("%s breaks nothing: %v", link, err)
	}
}

func TestExploredRefuses(t *testing.T) {
	s, stop, get := served(t)
	ask := func(query string) *httptest.ResponseRecorder { return get("/api/explore" + query) }
	for query, words := range map[string]string{
		"?recipe=predecessor-luck":             `There is no recipe "predecessor-luck"; did you mean predecessor-lock?`,
		"":                                     `There is no recipe ""`,
		"?recipe=<b>":                          "There is no recipe",
		"?recipe=" + strings.Repeat("x", 9000): "There is no recipe",
	} {
		if w := ask(query); w.Code != http.StatusBadRequest || !strings.HasPrefix(w.Body.String(), words) ||
			w.Body.Len() > 500 {
			t.Errorf("%.40s: %d %.200s", query, w.Code, w.Body)
		}
	}
	s.explorations.run = func(context.Context, room.ClientKey, explore.Config) (room.Explored, error) {
		return room.Explored{Result: explore.Result{Seeds: 7, Of: exploredSeeds}}, nil
	}
	if w := ask("?recipe=unique-lock"); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("with only some schedules tried: %d %s", w.Code, w.Body)
	}
	stop()
	if w := ask("?recipe=fifo-queue"); w.Code != http.StatusServiceUnavailable {
		t.Errorf("at the server's end: %d %s", w.Code, w.Body)
	}
}
