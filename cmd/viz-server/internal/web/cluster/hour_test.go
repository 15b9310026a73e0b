package cluster

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/analysis/holds"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/run/cluster/follow"
	"github.com/zkviz/zkviz/engine/testing/golden"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

// hourNow is when the pages of these tests are shown, in ms since 1970.
const hourNow = 1_796_000_400_000

// utc makes the test's pages show UTC.
func utc(t *testing.T) {
	was := time.Local
	t.Cleanup(func() { time.Local = was })
	time.Local = time.UTC
}

// busyHour is the last hour of a lock with n holds of 20 s, of which some ended by an expiry, and one in progress.
func busyHour(n int) follow.Hour {
	h := follow.Hour{Known: true, Report: follow.Report{Joined: true, Summary: locks.Summary{
		Rows: []locks.Row{{Path: "/l<b>", Use: naming.Lock, Whose: "kazoo"}}}}}
	var p holds.Past
	for i := range n {
		got := int64(hourNow - (n-i)*25_000)
		one := holds.Hold{Session: int64(i%3 + 1), Znode: fmt.Sprintf("/l<b>/lock-%010d", i), Data: "host<i>\u202e",
			MadeMS: got - 3000, GotMS: got, LostMS: got + 20_000, Reason: event.ByOp, By: int64(i%3 + 1), Zxid: int64(i)}
		if i%4 == 3 {
			one.Reason, one.By = event.BySessionExpired, 0
		}
		p.Add("/l<b>", &one, 4096)
	}
	h.History = p.History("/l<b>", hourNow-50*60_000, hourNow+90_000)
	h.Now = []holds.Hold{{Session: 0x1f, Addr: "10.0.3.21:37091", Znode: "/l<b>/lock-0000000099", GotMS: hourNow}}
	for i := range h.Ended {
		if h.Ended[i].Session == 1 {
			h.Ended[i].Addr = "10.0.3.1:5<b>"
		}
	}
	return h
}

// hourPage renders the page of an hour.
func hourPage(t *testing.T, h follow.Hour, query string, number int) string {
	t.Helper()
	w, err := uistrings.Load(uistrings.Source)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodGet, hourAt+"?"+query, http.NoBody)
	f, given, err := readFilter(r, hourNow)
	if err != nil {
		t.Fatal(err)
	}
	q := hourQuery{page.LiveProps{Frame: page.Frame{Lang: uistrings.Source, Words: w}, Path: "/l<b>"}, f, given}
	p := hourProps(&q)
	fillHour(&p, &h, &q, number)
	var b bytes.Buffer
	if err := page.Holders(p).Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(b.String(), "<main")
	text, _, _ = strings.Cut(text, "</main>")
	return "<main" + text + "</main>\n"
}

// TestHourGolden compares the page of a few holds with a file, and with it that no text from outside becomes markup.
func TestHourGolden(t *testing.T) {
	utc(t)
	got := hourPage(t, busyHour(12), "why=&who=", 1)
	golden.Compare(t, "testdata/hour.html", strings.ReplaceAll(got, "><", ">\n<"))
	if strings.Contains(got, "host<i>") || strings.Contains(got, "5<b>") || strings.Contains(got, "\u202e") {
		t.Error("what comes from outside is markup, or turns text around")
	}
}

