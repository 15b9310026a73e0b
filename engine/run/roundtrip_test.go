package run_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/arrival"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/recipes"
)

// anyScenario draws a valid scenario, each part of which is usual or not.
func anyScenario(chance *rand.Rand) run.Scenario {
	r := one(chance, recipes.All()...)
	span := func(least, most time.Duration) time.Duration {
		return one(chance, 0, least, most, least+time.Duration(chance.Int64N(int64(most-least))))
	}
	s := run.Scenario{
		Recipe: r.Name, Clients: one(chance, 0, 6, max(r.MinClients, 1+chance.IntN(run.MaxClients))),
		Rounds: chance.IntN(run.MaxRounds + 1),
		Hold:   one(chance, program.UntilSettled, span(1, run.MaxHold)), Seed: one(chance, 0, 1, math.MaxUint64,
			chance.Uint64()),
		SessionTimeout: span(run.MinSessionTimeout, run.MaxSessionTimeout), Latency: span(1, run.MaxFlight),
		Stagger: one(chance, -1, span(1, run.MaxFlight)), Servers: one(chance, 0, 1, 3, 5),
		Poll: one(chance, recipe.Poll{}, recipe.Steady(), recipe.Leisurely()),
	}
	if !event.HasZooKeeper(r.Systems) {
		s.Servers = 0
	}
	s = s.WithDefaults()
	s.Jitter = one(chance, min(s.Jitter, s.Latency), s.Latency, 1+time.Duration(chance.Int64N(int64(s.Latency))))
	for range chance.IntN(8) {
		f := fault.Fault{Kind: one(chance, fault.Kinds()...), At: time.Duration(chance.Int64N(int64(fault.MaxAt)))}
		if f.Kind != fault.Restart {
			f.Client = 1 + chance.IntN(s.Clients)
		}
		if f.Kind.Lasts() {
			f.For = 1 + time.Duration(chance.Int64N(int64(fault.MaxAt)))
		}
		s.Faults = append(s.Faults, f)
	}
	s.Faults = possible(s, s.Faults)
	if r.Use != "" && one(chance, true, false) {
		s.Arrivals = anyArrivals(chance, s.Clients)
	}
	return s
}

func anyArrivals(chance *rand.Rand, clients int) (list []arrival.Arrival) {
	for i := range min(clients, chance.IntN(5)) {
		a := arrival.Arrival{Client: i + 1, Timeout: one(chance, 0, time.Duration(1+chance.Int64N(int64(time.Hour))))}
		for at := time.Duration(0); len(a.Visits) == 0 || chance.IntN(3) > 0; at += time.Duration(chance.IntN(1e9)) {
			a.Visits = append(a.Visits, arrival.Visit{At: at, For: one(chance, 0, time.Duration(1+chance.IntN(1e9)))})
		}
		list = append(list, a)
	}
	return list
}

// possible returns those of the faults that the scenario's run can have.
func possible(s run.Scenario, faults []fault.Fault) (list []fault.Fault) {
	s = s.WithDefaults()
	for _, f := range faults {
		s.Faults = []fault.Fault{f}
		if s.Validate() == nil {
			list = append(list, f)
		}
	}
	return list
}

// words splits a command line as a shell does: at spaces that are not quoted.
func words(command string) []string {
	var list []string
	for _, w := range regexp.MustCompile(`'[^']*'|[^ ]+`).FindAllString(command, -1) {
		list = append(list, strings.Trim(w, "'"))
	}
	return list
}

// flags turns a command line into a query: flags and query parameters have the same names.
func flags(t *testing.T, command string) string {
	t.Helper()
	w := words(command)
	if len(w) < 3 || w[0] != "viz-server" || w[1] != "run" || len(w)%2 != 1 {
		t.Fatalf("what is %q?", command)
	}
	q := "recipe=" + url.QueryEscape(w[2])
	for i := 3; i < len(w); i += 2 {
		q += "&" + strings.TrimPrefix(w[i], "--") + "=" + url.QueryEscape(w[i+1])
	}
	return q
}

