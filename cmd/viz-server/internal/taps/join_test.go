package taps_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/taps"
	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/observe/tap"
	languages "github.com/zkviz/zkviz/static/strings"
)

var began = time.Date(2026, 11, 30, 11, 0, 0, 0, time.UTC)

// breakdown returns what a tap has seen of two locks: two of its clients are connected, one was told something.
func breakdown() *tap.Breakdown {
	recent := tap.Tally{Requests: 60, Errors: 2, Latency: tap.Latency{P99: 3 * time.Millisecond}}
	return &tap.Breakdown{Began: began, At: began.Add(time.Hour), Span: 50 * time.Second, Open: []int64{0x11, 0x12},
		Paths: []tap.PathRow{{Path: "/app/sem/leases", Row: tap.Row{Recent: recent}},
			{Path: "/app/lock", Row: tap.Row{Recent: recent}, Woken: 11, MostWoken: 12},
			{Path: "/app/idle", Row: tap.Row{All: recent}}},
		Clients: []tap.ClientRow{{Session: 0x11, Told: tap.Told{At: began.Add(time.Hour - 8*time.Second),
			Type: "NodeDeleted", Path: "/app/lock/n-0000000001"}}, {Session: 0x12}}}
}

func row(path string, holder int64, waiters ...int64) *locks.Row {
	r := &locks.Row{Path: path, Holding: []locks.Holder{{Hand: handover.Hand{Node: handover.Node{Session: holder}}}}}
	for _, w := range waiters {
		r.Waiters = append(r.Waiters, locks.Waiter{Node: handover.Node{Session: w}})
	}
	return r
}

// TestJoin checks what a tap tells about locks: whose clients come through it, and whose it doesn't see.
func TestJoin(t *testing.T) {
	voice := sentence.Voice{Say: languages.English().Say}
	f := taps.FiguresOf(breakdown(), "127.0.0.1:2182", "zk1:2181")
	for _, c := range []struct {
		row  *locks.Row
		want string
		told string // about the session 0x11
	}{
		{row("/app/lock", 0x12, 0x11), "through the tap: 1.2 requests a second, 99% within 3ms, in the last 50 s; " +
			"2 failed; the last change there woke 11; 2 of 2 clients named here come through the tap",
			"told NodeDeleted /app/lock/n-0000000001 8 s ago, and has asked nothing since"},
		{row("/app/lock", 0x99, 0x11, 0x98), "through the tap: 1.2 requests a second, 99% within 3ms, in the last 50 s; " +
			"2 failed; the last change there woke 11; " +
			"1 of 3 clients named here comes through the tap; it doesn't see 0x99 and 0x98",
			"told NodeDeleted /app/lock/n-0000000001 8 s ago, and has asked nothing since"},
		{row("/app/sem", 0), "through the tap: 1.2 requests a second, 99% within 3ms, in the last 50 s; 2 failed", ""},
		{row("/app/idle", 0x99), "through the tap: no requests in the last 50 s; 0 of 1 client named here come through the " +
			"tap; it doesn't see 0x99", ""},
		{row("/app", 0x12), "1 of 1 client named here comes through the tap", ""},
		{row("/other", 0x99), "", ""},
	} {
		path := c.row.Path
		if path == "/app" {
			path = "/elsewhere"
		}
		s := f.Of(c.row, path)
		var got []string
		for _, said := range s.Says() {
			got = append(got, voice.Says(said))
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("of %s it says %q, not %q", c.row.Path, text, c.want)
		}
		if told := voice.Says(s.LastTold(0x11)); told != c.told {
			t.Errorf("of %s, the client: %q, not %q", c.row.Path, told, c.told)
		}
		if got := voice.Says(s.Client(0x98)); got != "not through the tap" {
			t.Errorf("of a client that it doesn't see: %q", got)
		}
	}
}

// TestRemote reads figures over HTTP, once a second at most, and refuses what isn't a tap's.
func TestRemote(t *testing.T) {
	asked, body, status := 0, "", 200
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	defer server.Close()
	many := strings.Repeat(`{"path":"/"},`, tap.MaxRows) + `{"path":"/"}`
	for _, c := range []struct {
		body   string
		status int
		bad    string
	}{
		{`{"time":"2026-11-30T11:00:00Z","recent_s":40,"sessions":["0x11"]}`, 200, ""},
		{`{"time":"2026-11-30T11:00:00Z","recent_s":40}`, 500, "no tap of viz-server answers there (status 500)"},
		{`{"time":"2026-11-30T11:00:00Z"}`, 200, "no tap"},
		{`<html>`, 200, "no tap"}, {`{}`, 200, "no tap"}, {`[]`, 200, "no tap"}, {`null`, 200, "no tap"},
		{`{"time":"2026-11-30T11:00:00Z","paths":[` + many + `]}`, 200, "no tap"},
	} {
		body, status, asked = c.body, c.status, 0
		r, err := taps.NewRemote(server.URL + "/")
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			f, err := r.Figures(t.Context())
			if c.bad == "" && (err != nil || !slices.Equal(f.Sessions, []string{"0x11"})) {
				t.Errorf("%v: %+v", err, f)
			}
			if c.bad != "" && (err == nil || !strings.Contains(err.Error(), c.bad)) {
				t.Errorf("%.60s: %v", c.body, err)
			}
		}
		if asked == 0 {
			t.Error("nobody was asked")
		}
	}
	for _, bad := range []string{"", "10.0.3.7:8081", "ftp://a", "http://u:p@a", "http://a?x=1", "http://"} {
		if _, err := taps.NewRemote(bad); err == nil {
			t.Errorf("%q is taken for an address", bad)
		}
	}
}
