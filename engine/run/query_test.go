package run_test

import (
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/link"
)

// TestQueryRoundTrip checks the law by which a link shows the very same run: parse(write(s)) = s.
func TestQueryRoundTrip(t *testing.T) {
	for _, s := range []run.Scenario{
		{Recipe: "unique-lock"},
		{Recipe: "barrier", Clients: 31, Rounds: 3, Seed: 1<<64 - 1, Hold: 1, Stagger: -1},
		{
			Recipe: "predecessor-lock", Hold: 1500 * time.Millisecond, SessionTimeout: 4 * time.Second,
			Latency: 300 * time.Millisecond, Jitter: 60 * time.Millisecond, Stagger: time.Second,
			Faults: faults(t, "pause client-1 at 2.000000001s for 15s", "restart server at 3s for 1s", "crash client-2 at 1ms"),
		},
		{Recipe: "fifo-queue", Hold: program.UntilSettled},
	} {
		s = s.WithDefaults()
		got, err := run.ParseQuery(s.Query())
		if err != nil {
			t.Errorf("%s: %v", s.Query(), err)
			continue
		}
		if got = got.WithDefaults(); !reflect.DeepEqual(got, s) {
			t.Errorf("%s: got %+v, want %+v", s.Query(), got, s)
		}
	}
}

func TestQueryIsRefused(t *testing.T) {
	for query, want := range map[string]string{
		"":                                              `there is no recipe ""`,
		"recipe=xyzzy":                                  `there is no recipe "xyzzy"`,
		"recipe=unique-lock&recipe=barrier":             "has recipe 2 times",
		"recipe=unique-lock&clients=0":                  `unique-lock runs with 1 to 1000 clients, not 0`,
		"recipe=unique-lock&clients=1001":               "to 1000 clients, not 1001",
		"recipe=unique-lock&rounds=1e3":                 `rounds="1e3" is not`,
		"recipe=unique-lock&seed=-1":                    `seed="-1" is not`,
		"recipe=unique-lock&hold=-5s":                   `hold="-5s" is not a duration`,
		"recipe=unique-lock&hold=2h":                    "holds for up to 1h0m0s, not 2h0m0s",
		"recipe=unique-lock&latency=":                   `latency="" is not a duration`,
		"recipe=unique-lock&colour=red":                 `no parameter "colour"`,
		"recipe=unique-lock&fault=hug+client-1":         "the wrong number of words",
		"recipe=unique-lock&fault=crash+client-9+at+1s": "there is no client-9 among 6 clients",
		"recipe=%zz":                                    "is not a scenario's query",
		"recipe=a;b":                                    "is not a scenario's query",
		"recipe=" + strings.Repeat("x", 2048):           "at most 2048 bytes, not 2055",
		strings.Repeat("y", 100) + "=1":                 "no parameter",
		"recipe=unique-lock&%00=1":                      `no parameter "\x00"`,
	} {
		_, err := run.ParseQuery(query)
		if err == nil || !strings.Contains(said(err), want) {
			t.Errorf("%.60q: got %v, want %q", query, err, want)
		}
		if err != nil && len(said(err)) > 400 {
			t.Errorf("%.60q: the error has %d bytes", query, len(said(err)))
		}
	}
}

func FuzzParseQuery(f *testing.F) {
	f.Add("recipe=unique-lock&clients=3&hold=settled&fault=crash+client-1+at+2s")
	f.Add("recipe=predecessor-lock&stagger=0s&latency=1ms&jitter=1us&seed=7")
	f.Fuzz(func(t *testing.T, query string) {
		s, err := run.ParseQuery(query)
		if err != nil {
			return
		}
		again, err := run.ParseQuery(s.Query())
		if len(s.Query()) <= run.MaxQuery && (err != nil || !reflect.DeepEqual(again.WithDefaults(), s.WithDefaults())) {
			t.Errorf("%q became %q: %v", query, s.Query(), err)
		}
	})
}

// TestNoTimeIsNotTheDefault: an explicit zero means the least possible value.
func TestNoTimeIsNotTheDefault(t *testing.T) {
	s, err := run.ParseQuery("recipe=unique-lock&latency=0s&jitter=0s&stagger=0s&hold=0s")
	if s = s.WithDefaults(); err != nil || s.Latency != 1 || s.Jitter != 1 || s.Stagger >= 0 || s.Hold != 1 {
		t.Errorf("got %+v, %v", s, err)
	}
}

// TestFaultIsReadAfterServers: whatever comes first in an address, the error for a wrong fault explains how to
// write it for that number of servers.
func TestFaultIsReadAfterServers(t *testing.T) {
	for query, key := range map[string]string{
		"recipe=barrier&fault=hug&servers=3": "bad.fault.ensemble",
		"servers=3&fault=hug&recipe=barrier": "bad.fault.ensemble",
		"recipe=barrier&fault=hug&servers=1": "bad.fault",
		"recipe=barrier&fault=hug&xyzzy=1":   "bad.parameter",
	} {
		if _, err := run.ParseQuery(query); err == nil || sentence.From(err).Key != key {
			t.Errorf("%s: %v, want %s", query, err, key)
		}
	}
}

// TestLinksNameOtherParameters checks that no parameter of a run is taken for a part of a link to a moment.
func TestLinksNameOtherParameters(t *testing.T) {
	for _, p := range run.Parameters() {
		q := url.Values{p.Name: {"1"}}
		if m, err := link.Take(q); err != nil || !reflect.DeepEqual(m, link.Moment{}) || !q.Has(p.Name) {
			t.Errorf("a link takes %s for %+v, %v", p.Name, m, err)
		}
	}
}