// TestRoundTrips: a scenario that is written in any form is read back unchanged. Each written part counts.
func TestRoundTrips(t *testing.T) {
	chance := rand.New(rand.NewPCG(3, 4))
	n := 2000
	if testing.Short() {
		n /= 8
	}
	for range n {
		s := anyScenario(chance)
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		byFile, err := run.ReadFile(strings.NewReader(string(text)))
		same(t, s, "file", string(text), byFile, err)
		byQuery, err := run.ParseQuery(s.Query())
		same(t, s, "query", s.Query(), byQuery, err)
		byFlags, err := run.ParseQuery(flags(t, s.Command()))
		same(t, s, "command", s.Command(), byFlags, err)
		leavesOutTheUsual(t, s)
	}
}

func same(t *testing.T, s run.Scenario, way, text string, got run.Scenario, err error) {
	t.Helper()
	if way == "command" && len(text) > run.MaxQuery/2 {
		return // the test's own detour is too long
	}
	if got = got.WithDefaults(); err != nil || !reflect.DeepEqual(got, s) {
		t.Fatalf("%s %s\nis read as %+v, %v\nof        %+v", way, text, got, err, s)
	}
}

// leavesOutTheUsual requires a command line without unneeded flags.
func leavesOutTheUsual(t *testing.T, s run.Scenario) {
	t.Helper()
	w := words(s.Command())
	for i := 3; i < len(w); i += 2 {
		less := slices.Delete(slices.Clone(w), i, i+2)
		for j := 4; j < len(less); j += 2 {
			less[j] = "'" + less[j] + "'"
		}
		got, err := run.ParseQuery(flags(t, strings.Join(less, " ")))
		if err == nil && reflect.DeepEqual(got.WithDefaults(), s) {
			t.Fatalf("%s needs no %s %s", s.Command(), w[i], w[i+1])
		}
	}
}

