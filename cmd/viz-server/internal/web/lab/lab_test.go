package lab_test

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/compare"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// TestLabReadsLinks checks that a link opens exactly its run and moment. A bad link gets a reason, never as markup.
func TestLabReadsLinks(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	const hostile = `<img src=x onerror=alert(1)>`
	for query, c := range map[string]struct {
		status int
		want   string
	}{
		"": {http.StatusOK, "recipe%3Dpredecessor-lock%26"},
		"recipe=unique-lock&clients=3&fault=&fault=crash+client-2+at+1s&at=2.5s&event=7&sum=ab": {http.StatusOK,
			"&amp;at=2.5s&amp;event=7&amp;sum=ab"},
		"recipe=unique-lock&latency=5ms&jitter=1ms&stagger=2ms": {http.StatusOK, `name="latency" value="5ms"`},
		"recipe=xyzzy":                        {http.StatusBadRequest, "There is no recipe"},
		"recipe=unique-lock&clients=1001":     {http.StatusBadRequest, "to 1000 clients, not 1001"},
		"recipe=unique-lock&at=soon":          {http.StatusBadRequest, "is not a time"},
		"recipe=unique-lock&event=-1":         {http.StatusBadRequest, "is not the number of an event"},
		"recipe=unique-lock&sum=zz":           {http.StatusBadRequest, "is not the hash"},
		"recipe=unique-lock&colour=red":       {http.StatusBadRequest, "no parameter"},
		"recipe=unique-lock&colour=red&at=2s": {http.StatusOK, "&amp;at=2s&amp;unknown=colour"},
		"recipe=unique-lock&at=2s&trace=" + url.QueryEscape(hostile) + "&select=client-1": {http.StatusOK,
			"&amp;at=2s&amp;select=client-1&amp;trace=%3Cimg"},
		"recipe=unique-lock&at=2s&beside=children-lock&beside-event=9&beside-sum=ab": {http.StatusOK,
			"%26observers%3D0&amp;beside-event=9&amp;beside-sum=ab"},
		"recipe=" + url.QueryEscape(hostile): {http.StatusBadRequest, "&lt;img"},
		// the whole explanation of faults
		"recipe=unique-lock&fault=bogus":                       {http.StatusBadRequest, "restart server at 2s for 1s"},
		"recipe=unique-lock&fault=" + url.QueryEscape(hostile): {http.StatusBadRequest, "&lt;img"},
		"recipe=" + strings.Repeat("x", 3000):                  {http.StatusBadRequest, "at most 2048 bytes"},
		"%zz":                                                  {http.StatusBadRequest, "damaged"},
	} {
		status, _, body := webtest.Get(t, srv.URL+"/lab?"+query)
		if status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%.60q: status %d, want %d with %q", query, status, c.status, c.want)
		}
		if strings.Contains(body, hostile) {
			t.Errorf("%.60q: the page has %q as markup", query, hostile)
		}
	}
}

// TestLabRefusesServers checks that impossible servers get a sentence, and the form keeps the link's values.
func TestLabRefusesServers(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	for _, c := range []struct{ query, want, field string }{
		{"servers=0", "from 1 to 9 servers here, not 0", "servers"},
		{"servers=10", "from 1 to 9 servers here, not 10", "servers"},
		{"servers=x", "is not a whole number", "servers"},
		{"servers=9&observers=5", "observers included, not 14", "observers"},
		{"servers=3&flaw=nonsense&seed=7", "There is no flaw", "seed"},
		{"servers=3&fault=crash+server-7+at+2s", "no server-7 among 3 servers", "fault"},
		{"fault=crash+server-1+at+2s", "there is only one server", "fault"},
		{"servers=3&fault=partition+server-1+at+2s", "a partition has servers on both sides", "fault"},
		{"servers=3&rule=nonsense&title=T", "is not a promise of", "title"},
	} {
		q, err := url.ParseQuery(c.query)
		if err != nil {
			t.Fatal(err)
		}
		status, _, body := webtest.Get(t, srv.URL+"/lab?"+c.query)
		if text := html.UnescapeString(body); status != http.StatusBadRequest || !strings.Contains(text, c.want) ||
			fields(body)[c.field] != q.Get(c.field) {
			t.Errorf("%s: status %d, want one with %q; the form has %q", c.query, status, c.want, fields(body))
		}
	}
}

