package run_test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	_ "github.com/zkviz/zkviz/recipes"
)

// forms lists the ways to give one parameter, with a recipe for three clients or more.
var forms = map[string]func(t *testing.T, p run.Parameter, text string) (run.Scenario, error){
	"query": func(_ *testing.T, p run.Parameter, text string) (run.Scenario, error) {
		return run.ParseQuery("recipe=watch-the-lowest&" + p.Name + "=" + url.QueryEscape(text))
	},
	"file": func(_ *testing.T, p run.Parameter, text string) (run.Scenario, error) {
		return run.ReadFile(strings.NewReader(`{"format":"zkviz-scenario","version":1,"recipe":"watch-the-lowest",` +
			field(p, text) + "}"))
	},
	"facts": func(_ *testing.T, p run.Parameter, text string) (run.Scenario, error) {
		var g run.Given
		if err := json.Unmarshal([]byte("{"+field(p, text)+"}"), &g); err != nil {
			return run.Scenario{}, err
		}
		if err := g.Set("recipe", "watch-the-lowest"); err != nil {
			return run.Scenario{}, err
		}
		return g.Valid()
	},
}

// field returns the parameter as JSON: as a number if it is one.
func field(p run.Parameter, text string) string {
	value := `"` + text + `"`
	var n int
	if json.Unmarshal([]byte(text), &n) == nil {
		value = text
	}
	if p.Many {
		return `"` + p.Name + `s":[` + value + `]`
	}
	return `"` + strings.ReplaceAll(p.Name, "-", "_") + `":` + value
}

// TestEveryParameterInEveryForm walks the table: at its bounds each parameter is read, and written again unchanged;
// beyond them it is refused with one sentence, whatever the form.
func TestEveryParameterInEveryForm(t *testing.T) {
	for _, c := range []struct {
		name            string
		within, written []string
		beyond          map[string]string
	}{
		{"clients", []string{"3", "1000"}, nil, map[string]string{
			"2":    "watch-the-lowest runs with 3 to 1000 clients, not 2",
			"1001": "watch-the-lowest runs with 3 to 1000 clients, not 1001",
			"0":    "watch-the-lowest runs with 3 to 1000 clients, not 0", "x": `clients="x" is not a whole number from 1 on`,
		}},
		{"rounds", []string{"1", "1000"}, nil, map[string]string{
			"0": "a run has 1 to 1000 rounds, not 0", "1001": "a run has 1 to 1000 rounds, not 1001",
		}},
		{"hold", []string{"settled", "0s", "1ns", "1h0m0s"}, []string{"settled", "1ns", "1ns", "1h0m0s"}, map[string]string{
			"1h0m0.000000001s": "a client holds for up to 1h0m0s, not 1h0m0.000000001s",
			"-1ns":             `hold="-1ns" is not a duration like 5s`,
		}},
		{"seed", []string{"0", "18446744073709551615"}, nil, map[string]string{
			"-1": `seed="-1" is not a whole number from 0 on`, "18446744073709551616": "is not a whole number from 0 on",
		}},
		{"session-timeout", []string{"1ms", "1h0m0s"}, nil, map[string]string{
			"0s": "a session timeout is 1ms to 1h0m0s, not 0s", "999.999µs": "a session timeout is 1ms to 1h0m0s, not 999.999µs",
			"1h0m0.000000001s": "a session timeout is 1ms to 1h0m0s, not 1h0m0.000000001s",
		}},
		{"latency", []string{"50µs", "1m0s"}, nil, map[string]string{
			"1m0.000000001s": "the latency is 0s to 1m0s, not 1m0.000000001s",
			"10µs":           "the jitter is at most the latency of 10µs, not 50µs",
		}},
		{"jitter", []string{"0s", "1ns", "1ms"}, []string{"1ns", "1ns", "1ms"}, map[string]string{
			"1.000001ms": "the jitter is at most the latency of 1ms, not 1.000001ms",
			"2m0s":       "the jitter is 0s to 1m0s, not 2m0s",
		}},
		{"stagger", []string{"0s", "1ns", "1m0s"}, nil, map[string]string{
			"1m0.000000001s": "the stagger is 0s to 1m0s, not 1m0.000000001s",
			"-1ns":           `stagger="-1ns" is not a duration like 5s`,
		}},
		{"database", nil, nil, map[string]string{
			"mysql":  "watch-the-lowest has no tables, so it takes no database",
			"oracle": `database="oracle" is not postgres or mysql`, "redis": "is not postgres or mysql",
		}},
		{"store", nil, nil, map[string]string{
			"printer": `watch-the-lowest has no store "printer" to choose`, "": `store="" is not the name of a store`,
		}},
		{"poll", []string{"50ms", "50ms-250ms", "1ms-1m0s"}, nil, map[string]string{
			"0s": `poll="0s" is not a time like 50ms, or two like 50ms-250ms`, "soon": "is not a time like",
			"-5ms": "is not a time like", "250ms-50ms": "tries again after 1ms to 1m0s, the shorter time first, not 250ms-50ms",
			"999µs": "not 999µs", "1ms-1m1s": "not 1ms-1m1s", "50ms-": "is not a time like",
		}},
		{"first-number", []string{"1", "2147483647"}, nil, map[string]string{
			"2147483648": `first-number="2147483648" is not a whole number from 0 to 2147483647`, "-1": "is not a whole number",
		}},
		{"arrival", []string{"client-6 at 24h0m0s for 1h0m0s", "client-2 at 0s at 1.5s for 20ms timeout 8s"}, nil,
			map[string]string{
				"client-7 at 1s":                "there is no client-7 among 6 clients",
				"client-1":                      "it has the wrong number of words",
				"client-x at 1s":                "is not a client",
				"client-1 at soon":              "at takes a time",
				"client-1 for 1s":               "does not belong there",
				"client-1 at 1s for 1s for 1s":  "does not belong there",
				"client-1 at 2s at 1s":          "its times are not in order",
				"client-1 at 25h":               "it comes within",
				"client-1 at 1s as reader":      "there is no role",
				"client-1 timeout 2s":           "client-1 comes once to 1000 times",
				"client-1 at 1s timeout 1h0m1s": "its session timeout is more than 0s",
			}},
		{"fault", []string{"crash client-6 at 24h0m0s"}, nil, map[string]string{
			"crash client-7 at 1s": "there is no client-7 among 6 clients",
			"crash":                `fault "crash": it has the wrong number of words`,
		}},
	} {
		p := parameter(t, c.name)
		for form, read := range forms {
			for i, text := range c.within {
				want := text
				if c.written != nil {
					want = c.written[i]
				}
				s, err := read(t, p, text)
				if err != nil || !reflect.DeepEqual(s.Written(c.name), []string{want}) {
					t.Errorf("%s %s in a %s: written as %q, %v", c.name, text, form, s.Written(c.name), err)
				}
			}
			for text, want := range c.beyond {
				if _, err := read(t, p, text); err == nil || !strings.Contains(said(err), want) ||
					strings.HasPrefix(said(err), "fault=") {
					t.Errorf("%s %s in a %s: got %v, want %q", c.name, text, form, err, want)
				}
			}
		}
	}
}

