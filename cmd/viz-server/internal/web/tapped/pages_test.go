package tapped_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/taps"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/tap"
)

// counted is a tap with figures of its own.
type counted struct {
	*tap.Tap
	figures   tap.Figures
	breakdown tap.Breakdown
}

func (c counted) Figures() tap.Figures     { return c.figures }
func (c counted) Breakdown() tap.Breakdown { return c.breakdown }

var began = time.Date(2026, 11, 30, 11, 0, 0, 0, time.UTC)

// sample returns a tap with 120 paths, of which one has a hostile name, and two clients.
func sample(t *testing.T) counted {
	t.Helper()
	x, err := tap.Listen(tap.Config{Listen: "127.0.0.1:0", Servers: []string{"zk1:2181", "zk2:2181"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	tally := func(n int, p99 time.Duration) tap.Row {
		all := tap.Tally{Requests: n, Writes: n / 3, Wakeups: n / 10, Errors: 3, Latency: tap.Latency{P50: p99 / 4, P99: p99,
			Max: 2 * p99}, Codes: []tap.CodeFigures{{Code: zoo.ErrNoNode, N: 2}, {Code: -999, N: 1}}}
		recent := tap.Tally{Requests: n / 2, Latency: all.Latency}
		return tap.Row{All: all, Recent: recent, Since: began}
	}
	c := counted{Tap: x, figures: tap.Figures{Open: 2, Sessions: 3, Gaps: 1, MissedBytes: 4096},
		breakdown: tap.Breakdown{Began: began, At: began.Add(10 * time.Minute), Span: 40 * time.Second,
			Total: tally(9000, time.Millisecond), OtherPaths: tally(70, time.Millisecond),
			Herds: []tap.Herd{{At: began, Path: "/app/lock/n-0000000001", Change: event.ZnodeDeleted, Session: 0x17,
				Wakeups: 11}}}}
	for i := range 119 {
		c.breakdown.Paths = append(c.breakdown.Paths, tap.PathRow{Path: fmt.Sprintf("/app/%03d", i),
			Row: tally(1000-i, time.Duration(i+1)*time.Millisecond), Sequences: i == 0, Woken: 3, MostWoken: 9})
	}
	c.breakdown.Paths = append(c.breakdown.Paths, tap.PathRow{Path: "/<script>\x1b\u202e\"", Row: tally(1, time.Second)})
	for i, r := range []tap.ClientRow{
		{Client: "10.0.0.1:4000", Open: true, Told: tap.Told{At: began.Add(9 * time.Minute), Type: "NodeDeleted",
			Path: "/app/lock/n-0000000001"}},
		{Client: "10.0.0.2:4000", Over: true},
	} {
		r.Session, r.Server, r.Row = int64(0x17+i), "zk1:2181", tally(30, time.Millisecond)
		c.breakdown.Clients = append(c.breakdown.Clients, r)
	}
	return c
}

// paths returns the paths of a page's rows.
func paths(body string) (all []string) {
	for _, m := range regexp.MustCompile(`href="/zoo\?path=[^"]*" translate="no"><bdi>([^<]*)</bdi></a>`).
		FindAllStringSubmatch(body, -1) {
		all = append(all, m[1])
	}
	return all
}

// TestPage checks what the page says and how it sorts, filters and splits its rows, each by its address alone.
func TestPage(t *testing.T) {
	url := webtest.Serve(t, web.Config{Tap: sample(t)}).URL
	for _, c := range []struct {
		at          string
		rows        int // paths, one of them of a herd
		first       string
		want, lacks []string
	}{
		{"/", 51, "/app/000", []string{"zk1:2181, zk2:2181", "last 40 s", "1 gap: 4096 bytes", "12.5",
			"with its sequential znodes", "one woke 9 at most", "all other paths", "no node: 0 in the last 40 s, 2 since",
			"other errors", "was deleted and woke 11; 0x17 did it", "path=%2Fapp%2Flock\"", "Page 1 of 3", `class="bar"`,
			`href="/tap?sort=failed"`}, []string{"/app/050", "http-equiv"}},
		{"/tap?page=3", 21, "/app/100", []string{"Page 3 of 3"}, nil},
		{"/tap?page=99999999999999999999", 21, "", []string{"Page"}, nil},
		{"/tap?sort=most", 51, `/&lt;script&gt;\u001b\u202e&#34;`, []string{`aria-sort="descending"`}, []string{"<script>\x1b"}},
		{"/tap?sort=name", 51, `/&lt;script&gt;\u001b\u202e&#34;`, []string{`aria-sort="ascending"`}, nil},
		{"/tap?sort=%3Cscript%3E&by=%22%3E&text=%22%3E%3Cscript%3E", 1, "", []string{"0 of 120"}, []string{`"><script>`}},
		{"/tap?text=app/00&span=all", 11, "/app/000", []string{"10 of 120", `value="app/00"`, "no node 2"}, nil},
		{"/tap?by=client", 1, "", []string{"0x17", "10.0.0.1:4000, at zk1:2181",
			"told NodeDeleted /app/lock/n-0000000001 1 min 0 s ago, and has asked nothing since", "its session is over"}, nil},
		{"/tap?by=client&text=10.0.0.2", 1, "", []string{"1 of 2", "0x18"}, []string{"10.0.0.1:4000, at"}},
		{"/zoo", 0, "", []string{`href="/tap"`}, nil},
		{"/lessons", 0, "", []string{"/lessons/"}, nil},
	} {
		status, _, body := webtest.Get(t, url+c.at)
		got := paths(body)
		if status != 200 || len(got) != c.rows || c.first != "" && got[0] != c.first {
			t.Errorf("%s: %d, %d rows, %q", c.at, status, len(got), got)
		}
		for _, want := range c.want {
			if !strings.Contains(body, want) {
				t.Errorf("%s lacks %q", c.at, want)
			}
		}
		for _, lacks := range c.lacks {
			if strings.Contains(body, lacks) {
				t.Errorf("%s has %q", c.at, lacks)
			}
		}
	}
	if _, h, body := webtest.Get(t, url+"/tap?every=5"); h.Get("Refresh") != "5" ||
		!strings.Contains(body, "Stop looking") {
		t.Errorf("it looks again after %q s", h.Get("Refresh"))
	}
}

// TestJSON checks that the object has every row, with hostile names as they are.
func TestJSON(t *testing.T) {
	url := webtest.Serve(t, web.Config{Tap: sample(t)}).URL
	_, h, body := webtest.Get(t, url+"/tap.json")
	var got struct {
		Servers string
		taps.Tables
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil || h.Get("Content-Type") != "application/json" {
		t.Fatalf("%v, %q: %s", err, h.Get("Content-Type"), body)
	}
	if len(got.Paths) != 120 || got.Paths[119].Path != "/<script>\x1b\u202e\"" || got.Clients[0].Told.Asked != nil ||
		got.OtherPaths.Requests != 70 || got.OtherClients != nil || got.Codes["no node"] != 2 || got.SpanS != 40 ||
		got.Herds[0].Wakeups != 11 || got.Servers != "zk1:2181, zk2:2181" {
		t.Errorf("it has %+v", got)
	}
}

// TestWithoutTap checks that a server without a tap has no such page, and its lessons first.
func TestWithoutTap(t *testing.T) {
	url := webtest.Serve(t, web.Config{}).URL
	if status, _, _ := webtest.Get(t, url+"/tap"); status != 404 {
		t.Errorf("the page answers %d", status)
	}
	if _, _, body := webtest.Get(t, url+"/"); !strings.Contains(body, "/lessons/") || strings.Contains(body, `"/tap"`) {
		t.Error("the first page isn't that of the lessons, or leads to a tap")
	}
}