// TestLabLeadsToFlaws checks that a flaw of the servers comes with a link to the smallest run that shows it, at that
// moment.
func TestLabLeadsToFlaws(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	for _, flaw := range zab.AllFlaws().Names() {
		_, _, body := webtest.Get(t, srv.URL+"/lab?recipe=unique-lock&servers=3&flaw="+flaw)
		link := regexp.MustCompile(`href="(/lab\?[^"]*&amp;(at=[^"]*&amp;event=[0-9]+&amp;sum=[0-9a-f]{16}))"`).FindStringSubmatch(body)
		if link == nil {
			t.Errorf("%s: no link", flaw)
			continue
		}
		status, _, body := webtest.Get(t, srv.URL+html.UnescapeString(link[1]))
		if status != http.StatusOK || !strings.Contains(body, `value="`+flaw+`" selected`) ||
			!strings.Contains(body, "&amp;"+link[2]+`"`) {
			t.Errorf("%s: %s answers %d, and not with that moment", flaw, link[1], status)
		}
	}
	if _, _, body := webtest.Get(t, srv.URL+"/lab?recipe=unique-lock&servers=3"); strings.Contains(body, "&amp;event=") {
		t.Error("a page without a flaw leads to a run with one")
	}
}

// TestLabShowsATask checks a task in a link: its title is text, its rule is one that the recipe can break, its par is a
// small number. It shows the box of a challenge, and its own link carries neither branch nor moment.
func TestLabShowsATask(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	const hostile = `</h2><img src=x onerror=alert(1)>`
	const task = "recipe=predecessor-lock&rule=belief-exclusion"
	title := func(s string) string { return "&title=" + url.QueryEscape(s) }
	text := func(s string) string { return "&text=" + url.QueryEscape(s) }
	for query, c := range map[string]struct {
		status int
		want   string
	}{
		task + "&par=2" + title("Two at once"): {http.StatusOK,
			`data-task="lab belief-exclusion 1 2"`},
		task + text("Try it\r\nwith  a pause."): {http.StatusOK, `<p>Try it with a pause.</p>`},
		task + text(hostile):                    {http.StatusOK, `<p>&lt;/h2&gt;&lt;img`},
		task + text("a\u202eb"):                 {http.StatusOK, `a\u202eb`},
		task + text(strings.Repeat("é", 301)):   {http.StatusBadRequest, "at most 300"},
		task + title("Two"):                     {http.StatusOK, `data-task="lab belief-exclusion 1 1"`},
		task + "&at=2s": {http.StatusOK,
			`data-to="/lab?recipe=predecessor-lock&amp;rule=belief-exclusion"`},
		task + title(hostile):                                      {http.StatusOK, "&lt;img"},
		task + title("a\u202eb\x00c"):                              {http.StatusOK, `a\u202eb\u0000c`},
		"recipe=predecessor-lock" + title("no rule"):               {http.StatusOK, `value="no rule"`},
		"recipe=no-second-look&rule=truth-exclusion":               {http.StatusOK, "Break this promise"},
		"recipe=predecessor-lock&rule=truth-exclusion":             {http.StatusBadRequest, "not a promise"},
		"recipe=predecessor-lock&rule=" + url.QueryEscape(hostile): {http.StatusBadRequest, "&lt;img"},
		"recipe=xyzzy&rule=order":                                  {http.StatusBadRequest, "not a promise"},
		task + "&par=0":                                            {http.StatusBadRequest, "from 1 to 9"},
		task + "&par=many":                                         {http.StatusBadRequest, "from 1 to 9"},
		task + title(strings.Repeat("é", 81)):                      {http.StatusBadRequest, "at most 80"},
	} {
		status, _, body := webtest.Get(t, srv.URL+"/lab?"+query)
		if status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%.80q: status %d, want %d with %q", query, status, c.status, c.want)
		}
		if strings.Contains(body, "<img src=x") {
			t.Errorf("%.80q: the page has markup of its own", query)
		}
		is := strings.Contains(body, `class="challenge"`)
		if want := status == http.StatusOK && strings.Contains(query, "rule="); is != want {
			t.Errorf("%.80q: there is a challenge: %v", query, is)
		}
	}
}