// TestDatabase: a run uses the database that it names, comes back unchanged from each form, and says so in its header.
func TestDatabase(t *testing.T) {
	for _, kind := range []event.SystemKind{event.PostgresSystem, event.MySQLSystem} {
		s := run.Scenario{Recipe: "db-version", Seed: 1, Database: kind}.WithDefaults()
		file, err := s.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		byFile, err := run.ReadFile(bytes.NewReader(file))
		if err != nil || !reflect.DeepEqual(byFile, s) {
			t.Errorf("%s: by file %+v, %v", kind, byFile, err)
		}
		if byQuery, err := run.ParseQuery(s.Query()); err != nil || !reflect.DeepEqual(byQuery, s) {
			t.Errorf("%s: by query %+v, %v", kind, byQuery, err)
		}
		if want := "viz-server run db-version --database " + string(kind); s.Command() != want {
			t.Errorf("%s: by command %s", kind, s.Command())
		}
		if h := s.Header(event.Simulated); h.Systems[0].Kind != kind {
			t.Errorf("%s: the header says %s", kind, h.Systems[0].Kind)
		}
	}
	s := run.Scenario{Recipe: "db-version"}.WithDefaults()
	h := s.Header(event.Simulated)
	if h.Systems[0].Kind != event.PostgresSystem || strings.Contains(s.Query(), "database") {
		t.Errorf("nobody said a database: %+v, %s", h.Systems, s.Query())
	}
	// The statement is written as the database takes it.
	for kind, want := range map[event.SystemKind]string{"": "pg_advisory_lock", event.PostgresSystem: "pg_advisory_lock",
		event.MySQLSystem: "GET_LOCK"} {
		log := event.Log{}
		if err := run.Sim(t.Context(), run.Scenario{Recipe: "pg-advisory", Clients: 1, Database: kind}, &log); err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(log.Events, func(e event.Event) bool {
			return e.Kind == event.OpSent && strings.Contains(e.Text, want)
		}) {
			t.Errorf("%q: nobody has asked for %s", kind, want)
		}
	}
}

