package lab_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/broken"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/compare"
	"github.com/zkviz/zkviz/recipes"
)

// TestLocksShowWhatBreaks checks that each broken promise in the table is a link to its moment in the Lab, with a label
// for screen readers.
func TestLocksShowWhatBreaks(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	rows, err := broken.Table()
	if err != nil {
		t.Fatal(err)
	}
	status, _, body := webtest.Get(t, srv.URL+"/locks")
	if status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	link := regexp.MustCompile(`<a href="(/lab\?[^"]*event=[0-9]+&amp;sum=[0-9a-f]{16})" title="([^"]*)" ` +
		`aria-label="([^"]*)" translate="no">([A-Z])</a>`)
	links := link.FindAllStringSubmatch(body, -1)
	rules := broken.Rules(rows)
	for _, r := range rows {
		if !strings.Contains(body, `<th scope="row"><a href="/recipes#`+r.Recipe+`">`+r.Recipe+`</a></th>`) {
			t.Errorf("%s has no row", r.Recipe)
		}
		for _, c := range r.Cells {
			for i := range c.Broken {
				if len(links) == 0 {
					t.Fatalf("%s, %s: no link", r.Recipe, c.Fault)
				}
				l := links[0]
				links = links[1:]
				letter := c.Mark(rules)[i : i+1]
				if got := html.UnescapeString(l[1]); got != c.Broken[i].Reproduction.Link || l[4] != letter || l[2] != l[3] ||
					!strings.HasPrefix(l[2], letter+": "+r.Recipe+", ") || !strings.Contains(l[2], ", "+c.Fault) {
					t.Errorf("%s, %s: %s of %q leads to %s", r.Recipe, c.Fault, l[4], l[2], got)
				}
			}
		}
	}
	if len(links) > 0 {
		t.Errorf("%d links more than promises that break", len(links))
	}
	last := rows[len(rows)-1].Cells[0].Broken[0].Reproduction.Link
	if status, _, body := webtest.Get(t, srv.URL+last); status != http.StatusOK || !strings.Contains(body, "&amp;event=") {
		t.Errorf("%s: status %d, and not at that moment", last, status)
	}
}

// TestLocksAreFound checks that the Lab and the recipes link to the page.
func TestLocksAreFound(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	for _, path := range []string{"/lab", "/lab/compare", "/recipes"} {
		if _, _, body := webtest.Get(t, srv.URL+path); !strings.Contains(body, `href="/locks"`) {
			t.Errorf("%s does not lead there", path)
		}
	}
}

// cells returns the texts of the contest's rows. The first of each names the lock.
func cells(body string) (rows [][]string) {
	_, table, _ := strings.Cut(body, `<table class="costs contest">`)
	table, _, _ = strings.Cut(table, "</table>")
	tag := regexp.MustCompile(`<[^>]*>`)
	for _, tr := range strings.Split(table, "<tr")[2:] {
		var row []string
		for _, cell := range regexp.MustCompile(`(?s)<t[hd][ >].*?</t[hd]>`).FindAllString(tr, -1) {
			row = append(row, strings.Join(strings.Fields(html.UnescapeString(tag.ReplaceAllString(cell, " "))), " "))
		}
		rows = append(rows, row)
	}
	return rows
}

// TestContest checks that each lock has the figures of compare, and each chart one bar for each run, the longest over
// the whole width.
func TestContest(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	status, _, body := webtest.Get(t, srv.URL+"/locks?clients=5&rounds=2&hold=5ms&seed=7")
	rows := cells(body)
	if status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	var names []string
	for _, r := range recipes.Contest() {
		for _, poll := range compare.Entries(r) {
			s := compare.Contest()
			s.Recipe, s.Clients, s.Rounds, s.Hold, s.Seed, s.Poll = r.Name, 5, 2, 5*time.Millisecond, 7, poll
			want, err := compare.Measure(t.Context(), event.Simulated, run.Sim, s, nil)
			if err != nil {
				t.Fatal(err)
			}
			name := r.Name
			if want.Poll != "" {
				name += " polls each " + want.Poll
			}
			names = append(names, name)
			line := []string{name}
			for _, f := range compare.ContestFigures() {
				line = append(line, f.Text(want))
			}
			if len(rows) == 0 || !slices.Equal(rows[0], line) {
				t.Fatalf("got %q, want %q", rows, line)
			}
			rows = rows[1:]
		}
	}
	if len(rows) > 0 {
		t.Errorf("more rows than locks: %q", rows)
	}
	plots := strings.Split(body, "<figure")[1:]
	if len(plots) != 4 {
		t.Errorf("%d charts", len(plots))
	}
	for _, plot := range plots {
		widest := 0.
		bars := regexp.MustCompile(`<rect class="bar sim" x="0" y="[0-9.]+" width="([0-9.]+)"`).FindAllStringSubmatch(plot, -1)
		for _, b := range bars {
			width, err := strconv.ParseFloat(b[1], 64)
			if err != nil {
				t.Error(err)
			}
			widest = max(widest, width)
		}
		if len(bars) != len(names) || widest != 320 || !strings.Contains(plot, "aria-label=") {
			t.Errorf("%d bars for %d runs, the widest %v", len(bars), len(names), widest)
		}
	}
}