// TestLabFormHasChips checks that the form offers every kind of fault, and fields for latency and session timeout,
// which are empty for the defaults.
func TestLabFormHasChips(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	_, _, body := webtest.Get(t, srv.URL+"/lab?recipe=unique-lock&fault=crash+client-1+at+1s")
	for _, k := range fault.Kinds() {
		option := regexp.MustCompile(`<option value="` + k.String() + `"[^>]*>`).FindString(body)
		if option == "" || strings.Contains(option, "data-lasts") != k.Lasts() ||
			strings.Contains(option, "data-server") != (k.Target() == fault.ToServer) {
			t.Errorf("%s is offered as %q", k, option)
		}
	}
	for _, k := range fault.SystemKinds() {
		if k.Where() != fault.OnOthers {
			continue
		}
		option := regexp.MustCompile(`<option value="` + k.String() + `"[^>]*data-where="others"[^>]*>`).FindString(body)
		if option == "" || !strings.Contains(option, `data-span="`+k.Span()+`"`) ||
			strings.Contains(option, "data-node") != (k.Target() == fault.ToNode) ||
			strings.Contains(option, "data-replicas") != k.TakesReplicas() {
			t.Errorf("%s is offered as %q", k, option)
		}
	}
	for name, want := range map[string]string{
		"redis-fenced": `data-nodes="1" data-where="others"`, "redlock": `data-nodes="5" data-where="others"`,
		"redis-failover": `data-nodes="2" data-replicas data-where="others"`, "unique-lock": "",
	} {
		option := regexp.MustCompile(`<option value="` + name + `"[^>]*>`).FindString(body)
		if !strings.Contains(option, want) || strings.Contains(option, "data-nodes") != (want != "") {
			t.Errorf("%s is offered as %q, want %q", name, option, want)
		}
	}
	if strings.Contains(body, ">lab.kind.") {
		t.Error("the language file has no lab.kind.WORD for a kind of fault")
	}
	for _, field := range []string{`name="latency" value="" placeholder="300ms"`,
		`name="session-timeout" value="" placeholder="10s"`, `name="fault" value="crash client-1 at 1s"`} {
		if !strings.Contains(body, field) {
			t.Errorf("the form lacks %s", field)
		}
	}
}

func TestComparePage(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	for query, c := range map[string]struct {
		status int
		want   string
	}{
		"recipe=unique-lock&clients=2,9":      {http.StatusOK, `<th scope="row">8</th>`},
		"recipe=xyzzy":                        {http.StatusBadRequest, "There is no recipe"},
		"clients=many":                        {http.StatusBadRequest, "is not a list of numbers"},
		"clients=1,2,3,4,5,6,7,8,9":           {http.StatusBadRequest, "up to 8 numbers"},
		"recipe=unique-lock&clients=2&live=1": {http.StatusBadRequest, "without a ZooKeeper"},
		strings.Repeat("recipe=barrier&", 7):  {http.StatusBadRequest, "up to 6 recipes"},

		"servers=0":                             {http.StatusBadRequest, `from 1 to 9 servers here, not 0`},
		"servers=1000":                          {http.StatusBadRequest, `value="1000"`}, // for the reader to correct
		"servers=9&observers=1":                 {http.StatusBadRequest, "observers included, not 10"},
		"observers=1":                           {http.StatusBadRequest, "server alone has no observers"},
		"servers=three":                         {http.StatusBadRequest, "is not a whole number"},
		"servers=3&clients=201":                 {http.StatusBadRequest, "up to 200 clients, not 201"},
		"recipe=unique-lock&servers=&clients=2": {http.StatusOK, `name="servers" value="1"`},
	} {
		status, _, body := webtest.Get(t, srv.URL+"/lab/compare?"+query)
		if status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%q: status %d, want %d with %q", query, status, c.status, c.want)
		}
	}
}