func parameter(t *testing.T, name string) run.Parameter {
	t.Helper()
	for _, p := range run.Parameters() {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("there is no parameter %s", name)
	return run.Parameter{}
}

// TestTableOfParameters checks the names, defaults and bounds.
func TestTableOfParameters(t *testing.T) {
	r, _ := recipe.Find("watch-the-lowest")
	want := []struct {
		name, usual string
		least, most any
	}{
		{"recipe", "", nil, nil}, {"clients", "6", 3, 1000}, {"rounds", "1", 1, 1000}, {"hold", "settled", "0s", "1h0m0s"},
		{"seed", "1", 0, nil},
		{"session-timeout", "10s", "1ms", "1h0m0s"}, {"latency", "1ms", "0s", "1m0s"}, {"jitter", "50µs", "0s", "1m0s"},
		{"stagger", "500µs", "0s", "1m0s"},
		{"servers", "1", 1, 9}, {"observers", "0", 0, 8}, {"database", "", nil, nil},
		{"store", "", nil, nil},
		{"poll", "", nil, nil}, {"first-number", "", nil, nil}, {"flaw", "", nil, nil},
		{"arrival", "", nil, nil},
		{"fault", "", nil, nil},
	}
	for i, p := range run.Parameters() {
		if i == len(want) || p.Name != want[i].name {
			t.Fatalf("parameter %d is %s, which is not there in this test's table", i, p.Name)
		}
		least, most := p.Bounds(r)
		if w := want[i]; p.Default() != w.usual || least != w.least || most != w.most {
			t.Errorf("%s is %q, from %v to %v; want %+v", p.Name, p.Default(), least, most, w)
		}
		many := p.Name == "fault" || p.Name == "flaw" || p.Name == "arrival"
		if p.Text == "" || p.Hint == "" || !strings.HasSuffix(p.Help(), ".") || p.Many != many {
			t.Errorf("%s: %q, %q", p.Name, p.Hint, p.Help())
		}
	}
}

// TestEveryFieldIsAParameter: every field of a scenario is in the table, or among those that nobody writes.
func TestEveryFieldIsAParameter(t *testing.T) {
	unwritten := map[string]bool{"Root": true, "Lines": true, "MaxEvents": true, "Yield": true}
	n := 0
	for i := range reflect.TypeFor[run.Scenario]().NumField() {
		if f := reflect.TypeFor[run.Scenario]().Field(i); !unwritten[f.Name] {
			n++
		}
	}
	if n != len(run.Parameters()) {
		t.Errorf("a scenario has %d fields that are written, and %d parameters", n, len(run.Parameters()))
	}
}

// TestGiven: what was specified; nothing specified isn't the same as the default specified.
func TestGiven(t *testing.T) {
	var g run.Given
	if s, usual := g.Scenario(), (run.Scenario{Seed: 1}).WithDefaults(); !reflect.DeepEqual(s, usual) || g.Has("seed",
		"hold") {
		t.Errorf("nothing said is %+v, want %+v", s, usual)
	}
	for _, said := range [][]string{
		{"recipe", "barrier"}, {"stagger", "0s"}, {"seed", "0"}, {"latency", "500µs"}, {"latency", "400µs"},
		{"fault", "crash client-1 at 5s", "drop client-2 at 1s"},
	} {
		if err := g.Set(said[0], said[1:]...); err != nil {
			t.Error(err)
		}
	}
	want := run.Scenario{
		Recipe: "barrier", Stagger: run.Together, Latency: 400 * time.Microsecond, Hold: 6 * time.Second,
		Faults: faults(t, "crash client-1 at 5s", "drop client-2 at 1s"),
	}.WithDefaults()
	if s, err := g.Valid(); err != nil || !reflect.DeepEqual(s, want) {
		t.Errorf("got %+v, %v, want %+v", s, err, want)
	}
	if !g.Has("seed") || !g.Has("hold", "latency") || g.Has("hold", "jitter") {
		t.Errorf("said: %+v", g)
	}
	for want, given := range map[string][]string{
		`a scenario has no parameter "colour"`:            {"colour", "red"},
		"the scenario has seed 0 times":                   {"seed"},
		"the scenario has seed 2 times":                   {"seed", "1", "2"},
		`hold="" is not a duration like 5s, or "settled"`: {"hold", ""},
	} {
		if err := g.Set(given[0], given[1:]...); err == nil || said(err) != want {
			t.Errorf("%q: got %v, want %s", given, err, want)
		}
	}
	if g.Has("hold") {
		t.Error("what was refused has been said")
	}
	if s := (run.Scenario{Hold: program.UntilSettled}); !reflect.DeepEqual(s.Written("hold"), []string{"settled"}) {
		t.Errorf("it is written %q", s.Written("hold"))
	}
}

// TestGivenAsJSON: a text, a number or a list; null specifies nothing.
func TestGivenAsJSON(t *testing.T) {
	var g run.Given
	if err := json.Unmarshal([]byte(`{"recipe":null,"clients":7,"seed":"9","rounds":"2","faults":["drop client-2 at 1s"],"hold":null}`), &g); err != nil {
		t.Fatal(err)
	}
	if s := g.Scenario(); s.Clients != 7 || s.Seed != 9 || s.Rounds != 2 || len(s.Faults) != 1 || g.Has("recipe", "hold") {
		t.Errorf("got %+v", s)
	}
	for text, want := range map[string]string{
		`{"clients":{}}`:   "clients: a value must be a text, a number or a list",
		`{"clients":true}`: "clients: a value must be",
		`{"faults":[1]}`:   "faults:", `{"clients":["1","2"]}`: "clients 2 times", `{"fault":"x"}`: `unknown field "fault"`,
		`[]`:              "cannot unmarshal",
		`{"clients":1e1}`: `clients="1e1" is not a whole number`,
	} {
		if err := json.Unmarshal([]byte(text), &g); err == nil || !strings.Contains(said(err), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
