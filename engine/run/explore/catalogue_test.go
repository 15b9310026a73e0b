package explore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/explore"
	"github.com/zkviz/zkviz/engine/run/link"
	"github.com/zkviz/zkviz/engine/testing/golden"
	"github.com/zkviz/zkviz/recipes"
)

func find(t testing.TB, cfg explore.Config) explore.Result {
	t.Helper()
	result, err := explore.Run(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// pitfalls holds the findings for the catalogue's pitfalls, by name: a result depends on the question alone, and
// several tests ask the same.
var pitfalls = map[string]explore.Result{}

// pitfall returns the finding for a pitfall within the catalogue's number of seeds.
func pitfall(t *testing.T, r recipe.Recipe) explore.Result {
	t.Helper()
	if _, ok := pitfalls[r.Name]; !ok {
		pitfalls[r.Name] = find(t, explore.Config{Recipe: r, Seeds: r.FoundWithin})
	}
	return pitfalls[r.Name]
}

// seeds of each recipe that are tried here; make explore tries 10,000.
const seeds = 200

// TestRecipesHold: the catalogue's correct recipes keep their promises, whatever happens.
func TestRecipesHold(t *testing.T) {
	for _, r := range recipes.All() {
		if r.Kind == recipe.Right {
			if f := find(t, explore.Config{Recipe: r, Seeds: seeds}).Found; f != nil {
				t.Errorf("%s: seed %d: %s\n%s", r.Name, f.Seed, f.Violation.Sentence, f.Scenario.Command())
			}
		}
	}
}

// TestRecipesHoldOnInnoDB: and so do those with tables, on the other kind of database.
func TestRecipesHoldOnInnoDB(t *testing.T) {
	for _, r := range recipes.All() {
		if r.Kind != recipe.Right || run.Database(r) == "" {
			continue
		}
		if f := find(t, explore.Config{Recipe: r, Seeds: 2 * seeds, Database: event.MySQLSystem}).Found; f != nil {
			t.Errorf("%s: seed %d: %s\n%s", r.Name, f.Seed, f.Violation.Sentence, f.Scenario.Command())
		}
	}
}

// TestPitfallsAreFoundOnInnoDB: what goes wrong on one kind of database goes wrong on the other.
func TestPitfallsAreFoundOnInnoDB(t *testing.T) {
	for _, r := range recipes.All() {
		if r.Kind != recipe.Pitfall || run.Database(r) == "" {
			continue
		}
		f := find(t, explore.Config{Recipe: r, Seeds: r.FoundWithin, Database: event.MySQLSystem}).Found
		if f == nil {
			t.Errorf("%s: not found in %d seeds", r.Name, r.FoundWithin)
			continue
		}
		if !strings.Contains(f.Scenario.Command(), "--database mysql") {
			t.Errorf("%s: it is said to go wrong in\n%s", r.Name, f.Scenario.Command())
		}
	}
}

// TestGoldenPitfalls: each pitfall breaks a promise within the catalogue's number of seeds, its smallest
// reproduction breaks it again, and its cure keeps the same promises for these seeds.
func TestGoldenPitfalls(t *testing.T) {
	var findings []string
	defer func() { golden.Compare(t, "testdata/found.txt", strings.Join(findings, "\n")+"\n") }()
	for _, r := range recipes.All() {
		if r.Kind != recipe.Pitfall {
			continue
		}
		result := pitfall(t, r)
		if result.Found == nil {
			t.Errorf("%s: not found in %d seeds", r.Name, result.Seeds)
			continue
		}
		f := result.Found
		findings = append(findings, fmt.Sprintf("%s seed %d %s\n    %s\n    %s", r.Name, f.Seed, f.Violation.Rule,
			f.First.Command(), f.Scenario.Command()))
		if len(f.Scenario.Query()) > run.MaxQuery {
			t.Errorf("%s: the link is too long: %s", r.Name, f.Link())
		}
		for way, s := range map[string]run.Scenario{"scenario": f.Scenario, "query": byQuery(t, f.Scenario),
			"file": byFile(t, f.Scenario)} {
			if v := replay(t, s, f.Violation.Rule); !reflect.DeepEqual(v, f.Violation) {
				t.Errorf("%s, replayed by %s: %+v, want %+v", r.Name, way, v, f.Violation)
			}
		}
		cure, ok := recipe.Find(r.Cure)
		if !ok || cure.Kind != recipe.Right {
			t.Errorf("%s: its cure %q is no recipe", r.Name, r.Cure)
			continue
		}
		cure.After = r.After // the same programs come back
		cfg := explore.Config{Recipe: cure, Seeds: max(result.Seeds, seeds), Rules: r.Promises, Limits: r.Limits}
		if f := find(t, cfg).Found; f != nil {
			t.Errorf("%s, cured by %s: seed %d: %s\n%s", r.Name, cure.Name, f.Seed, f.Violation.Sentence, f.Scenario.Command())
		}
	}
}

// replay returns the first violation of the rule when the scenario runs as on the command line.
func replay(t *testing.T, s run.Scenario, rule string) promise.Violation {
	t.Helper()
	c := check.New([]string{rule}, s.Header("sim"))
	if err := run.Sim(context.Background(), s, c); err != nil {
		t.Fatal(err)
	}
	if v := c.Report().Violations; len(v) > 0 {
		return v[0]
	}
	return promise.Violation{}
}

func byQuery(t *testing.T, s run.Scenario) run.Scenario {
	t.Helper()
	got, err := run.ParseQuery(s.Query())
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func byFile(t *testing.T, s run.Scenario) run.Scenario {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	got, err := run.ReadFile(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestSmallest: nothing can be removed from a reproduction: not one client, not one fault, not one round.
func TestSmallest(t *testing.T) {
	for _, r := range recipes.All() {
		if r.Kind != recipe.Pitfall {
			continue
		}
		f := pitfall(t, r).Found
		if f == nil {
			t.Fatalf("%s: not found", r.Name)
		}
		first, small := f.First, f.Scenario
		if small.Clients > first.Clients || small.Rounds > first.Rounds || len(small.Faults) > len(first.Faults) {
			t.Errorf("%s grew: from %s\nto %s", r.Name, first.Command(), small.Command())
		}
		for i := range small.Faults {
			s := small
			s.Faults = slices.Delete(slices.Clone(s.Faults), i, i+1)
			if v := replay(t, s, f.Violation.Rule); v.Rule != "" {
				t.Errorf("%s needs no %q", r.Name, small.Faults[i])
			}
		}
		if s := small; s.Rounds > 1 {
			s.Rounds--
			if v := replay(t, s, f.Violation.Rule); v.Rule != "" {
				t.Errorf("%s needs no %d rounds", r.Name, small.Rounds)
			}
		}
		smallerIsNotFound(t, r, f)
	}
}

// smallerIsNotFound explores on its own with one client less, and with schedules that are easier to find: without
// any fault.
func smallerIsNotFound(t *testing.T, r recipe.Recipe, f *explore.Finding) {
	t.Helper()
	small := f.Scenario
	for _, cfg := range []explore.Config{
		{Recipe: r, Rules: []string{f.Violation.Rule}, Clients: max(small.Clients-1, 1), Seeds: 300},
		{Recipe: r, Rules: []string{f.Violation.Rule}, Clients: small.Clients, Faults: []fault.Kind{}, Seeds: 300},
	} {
		other := find(t, cfg).Found
		if other == nil {
			continue
		}
		o := other.Scenario
		fewer := o.Clients < small.Clients || o.Rounds < small.Rounds || len(o.Faults) < len(small.Faults)
		more := o.Clients > small.Clients || o.Rounds > small.Rounds || len(o.Faults) > len(small.Faults)
		if fewer && !more {
			t.Errorf("%s needs no more than %s, not %s", r.Name, o.Command(), small.Command())
		}
	}
}

// TestReducedBeyondTheSlope: what no single step makes smaller still becomes smaller.
func TestReducedBeyondTheSlope(t *testing.T) {
	for name, most := range map[string][2]int{
		"delete-before-processing": {2, 1}, "ephemeral-start": {2, 1}, "release-by-anyone": {3, 1},
		"ghost-after-timeout": {3, 0},
	} {
		s := pitfall(t, named(t, name)).Found.Scenario
		if s.Clients > most[0] || len(s.Faults) > most[1] {
			t.Errorf("%s takes %d clients and %d faults at most: %s", name, most[0], most[1], s.Command())
		}
	}
}

// TestLinkNamesTheEvent: the same moment may hold events that undo what breaks the promise. The hash is of the log up
// to it.
func TestLinkNamesTheEvent(t *testing.T) {
	f := pitfall(t, named(t, "no-second-look")).Found
	address, err := url.Parse(f.Link())
	if err != nil {
		t.Fatal(err)
	}
	log := link.Hash{UpTo: f.Violation.Seq}
	if err := run.Sim(t.Context(), f.Scenario, &log); err != nil {
		t.Fatal(err)
	}
	if q := address.Query(); q.Get("at") != f.Violation.At.String() || q.Get("event") != fmt.Sprint(f.Violation.Seq) ||
		q.Get("sum") != log.Sum() || len(log.Sum()) != 16 {
		t.Errorf("%s does not lead to event %d at %s", f.Link(), f.Violation.Seq, f.Violation.At)
	}
}
