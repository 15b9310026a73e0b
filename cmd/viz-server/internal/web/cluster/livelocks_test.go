package cluster

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/ensemble"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/run/cluster/follow"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

// lockPage renders a page of the filtered rows of a report.
func lockPage(t *testing.T, p page.LiveLocksProps, report follow.Report, number int) string {
	t.Helper()
	w, err := uistrings.Load(uistrings.Source)
	if err != nil {
		t.Fatal(err)
	}
	p.Lang, p.Words, p.Servers = uistrings.Source, w, "127.0.0.1:2181"
	p.Path = "/"
	fillLocks(&p, report, 100_000, number)
	var b bytes.Buffer
	if err := page.LiveLocks(p).Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func hand(session int64, gotMS int64) handover.Hand {
	return handover.Hand{Node: handover.Node{Path: "/l/n", Session: session, Data: "host<b>"}, GotMS: gotMS}
}

// TestLockPage checks that the page shows holders, handovers and alerts, and that no text from outside becomes markup.
func TestLockPage(t *testing.T) {
	report := follow.Report{Joined: true, Summary: locks.Summary{FromMS: 40_000, Left: 3, Rows: []locks.Row{
		{Path: "/l<script>\u202e", Use: naming.Lock, Whose: "kazoo", Inside: 1, Waiting: 2, LongestMS: 7000, Minute: 4,
			Holding: []locks.Holder{{Hand: hand(0x1f, 30_000), Client: locks.Client{Addr: "10.0.0.1:5"}}},
			Wakes: []locks.Wake{{Of: hand(0x1f, 30_000), Least: 4, Whom: []locks.Woken{
				{Session: 0x2a, Client: locks.Client{Addr: "10.0.0.2:6<b>"}}, {Session: 0x2b}}}}, Wakers: 1,
			Turns: []locks.Turn{{TimeMS: 30_000, From: hand(0x1e, 0), To: hand(0x1f, 0), Reason: event.BySessionExpired}},
			Alerts: []locks.Alert{{Weight: 5, Sentence: sentence.Of("trouble.quiet", sentence.Text("0x1f"),
				sentence.Sentences(handover.Lapse(11_000)), sentence.Sentences(handover.Lapse(12_000)))}}},
		{Path: "/q", Use: naming.Queue, Items: 12, Growth: -2},
		{Path: "/m", Use: naming.Members, Inside: 5, Holding: []locks.Holder{{Hand: hand(1, 0)}}},
		{Path: "/permits", Use: naming.Semaphore, Inside: 3, Wakers: 3,
			Wakes: []locks.Wake{{Of: hand(0x3a, 0), Least: 1, Whom: []locks.Woken{{Session: 0x3b}}}}},
		{Path: "/stuck", Wakes: []locks.Wake{{Of: hand(0, 0), Least: 1, Whom: []locks.Woken{{Session: 0x4b}}}}},
		{Path: "/odd", Turns: []locks.Turn{{From: hand(1, 0), Reason: event.ByOp, By: 2}}},
	}}}
	got := lockPage(t, page.LiveLocksProps{}, report, 0)
	for _, want := range []string{"6 of 6 shown; 1 in trouble, not counting what is left out: 3 znodes, since there",
		"seen every transaction for 1 min 0 s", `data-path="/l&lt;script&gt;`, "/l&lt;script&gt;\\u202e</bdi>", "a lock, by the names of kazoo",
		"<code>0x1f</code>", "10.0.0.1:5", "for 1 min 10 s", "host&lt;b&gt;", "the first for 7 s",
		"0x1e host&lt;b&gt; lost it: its session expired; then 0x1f host&lt;b&gt; got it", "1 min 10 s ago",
		"4 times a minute",
		"its client was last heard from 11 s ago, of 12 s.", "12 items", "2 fewer", "5 there", "and 4 more",
		"perhaps a lock", "0x1 host&lt;b&gt; lost it: 0x2 deleted its znode", "its end wakes at least 4:",
		`<code>0x2a</code> <bdi class="small">10.0.0.2:6&lt;b&gt;</bdi>`, "<code>0x2b</code> </span> <span>and 2 more<",
		"the end of 0x3a wakes at least 1:", "<code>0x3b</code>", "and the end of 2 more wakes somebody, too",
		"the end of n wakes at least 1:", "<code>0x4b</code>"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(got, "l<script>") || strings.Contains(got, "host<b>") {
		t.Error("what comes from outside is markup")
	}
	if t.Failed() {
		t.Log(got)
	}
	report.Joined = false
	report.Untold = []sentence.Sentence{sentence.Of("sessions.refused", sentence.Text("a:1"), sentence.Text("wchp<b>"),
		sentence.Text("l"))}
	if got := lockPage(t, page.LiveLocksProps{}, report, 0); !strings.Contains(got, "has been reading here") ||
		!strings.Contains(got, "Missing: a:1 doesn&#39;t answer wchp&lt;b&gt;: allow it with the line l in its zoo.cfg.<") {
		t.Error("it is not said that it reads, or what isn't told")
	}
}

// TestLockPageLacks checks that the page never implies that all is well when information is missing.
func TestLockPageLacks(t *testing.T) {
	row := locks.Summary{Rows: []locks.Row{{Path: "/l", Use: naming.Lock}}}
	const table, off, trouble, before = `<table class="held-table" role="table">`, ` role="table" hidden>`, "in trouble.",
		"the state of "
	for _, c := range []struct {
		what  string
		of    follow.Report
		says  []string
		never []string
	}{
		{"reading", follow.Report{Reading: true, Found: 1234, ToRead: 5678},
			[]string{"Left out: what zkviz is still reading: 1234 znodes so far, and at least 5678 to go.", off},
			[]string{trouble, "looks like a lock", before}},
		{"reading more", follow.Report{Reading: true, Found: 7, ToRead: 3, Partial: true, Summary: row},
			[]string{"1 of 1 shown; 0 in trouble, not counting what is left out: what zkviz is still reading: 7 znodes so " +
				"far, and at least 3 to go; parts of the tree, because they are too large", table, "/l<"},
			[]string{trouble, "looks like a lock"}},
		{"searching", follow.Report{Hidden: locks.Hidden{Done: 20, Of: 200}, Summary: row},
			[]string{"in trouble, not counting what is left out: what ACLs may hide: zkviz has checked 20 of " +
				"200 znodes so far.", table}, []string{trouble}},
		{"searching in vain", follow.Report{Hidden: locks.Hidden{Of: 200}},
			[]string{"Left out: what ACLs may hide"}, []string{trouble, "so far. The picture"}},
		{"as it was", follow.Report{Summary: locks.Summary{Rows: []locks.Row{{Path: "/l", Use: naming.Lock, Inside: 1,
			AsOfMS: 88_000, Waiting: 1, LongestMS: 3000, Holding: []locks.Holder{{Hand: hand(1, 47_000)}},
			Alerts: []locks.Alert{{Sentence: sentence.Of("trouble.vacant", sentence.Sentences(handover.Lapse(9000)))}}}}}},
			[]string{"for 41 s when last seen, 12 s ago", "the first for 3 s when last seen, 12 s ago",
				"12 s ago: Nobody has led for 9 s.", "data-old"}, nil},
		{"cut off", follow.Report{ReadOnly: true, Summary: row}, []string{"The servers have no quorum: this is " +
			"the state of one of them", "1 of 1 shown"}, nil},
		{"away", follow.Report{Away: "a:1: connection refused."},
			[]string{"ZooKeeper is out of reach: a:1: connection refused.", off},
			[]string{trouble, "looks like a lock", before, "refused.."}},
		{"away after a while", follow.Report{Away: "a:1: no\x1b", Summary: row, AsOfMS: 93_000},
			[]string{"out of reach since " + ensemble.Clock(93_000, 100_000) +
				`: a:1: no\u001b. This is the state of 7 s ago.`, table, "/l<"},
			[]string{trouble, "looks like a lock", "Still", "Left out"}},
		{"away from a part", follow.Report{Away: "a:1: no", AsOfMS: 93_000, Partial: true,
			Summary: locks.Summary{Left: 3, Rows: row.Rows}}, []string{"the state of 7 s ago. Left out: 3 znodes, since there " +
			"are too many; parts of the tree, because they are too large"}, []string{trouble}},
		{"missing", follow.Report{Missing: true}, []string{"the root here, isn&#39;t there yet", off},
			[]string{"looks like a lock", trouble}},
		{"secret", follow.Report{Unread: locks.Unread{Count: 2, First: "/s<b>"}}, []string{
			"Left out: znodes that their ACLs hide: 2, the first is /s&lt;b&gt;.",
			"Nothing in what could be read looks like a lock, a queue or a group.", off}, []string{before, trouble}},
		{"none", follow.Report{}, []string{"Nothing here looks like a lock, a queue or a group so far.", off},
			[]string{before}},
	} {
		got, _, _ := strings.Cut(lockPage(t, page.LiveLocksProps{}, c.of, 0), "lock-news")
		for _, want := range c.says {
			if !strings.Contains(got, want) {
				t.Errorf("%s: it does not say %q", c.what, want)
			}
		}
		for _, not := range c.never {
			if strings.Contains(got, not) {
				t.Errorf("%s: it says %q", c.what, not)
			}
		}
	}
}

// TestLockPages checks that a page shows some of thousands of locks, and that the filter works.
func TestLockPages(t *testing.T) {
	var report follow.Report
	for i := range 2*locksOnPage + 1 {
		report.Rows = append(report.Rows, locks.Row{Path: fmt.Sprintf("/l%d", i), Use: naming.Lock})
	}
	report.Rows[7].Use = naming.Election
	for _, c := range []struct {
		p          page.LiveLocksProps
		number     int
		rows       int
		has, hasnt string
	}{
		{page.LiveLocksProps{}, 1, locksOnPage, `rel="next"`, `rel="prev"`},
		{page.LiveLocksProps{}, 3, 1, `rel="prev"`, `rel="next"`},
		{page.LiveLocksProps{}, 99, 1, "Page 3 of 3", `rel="next"`},
		{page.LiveLocksProps{}, -1, locksOnPage, "Page 1 of 3", `rel="prev"`},
		{page.LiveLocksProps{Kind: "election"}, 1, 1, `data-path="/l7"`, "Page 1"},
		{page.LiveLocksProps{Text: "/l100"}, 1, 1, "1 of 101 shown", "Page 1"},
		{page.LiveLocksProps{Text: "nothing"}, 1, 0, "0 of 101 shown", "data-path"},
	} {
		got := lockPage(t, c.p, report, c.number)
		n := strings.Count(got, "data-path=")
		if n != c.rows || !strings.Contains(got, c.has) || strings.Contains(got, c.hasnt) {
			t.Errorf("%q %q, page %d: %d rows, want %d, with %q and without %q", c.p.Kind, c.p.Text, c.number, n, c.rows, c.has,
				c.hasnt)
		}
	}
}

// TestLockPageQueue checks that a row unfolds to those that wait and to those that gave up, and that it is unfolded on
// the page of one lock, where nothing leads to more.
func TestLockPageQueue(t *testing.T) {
	queuer := func(place int, session int64, behind int64) locks.Waiter {
		return locks.Waiter{Node: handover.Node{Path: "/l/n", Session: session, Data: "w<b>\u202e", MadeMS: 69_000},
			Client: locks.Client{Addr: "10.0.0.9:7<b>"}, Place: place,
			Behind: handover.Node{Path: "/l/m", Session: behind}}
	}
	rows := []locks.Row{
		{Path: "/l", Use: naming.Lock, Waiting: 42, LongestMS: 31_000, QueueMS: 60_000, QueueLonger: true,
			Waiters: []locks.Waiter{queuer(1, 0x2a, 0x1f), queuer(2, 0x2b, 0), {Place: 3}},
			Flow:    locks.Flow{Came: 14, Got: 12, Quit: 2, SpanMS: 600_000}, Waited: locks.Waits{0, 0, 12, 3, 1, 0, 2},
			Quits: []locks.Quit{{Node: handover.Node{Session: 0x2c, MadeMS: 60_000}, TimeMS: 91_000,
				Reason: event.BySessionExpired}}},
		{Path: "/q", Use: naming.Queue, Items: 12},
		{Path: "/free", Use: naming.Lock, Waited: locks.Waits{1}}, {Path: "/idle", Use: naming.Lock},
	}
	words := func() string {
		got := lockPage(t, page.LiveLocksProps{}, follow.Report{Summary: locks.Summary{Rows: rows}}, 0)
		return strings.Join(strings.Fields(got), " ")
	}
	got := words()
	for _, want := range []string{`<details><summary><span class="">42</span><span class="small">the first for 31 s<`,
		`<code>0x2a</code> <bdi class="small">10.0.0.9:7&lt;b&gt;</bdi> <bdi class="small data">w&lt;b&gt;\u202e</bdi> ` +
			`<time class="small" datetime="1970-01-01T00:01:09Z" title="1970-01-01T00:01:09Z">for 31 s</time> ` +
			`<span class="small">behind 0x1f</span> </li>`, "behind a znode of no session", "for an unknown time",
		`<a href="/live/locks?path=%2Fl&amp;cluster=">and 39 more</a>`, "the queue hasn&#39;t been empty for at least 40 s",
		"in the last 10 min: 14 came, 12 got in, 2 left the queue",
		"waited: 12 under 1 s, 3 under 10 s, 1 under 1 min, 2 for 10 min or more",
		`0x2c left the queue after waiting for 31.0 s: its session expired <time datetime="1970-01-01T00:01:31Z">9 s ago<`,
		"nobody waits"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page does not say %s: %s", want, got)
		}
	}
	if n := strings.Count(got, "<details"); n != 2 || strings.Contains(got, "w<b>") {
		t.Errorf("%d rows unfold: %s", n, got)
	}
	rows[0].Path = "/"
	if got = words(); strings.Count(got, "<details open>") != 1 || !strings.Contains(got, `<p class="small">and 39 more</p>`) {
		t.Error("the lock that was asked for is folded, or leads to itself")
	}
}

// TestLockLeads checks that a row leads to the recordings of its lock, and to the transaction logs, if there are any.
func TestLockLeads(t *testing.T) {
	report := follow.Report{Summary: locks.Summary{Rows: []locks.Row{{Path: "/a&b", Use: naming.Lock}}}}
	const recordings, past = "/live/records?path=%2Fa%26b&amp;cluster=", "/past?hands=1&amp;path=%2Fa%26b"
	for _, c := range []struct {
		frame         page.Frame
		cluster       string
		records, past bool
	}{
		{page.Frame{}, "", false, false}, {page.Frame{Records: true}, "night", true, false},
		{page.Frame{HasPast: true}, "", false, true}, {page.Frame{HasPast: true}, "night", false, false},
	} {
		p := page.LiveLocksProps{LiveProps: page.LiveProps{Frame: c.frame, Cluster: c.cluster}}
		got := lockPage(t, p, report, 0)
		if strings.Contains(got, recordings+c.cluster+`"`) != c.records || strings.Contains(got, past+`"`) != c.past {
			t.Errorf("%+v: the page is %s", c, got)
		}
	}
}