// TestContestLeadsToItsRuns checks that the Lab shows the measured run, with the same polling.
func TestContestLeadsToItsRuns(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	_, _, body := webtest.Get(t, srv.URL+"/locks?clients=3")
	links := regexp.MustCompile(`<a href="(/lab\?[^"]*)">([a-z-]+)</a>\s*<span class="small">([^<]*)</span>`).
		FindAllStringSubmatch(body, -1)
	if rows := cells(body); len(links) != len(rows) {
		t.Errorf("%d links in %d rows", len(links), len(rows))
	}
	for _, l := range links {
		query := strings.TrimPrefix(html.UnescapeString(l[1]), "/lab?")
		s, err := run.ParseQuery(query)
		like := compare.Contest()
		if err != nil || s.Recipe != l[2] || s.Clients != 3 || s.Hold != like.Hold || s.Latency != like.Latency ||
			s.Jitter != like.Jitter || l[3] != "" && l[3] != "polls each "+s.Poll.String() {
			t.Errorf("%s, %s leads to %s, %v", l[2], l[3], query, err)
		}
	}
	steady := slices.IndexFunc(links, func(l []string) bool { return l[3] == "polls each 50 ms" })
	if steady < 0 {
		t.Fatal("nobody polls each 50 ms")
	}
	if status, _, lab := webtest.Get(t, srv.URL+html.UnescapeString(links[steady][1])); status != http.StatusOK ||
		fields(lab)["poll"] != "50ms" {
		t.Errorf("the Lab answers %d, and its form has %q", status, fields(lab))
	}
}

// TestContestIsBounded checks that bad or excessive values are explained and kept for correction, and leave the rest of
// the page intact.
func TestContestIsBounded(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	const hostile = `"><img src=x onerror=alert(1)>`
	for query, want := range map[string]string{
		"clients=201":                         "up to 200 clients, not 201",
		"clients=many":                        "is not a whole number",
		"clients=-3":                          "to 1000 clients, not -3",
		"clients=1":                           "2 to 1000 clients, not 1",
		"clients=101&rounds=5":                "up to 500 turns at the lock, and 101 clients in 5 rounds",
		"rounds=9223372036854775807":          "up to 500 turns",
		"rounds=0":                            "1 to 1000 rounds, not 0",
		"hold=1s":                             "hold for up to 20s",
		"hold=2562047h":                       "hold for up to 20s",
		"hold=soon":                           "hold=",
		"seed=-1":                             "seed=",
		"clients=2&live=1":                    "without a ZooKeeper",
		"clients=" + url.QueryEscape(hostile): "&lt;img",
	} {
		status, _, body := webtest.Get(t, srv.URL+"/locks?"+query)
		text := body
		if !strings.Contains(query, "img") {
			text = html.UnescapeString(body)
		}
		_, text, _ = strings.Cut(text, `role="alert">`)
		text, _, _ = strings.Cut(text, "</p>")
		if status != http.StatusBadRequest || !strings.Contains(strings.ToLower(text), strings.ToLower(want)) ||
			strings.Contains(body, "<img") {
			t.Errorf("%s: status %d, %q, want %q", query, status, text, want)
		}
		if !strings.Contains(body, `<table class="broken">`) || strings.Contains(body, `class="costs contest"`) {
			t.Errorf("%s: the page shows figures, or lacks the other table", query)
		}
		q, _ := url.ParseQuery(query)
		for name := range q {
			if name != "live" && fields(body)[name] != q.Get(name) {
				t.Errorf("%s: the form has %q", query, fields(body)[name])
			}
		}
	}
}