// TestHourPages checks the filter and the pages, and that each page's address keeps the filter.
func TestHourPages(t *testing.T) {
	utc(t)
	for _, c := range []struct {
		query      string
		n, number  int
		rows       int
		says, hide []string
	}{
		{"", 120, 1, 50, []string{"120 holds ended since 00:10", "Page 1 of 3", "page=2", "usually held for about 20.0 s " +
			"(the middle 80 % of 120)", "clients usually wait for about 3.0 s", "far longer than usual, which is 20.0 s at most",
			"host unknown", "holds it now"}, []string{"shown."}},
		{"", 120, 3, 21, []string{"Page 3 of 3", "page=2"}, []string{"page=4", "holds it now"}},
		{"why=expired&who=0x1", 120, 1, 10, []string{"10 of 121 shown.", `<option value="expired" selected>`,
			`value="0x1"`}, []string{"it let go</span>", "Page 1"}},
		{"since=00:50", 120, 1, 25, []string{"25 of 121 shown."}, nil},
		{"since=10m", 120, 1, 25, []string{"25 of 121 shown."}, nil},
		{"who=10.0.3.21", 120, 1, 1, []string{"1 of 121 shown."}, nil},
		{"who=nobody", 120, 1, 0, []string{"No hold like that."}, nil},
		{"", 3, 1, 4, []string{"held 3 times: too few to say"}, []string{"far longer"}},
	} {
		got := hourPage(t, busyHour(c.n), c.query, c.number)
		_, rows, _ := strings.Cut(got, "<tbody")
		if n := strings.Count(rows, "<tr"); n != c.rows {
			t.Errorf("%q, page %d: %d rows, want %d", c.query, c.number, n, c.rows)
		}
		for _, want := range c.says {
			if !strings.Contains(got, want) {
				t.Errorf("%q, page %d doesn't say %q:\n%s", c.query, c.number, want, got)
			}
		}
		for _, never := range c.hide {
			if strings.Contains(got, never) {
				t.Errorf("%q, page %d says %q", c.query, c.number, never)
			}
		}
	}
	got := hourPage(t, busyHour(130), "who=host", 1)
	if !strings.Contains(got, "page=2&amp;path=%2Fl%3Cb%3E&amp;who=host") {
		t.Errorf("the next page loses the filter:\n%s", got)
	}
}

// TestHourLacks checks that the page never implies more than is known.
func TestHourLacks(t *testing.T) {
	utc(t)
	thinned, read := busyHour(120), busyHour(12)
	thinned.Ended, thinned.Of, thinned.FromMS = thinned.Ended[:20], 3000, hourNow-7*60_000
	read.Joined, read.Missed = false, true
	for name, c := range map[string]struct {
		h    follow.Hour
		says string
	}{
		"thinned": {thinned, "the last 20 of 3000 holds, from 00:53:00.000 on"},
		"read":    {read, "Reading doesn&#39;t show why a client lost a lock"},
		"missed":  {read, "at least 12 holds ended since 00:10:00.000: some changes weren&#39;t seen"},
		"away":    {follow.Hour{Report: follow.Report{Away: "a:1: gone"}}, "ZooKeeper is out of reach: a:1: gone."},
		"reading": {follow.Hour{Report: follow.Report{Reading: true}}, "still reading there"},
		"nothing": {follow.Hour{}, "seen no lock there in the last hour"},
	} {
		if got := hourPage(t, c.h, "", 1); !strings.Contains(got, c.says) {
			t.Errorf("%s: it doesn't say %q:\n%s", name, c.says, got)
		}
	}
}

// TestParseSince checks the forms of a time.
func TestParseSince(t *testing.T) {
	utc(t)
	now := time.Date(2026, 11, 30, 9, 30, 0, 0, time.UTC)
	for text, want := range map[string]string{"": "1970-01-01T00:00:00Z", "09:00": "2026-11-30T09:00:00Z",
		"23:10:05": "2026-11-29T23:10:05Z", "10m": "2026-11-30T09:20:00Z", "1h30m": "2026-11-30T08:00:00Z",
		"2026-11-30T09:00": "2026-11-30T09:00:00Z", "2026-11-30T10:00:00+02:00": "2026-11-30T08:00:00Z", "9 o'clock": ""} {
		ms, err := parseSince(text, now.UnixMilli())
		if got := time.UnixMilli(ms).UTC().Format(time.RFC3339); (err == nil) != (want != "") || err == nil && got != want {
			t.Errorf("%q is %s, %v; want %s", text, got, err, want)
		}
	}
	r := httptest.NewRequest(http.MethodGet, hourAt+"?"+url.Values{"why": {"x<b>"}}.Encode(), http.NoBody)
	if _, _, err := readFilter(r, 0); err == nil {
		t.Error("an unknown reason is accepted")
	}
}