// TestCompareDrawsFourCharts checks that wakeups, requests, bytes and time are drawn at the grid's numbers of waiters.
func TestCompareDrawsFourCharts(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	_, _, body := webtest.Get(t, srv.URL+"/lab/compare?recipe=unique-lock&recipe=predecessor-lock&clients=2,11,101")
	plots := strings.Split(body, "<figure")[1:]
	if len(plots) != 4 {
		t.Fatalf("%d charts, want 4", len(plots))
	}
	scale := regexp.MustCompile(`<text class="scale x" x="([0-9.]+)" y="[0-9.]+"[^>]*>([^<]+)</text>`)
	line := regexp.MustCompile(`<path class="line [^"]*" d="([^"]+)"`)
	point := regexp.MustCompile(`[ML]([0-9.]+) [0-9.]+`)
	for i, title := range []string{"Wakeups", "Requests", "Bytes", "Time"} {
		if !strings.Contains(plots[i], "<figcaption>"+title) {
			t.Errorf("chart %d is not of %s", i, title)
		}
		at := map[string]string{}
		for _, m := range scale.FindAllStringSubmatch(plots[i], -1) {
			at[m[2]] = m[1]
		}
		if at["waiters"] == "" {
			t.Errorf("%s: nothing says that this is against the waiters", title)
		}
		found := line.FindAllStringSubmatch(plots[i], -1)
		if len(found) != 2 {
			t.Errorf("%s: %d lines, want 2", title, len(found))
		}
		for _, l := range found {
			points := point.FindAllStringSubmatch(l[1], -1)
			if len(points) != 3 {
				t.Fatalf("%s: the line %s has %d points, want 3", title, l[1], len(points))
			}
			for j, waiters := range []string{"1", "10", "100"} {
				if got, _ := strconv.ParseFloat(points[j][1], 64); fmt.Sprint(got) != at[waiters] {
					t.Errorf("%s: %s waiters stand at %s, the scale says %s", title, waiters, points[j][1], at[waiters])
				}
			}
		}
	}
}

// TestCompareWithServers checks that several servers get their own chart and column, as on the command line, and one
// server none. An even number is explained.
func TestCompareWithServers(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	const why = "survive no more failures than"
	for query, c := range map[string]struct {
		charts int
		cell   string // messages between servers
		even   bool
	}{
		"recipe=predecessor-lock&clients=2,3":                       {4, "", false},
		"recipe=predecessor-lock&clients=2,3&servers=3&observers=1": {5, "15", false},
		"recipe=predecessor-lock&clients=2,3&servers=4":             {5, "20", true},
	} {
		status, _, body := webtest.Get(t, srv.URL+"/lab/compare?"+query)
		_, table, _ := strings.Cut(body, "<table")
		column := strings.Contains(table, ">between</th>")
		if status != http.StatusOK || strings.Count(body, "<figure") != c.charts || column != (c.cell != "") ||
			strings.Contains(body, why) != c.even || !strings.Contains(table, "<td>"+c.cell) {
			t.Errorf("%s: status %d, %d charts, a column: %v, %s", query, status, strings.Count(body, "<figure"), column, table)
		}
		if strings.Contains(query, "observers") && !strings.Contains(body, `name="observers" value="1"`) {
			t.Errorf("%s: sent again, the form forgets the observer", query)
		}
	}
}