// TestFileSaysEverything: every field of a file counts, and a missing one is the default.
func TestFileSaysEverything(t *testing.T) {
	const text = `{"format":"zkviz-scenario","version":1,"recipe":"barrier","clients":7,"rounds":2,"hold":"3s","seed":"9",` +
		`"session_timeout":"4s","latency":"5ms","jitter":"1ms","stagger":"0s","faults":["crash client-7 at 1s"]}`
	s, err := run.ReadFile(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(s); err != nil || string(again) != text {
		t.Errorf("%s\nis written as %s, %v", text, again, err)
	}
	bare, err := run.ReadFile(strings.NewReader(`{"format":"zkviz-scenario","version":1,"recipe":"barrier"}`))
	if want := (run.Scenario{Recipe: "barrier", Seed: 1}).WithDefaults(); err != nil || !reflect.DeepEqual(bare, want) {
		t.Errorf("got %+v, %v, want %+v", bare, err, want)
	}
}

// TestEveryParameterIsRefused gives each parameter of a query wrongly or twice.
func TestEveryParameterIsRefused(t *testing.T) {
	const count, duration = "is not a whole number from 1 on", "is not a duration like 5s"
	for name, c := range map[string]struct {
		wrong []string
		want  string
	}{
		"clients":         {[]string{"", "1.5", "x", "9999999999999999999"}, count},
		"rounds":          {[]string{"", "1.5", "x"}, count},
		"seed":            {[]string{"", "-1", "x", "18446744073709551616"}, "is not a whole number from 0 on"},
		"hold":            {[]string{"", "-1s", "5", "Settled"}, duration},
		"session-timeout": {[]string{"", "-1s", "5"}, duration},
		"latency":         {[]string{"", "-1ns", "5"}, duration},
		"jitter":          {[]string{"", "-1ns", "5"}, duration},
		"stagger":         {[]string{"", "-1ns", "5"}, duration},
		"fault":           {[]string{"", "hug client-1"}, "wrong number of words"},
	} {
		for _, w := range c.wrong {
			_, err := run.ParseQuery("recipe=unique-lock&" + name + "=" + url.QueryEscape(w))
			if err == nil || !strings.Contains(said(err), c.want) || name != "fault" && !strings.HasPrefix(said(err),
				name+"=") {
				t.Errorf("%s=%q: got %v, want %q", name, w, err, c.want)
			}
		}
		if name == "fault" {
			continue
		}
		_, err := run.ParseQuery("recipe=unique-lock&" + name + "=1&" + name + "=1")
		if err == nil || said(err) != "the scenario has "+name+" 2 times" {
			t.Errorf("%s twice: %v", name, err)
		}
	}
}

// TestLengthsAreBounded checks a query, a file and their faults at the greatest length and one beyond it.
func TestLengthsAreBounded(t *testing.T) {
	query := func(n int) string { return strings.Repeat("x", n) }
	for n, want := range map[int]string{run.MaxQuery: "no parameter", run.MaxQuery + 1: "at most 2048 bytes, not 2049"} {
		if _, err := run.ParseQuery(query(n)); err == nil || !strings.Contains(said(err), want) {
			t.Errorf("a query of %d bytes: %v", n, err)
		}
	}
	const head = `{"format":"zkviz-scenario","version":1,"recipe":"unique-lock"`
	for n, ok := range map[int]bool{1 << 20: true, 1<<20 + 1: false} {
		text := head + strings.Repeat(" ", n-len(head)-1) + "}"
		if _, err := run.ReadFile(strings.NewReader(text)); (err == nil) != ok {
			t.Errorf("a file of %d bytes: %v", n, err)
		}
	}
	for n, ok := range map[int]bool{1000: true, 1001: false} {
		text := head + `,"faults":[` + strings.Repeat(`"crash client-1 at 1s",`, n-1) + `"crash client-1 at 1s"]}`
		s, err := run.ReadFile(strings.NewReader(text))
		if (err == nil) != ok || ok && len(s.Faults) != n {
			t.Errorf("%d faults: %d are read, %v", n, len(s.Faults), err)
		}
	}
	for version, ok := range map[string]bool{"0": false, "1": true, "2": false} {
		text := `{"format":"zkviz-scenario","version":` + version + `,"recipe":"unique-lock"}`
		if _, err := run.ReadFile(strings.NewReader(text)); (err == nil) != ok {
			t.Errorf("version %s: %v", version, err)
		}
	}
}

// TestHeader: the header of a log says what was run.
func TestHeader(t *testing.T) {
	s := run.Scenario{
		Recipe: "barrier", Root: "/r", Clients: 2, Rounds: 3, Hold: 4, Seed: 5, SessionTimeout: 6, Latency: 7, Jitter: 1,
		Stagger: 8,
		Faults:  faults(t, "crash client-1 at 9s", "restart server at 1s for 1s"),
	}
	r := recipe.Recipe{Name: "barrier", Keeps: []string{"kept"}, Promises: []string{"p"}, Limits: []string{"l"},
		Drawing: event.Drawing{Kind: event.DrawItems},
		Parents: func(root string) []string { return []string{root, root + "/p"} }}
	want := event.Header{
		Recipe: "barrier", Host: "sim", Root: "/r", Parents: []string{"/r", "/r/p"}, Keeps: []string{"kept"}, Clients: 2,
		Rounds: 3, Hold: 4, Promises: []string{"p"}, Limits: []string{"l"}, Drawing: event.Drawing{Kind: event.DrawItems},
		Systems: []event.System{{Kind: event.ZooKeeperSystem, Servers: 1}},
		Seed:    5, SessionTimeout: 6, Latency: 7, Faults: []string{"crash client-1 at 9s", "restart server at 1s for 1s"},
	}
	if got := s.HeaderOf(r, "sim"); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	want.Host, want.Latency, want.Systems[0].Servers = "live", 0, 0 // nobody knows them
	if got := s.HeaderOf(r, "live"); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	known, _ := recipe.Find("barrier")
	if got, want := s.Header("sim"), s.HeaderOf(known, "sim"); !reflect.DeepEqual(got, want) || got.Parents == nil {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := (run.Scenario{Recipe: "unheard-of"}).Header("sim"); got.Parents != nil || got.Recipe != "unheard-of" {
		t.Errorf("got %+v", got)
	}
}
