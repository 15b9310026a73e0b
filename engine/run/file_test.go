package run_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/run"
)

// TestFileRoundTrip: what is read is what was written, and runs the same.
func TestFileRoundTrip(t *testing.T) {
	for _, s := range []run.Scenario{
		{Recipe: "unique-lock"},
		{Recipe: "barrier", Clients: 31, Rounds: 3, Seed: 1<<64 - 1, Hold: 1, Stagger: -1},
		{
			Recipe: "predecessor-lock", Hold: 1500 * time.Millisecond, SessionTimeout: 4 * time.Second,
			Latency: 300 * time.Millisecond, Jitter: 60 * time.Millisecond, Stagger: time.Second,
			Faults: faults(t, "pause client-1 at 2.000000001s for 15s", "restart server at 3s for 1s"),
		},
	} {
		s = s.WithDefaults()
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := run.ReadFile(strings.NewReader(string(text))); err != nil || !reflect.DeepEqual(got, s) {
			t.Errorf("%s: got %+v, %v, want %+v", text, got, err, s)
		}
	}
}

func TestFileIsRefused(t *testing.T) {
	const head = `{"format":"zkviz-scenario","version":1,"recipe":"unique-lock","seed":"1"`
	for text, want := range map[string]string{
		"":                                   "not a scenario file",
		"[]":                                 "not a scenario file",
		`{"recipe":"unique-lock"}`:           `its format is not "zkviz-scenario"`,
		head + `,"colour":1}`:                "unknown field",
		head + `}{}`:                         "something follows",
		head + `,"clients":-1}`:              "1000 clients, not -1",
		head + `,"hold":"soon"}`:             `hold="soon" is not`,
		head + `,"faults":["hug client-1"]}`: "wrong number of words",
		`{"format":"zkviz-scenario","version":2,"recipe":"unique-lock","seed":"1"}`: "version 2",
		strings.Repeat(" ", 2<<20): "at most 1048576 bytes",
	} {
		if _, err := run.ReadFile(strings.NewReader(text)); err == nil || !strings.Contains(said(err), want) {
			t.Errorf("%.60q: got %v, want %q", text, err, want)
		}
	}
	if _, err := run.ReadFile(strings.NewReader(head + "}")); err != nil {
		t.Error(err)
	}
}

func TestCommand(t *testing.T) {
	for want, s := range map[string]run.Scenario{
		"viz-server run unique-lock": {Recipe: "unique-lock", Seed: 1},
		"viz-server run barrier --clients 2 --rounds 3 --hold 1s --seed 7 --session-timeout 4s --latency 20ms --jitter 2ms " +
			"--stagger 0s " +
			"--fault 'crash client-1 at 1s' --fault 'pause client-2 at 2s for 3s'": {
			Recipe: "barrier", Clients: 2, Rounds: 3, Hold: time.Second, Seed: 7, SessionTimeout: 4 * time.Second,
			Latency: 20 * time.Millisecond, Jitter: 2 * time.Millisecond, Stagger: -1,
			Faults: faults(t, "crash client-1 at 1s", "pause client-2 at 2s for 3s"),
		},
	} {
		if got := s.Command(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