// TestEvenServersAreExplained checks that Lab and Compare lead to the step about even numbers.
func TestEvenServersAreExplained(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	for _, address := range []string{"/lab?servers=4", "/lab/compare?recipe=unique-lock&clients=2&servers=4"} {
		_, _, body := webtest.Get(t, srv.URL+address)
		m := regexp.MustCompile(`href="(/lessons/[^"#]+)#([^"]+)">Why: `).FindStringSubmatch(body)
		if m == nil || !strings.Contains(body, "4 servers survive no more failures than 3 would") {
			t.Errorf("%s says nothing of 4 servers", address)
			continue
		}
		if _, _, lesson := webtest.Get(t, srv.URL+m[1]); !strings.Contains(lesson, `id="`+m[2]+`"`) {
			t.Errorf("%s leads to %s, which has no step %s", address, m[1], m[2])
		}
	}
	if _, _, body := webtest.Get(t, srv.URL+"/lab?servers=5"); strings.Contains(body, "5 servers survive") {
		t.Error("the Lab takes 5 for an even number")
	}
}

// TestCompareWithNothingToDraw checks that zero is drawn, or left out with a remark, since it has no logarithm.
func TestCompareWithNothingToDraw(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	for query, c := range map[string]struct {
		drawn int
		want  string
	}{
		"recipe=unique-lock&clients=1": {0, `<th scope="row">0</th>`},
		"recipe=barrier&clients=3":     {3, "In none of these recipes"},
		"recipe=naming&clients=2,5":    {3, `>0</text>`}, // wakeups
	} {
		_, _, body := webtest.Get(t, srv.URL+"/lab/compare?"+query)
		if n := strings.Count(body, `role="img"`); n != c.drawn || !strings.Contains(body, c.want) {
			t.Errorf("%s: %d charts, want %d and %q", query, n, c.drawn, c.want)
		}
		if strings.Contains(body, "NaN") || strings.Contains(body, "Inf") {
			t.Errorf("%s: a figure is none", query)
		}
	}
}

func TestFigures(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	for range 2 { // computed, then kept
		status, h, body := webtest.Get(t, srv.URL+"/api/figures?recipe=predecessor-lock&clients=100")
		var s run.Summary
		if err := json.Unmarshal([]byte(body), &s); err != nil || status != 200 ||
			h.Get("Content-Type") != "application/json" {
			t.Fatalf("%d %v %s: %v", status, h, body, err)
		}
		if s.Wakeups.ByRelease != 99 || s.Requests != 498 || s.Acquisitions != 100 {
			t.Errorf("figures %+v, want 99 wakeups by release, 498 requests, 100 acquisitions", s)
		}
	}
	for query, want := range map[string]string{
		"recipe=none&clients=6":                           "here is no recipe",
		"recipe=unique-lock":                              "not a number of clients",
		"recipe=unique-lock&clients=0":                    "not 0",
		"recipe=unique-lock&clients=1001":                 "not 1001",
		"recipe=unique-lock&clients=99999999999999999999": "not a number of clients",
	} {
		if status, _, body := webtest.Get(t, srv.URL+"/api/figures?"+query); status != 400 || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s, want 400 with %q", query, status, body, want)
		}
	}
}

// TestFiguresWithMoments asks for a run that is also told, before and after the same without.
func TestFiguresWithMoments(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	want, err := compare.MeasureMoments(t.Context(), event.Simulated, run.Sim,
		run.Scenario{Recipe: "children-lock", Clients: 24, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, with := range []string{"", "&with=moments", "&with=moments", ""} {
		_, _, body := webtest.Get(t, srv.URL+"/api/figures?recipe=children-lock&clients=24"+with)
		var got compare.Row
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatal(err)
		}
		if got.Wakeups != want.Wakeups || with == "" && got.Moments != nil ||
			with != "" && !slices.Equal(got.Moments, want.Moments) {
			t.Errorf("%q: %s", with, body)
		}
	}
}
