package run_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/recipes"
	languages "github.com/zkviz/zkviz/static/strings"
)

// TestSummary combines what checker and header say, rounded for people.
func TestSummary(t *testing.T) {
	h := run.Complete(event.Header{Recipe: "predecessor-lock", Host: "sim", Root: "/r", Clients: 4, Rounds: 2, Seed: 9})
	tally, checker := run.NewTally(h), check.New(h.Rules(), h)
	s := run.Scenario{
		Recipe: h.Recipe, Clients: h.Clients, Rounds: h.Rounds, Seed: h.Seed, Hold: 5 * time.Second, Jitter: 777_777,
		Stagger: time.Second / 10,
		Faults:  faults(t, "pause client-1 at 2s for 20s"),
	}.WithDefaults()
	var log event.Log
	if err := run.Sim(t.Context(), s, event.Tee{tally, checker, &log}); err != nil {
		t.Fatal(err)
	}
	report, last := checker.Report(), log.Events[len(log.Events)-1]
	f := report.Figures
	want := run.Summary{
		Recipe: "predecessor-lock", Host: "sim", Clients: 4, Rounds: 2, Seed: 9,
		DurationMS: threeDigits(last.At), Events: len(log.Events), Requests: f.Requests, WatchesSet: f.WatchesSet,
		WatchesFired: f.WatchesFired,
		Acquisitions: f.Acquisitions,
		Wakeups: run.Wakeups{
			ByRelease: f.ByRelease, ByArrival: f.ByArrival, MaxPerRelease: f.MaxPerRelease,
			MeanPerRelease: float64(int(f.MeanPerRelease*1000+.5)) / 1000, Wasted: f.Wasted,
		},
	}
	for _, v := range report.Violations {
		names := []string{}
		for _, c := range v.Clients {
			names = append(names, c.String())
		}
		want.Violations = append(want.Violations, run.Violation{Rule: v.Rule, AtMS: threeDigits(v.At), Clients: names,
			Key: v.Sentence.Key, Sentence: v.Sentence})
	}
	for _, rule := range run.Rules(h) {
		p := run.Promise{Rule: rule, Verdict: run.Kept, Asks: promise.Sentence(rule)}
		if rule == promise.BeliefExclusion {
			p.Verdict = run.Broken
		}
		want.Promises = append(want.Promises, p)
	}
	if got := tally.Summary(); !reflect.DeepEqual(got, want) || len(want.Violations) == 0 {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if end(tally).Reason != event.EndAllDone {
		t.Errorf("it ended because %v", end(tally).Reason)
	}
}

// TestSummaryOfEnsemble checks what became of the servers.
func TestSummaryOfEnsemble(t *testing.T) {
	h := event.Header{Host: event.Cluster, Systems: []event.System{{Addresses: []string{"a:1"}}}}
	tally := run.NewTally(h)
	for i, e := range []event.Event{
		{Kind: event.ServerStarted, Actor: event.Server(1), Reason: event.ServerReached},
		{Kind: event.ServerPhase, Actor: event.Server(2), Peer: event.Server(2), Text: "broadcast"},
		{Kind: event.ConnOpened, Actor: 1, Session: 7, Peer: event.Server(1)},
		{Kind: event.ConnOpened, Actor: 1, Session: 7, Peer: event.Server(2)},
	} {
		e.Seq = event.Seq(i + 1)
		tally.Append(e)
	}
	got, err := json.Marshal(tally.Summary().Ensemble)
	const want = `{"moved":1,"servers":[{"server":"server-1","address":"a:1","role":"unknown","clients":0},` +
		`{"server":"server-2","role":"leader","clients":1}]}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}

// threeDigits returns milliseconds, rounded to microseconds.
func threeDigits(d time.Duration) float64 { return float64((d+500)/1000) / 1000 }

// TestSummaryOfNothing: even a log that has not begun has an object, with lists that aren't null.
func TestSummaryOfNothing(t *testing.T) {
	tally := run.NewTally(run.Complete(event.Header{Recipe: "barrier", Host: "live", Root: "/r"}))
	text, err := json.Marshal(tally.Summary())
	if err != nil || !strings.Contains(string(text), `"violations":[]`) || strings.Contains(string(text), "unjudged") ||
		end(tally).Reason != event.NoReason {
		t.Errorf("got %s, %v; ended because %v", text, err, end(tally).Reason)
	}
}

// TestRules: a recipe's promises, then its limits, are in the header of its logs.
func TestRules(t *testing.T) {
	for _, r := range recipes.All() {
		h := run.Scenario{Recipe: r.Name}.WithDefaults().Header(event.Cluster)
		if !slices.Equal(h.Rules(), append(slices.Clone(r.Promises), r.Limits...)) {
			t.Errorf("%s: judged by %q", r.Name, h.Rules())
		}
	}
	if h := run.Complete(event.Header{Recipe: "unheard-of", Host: event.Cluster}); len(h.Rules()) > 0 {
		t.Errorf("judged by %q", h.Rules())
	}
}

// TestUnjudged: which logs are judged by promises, and why others aren't.
func TestUnjudged(t *testing.T) {
	for _, c := range []struct {
		recipe   string
		host     event.Host
		observed bool
		why      string
	}{
		{"barrier", "sim", false, ""},
		{"barrier", "live", false, ""},
		{"barrier", "observed", true, "nothing was promised"},
		{"", "observed", true, "nothing was promised"},
		{"zoo", "zoo", true, "nothing was promised"},
		{"", "sim", false, "the trace names no recipe"},
		{"barier", "sim", false, "since there is no recipe \"barier\"; did you mean barrier?"},
	} {
		h := run.Complete(event.Header{Recipe: c.recipe, Host: c.host, Root: "/r"})
		got := sentence.Voice{Say: languages.English().Say}.Says(run.Unjudged(h))
		if run.Observed(h) != c.observed || (got == "") != (c.why == "") || !strings.Contains(got, c.why) {
			t.Errorf("%s of %q: observed: %t, unjudged: %q", c.host, c.recipe, run.Observed(h), got)
		}
		if s := run.NewTally(h).Summary(); !reflect.DeepEqual(s.WhyUnjudged, run.Unjudged(h)) || s.Host != c.host {
			t.Errorf("the summary says %v, want %q", s.WhyUnjudged, got)
		}
	}
}

// TestJudgedByLimitsToo: a tally judges a run by its recipe's limits too, which exploration does only without faults.
func TestJudgedByLimitsToo(t *testing.T) {
	r, _ := recipe.Find("predecessor-lock")
	if !slices.Contains(r.Limits, "belief-exclusion") {
		t.Fatalf("its limits are %q", r.Limits)
	}
	tally := run.NewTally(run.Complete(event.Header{Recipe: r.Name, Host: event.Simulated, Root: "/r", Clients: 2}))
	for i := range event.Actor(2) {
		tally.Append(event.Event{Seq: event.Seq(i + 1), Kind: event.RecipePhase, Actor: i + 1, Text: string(program.Holding),
			Path: "/r/x"})
	}
	if s := tally.Summary(); len(s.Violations) != 2 || s.Violations[0].Rule != "belief-exclusion" ||
		len(s.Violations[0].Clients) != 2 {
		t.Errorf("got %+v", s.Violations)
	}
}

// TestNearest: what somebody most likely meant.
func TestNearest(t *testing.T) {
	known := []string{"lock", "lock-queue", "barrier", "ab"}
	for name, want := range map[string]string{
		"": "", "barier": "barrier", "barrie": "barrier", "barriers": "barrier", "bar": "barrier", "brarier": "barrier",
		"barrxx": "",
		"lock-q": "lock-queue", "lick": "lock", "lcko": "", "xy": "", "xb": "", "lock": "lock", "LOCK": "",
		strings.Repeat("b", 100): "", strings.Repeat("b", 101): "",
	} {
		if got, ok := run.Nearest(name, known); got != want && ok || ok != (want != "") {
			t.Errorf("%q: %q, %t, want %q", name, got, ok, want)
		}
	}
	long := strings.Repeat("barrier", 14) // 98 bytes
	for n, ok := range map[int]bool{2: true, 3: false} {
		if _, got := run.Nearest(long+strings.Repeat("x", n), []string{long}); got != ok {
			t.Errorf("a name of %d bytes: near: %t", len(long)+n, got)
		}
	}
}
