package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/run/cluster/follow"
)

// shownLocks returns locks of all kinds at ms 100,000, some with hostile names.
func shownLocks() follow.Report {
	hand := func(session, made, got int64, data string) handover.Hand {
		return handover.Hand{Node: handover.Node{Path: "/app/lock/n", Session: session, Data: data, MadeMS: made}, GotMS: got}
	}
	return follow.Report{Summary: locks.Summary{Rows: []locks.Row{
		{Path: "/app/lock", Use: naming.Lock, Whose: "Curator", Inside: 1, Waiting: 3, LongestMS: 61_400,
			Holding: []locks.Holder{{Hand: hand(0x1a, 10_000, 30_000, "host-\x1b[1m"),
				Client: locks.Client{Addr: "10.0.0.1:5"}}},
			Turns: []locks.Turn{
				{TimeMS: 30_000, From: hand(0x1e, 1, 1, ""), To: hand(0x1a, 1, 1, ""), Reason: event.BySessionExpired},
				{TimeMS: 9000, From: hand(0x1d, 1, 1, ""), To: hand(0x1e, 1, 1, ""), Reason: event.ByOp, By: 0x1d}},
			Wakes: []locks.Wake{wakes(0x1a, 6, locks.Woken{Session: 0x1b, Client: locks.Client{Addr: "10.0.0.2:\x1b[1m"}},
				locks.Woken{Session: 0x1c})}, Wakers: 1,
			Alerts: []locks.Alert{{Weight: 9, Sentence: sentence.Of("trouble.vacant", sentence.Text("9 s"))}}},
		{Path: "/app/longer-lock", Use: naming.Lock, Inside: 1, Holding: []locks.Holder{{
			Hand: handover.Hand{Node: handover.Node{Session: 2, MadeMS: 5000}, GotMS: 98_000, Had: true}}}},
		{Path: "/permits", Use: naming.Semaphore, Inside: 3, Wakers: 2,
			Wakes: []locks.Wake{wakes(0x1a, 1, locks.Woken{Session: 0x1b})}},
		{Path: "/stuck", Wakes: []locks.Wake{wakes(0, 1, locks.Woken{Session: 0x1b})}, Wakers: 1},
		{Path: "/ids", Use: naming.Members, Inside: 5},
		{Path: "/work", Use: naming.Queue, Items: 7},
		{Path: "/other"},
	}}}
}

// TestPrintLocks shows holders with their times, waiters, troubles, and the last handovers.
func TestPrintLocks(t *testing.T) {
	var out bytes.Buffer
	err := printLocks(&out, shownLocks(), through{}, 100_000)
	const want = `path              what                                             ` +
		`held by                                        in line
/app/lock         a lock, by the names of Curator                  ` +
		`0x1a 10.0.0.1:5 host-\u001b[1m for 1 min 10 s  3, the first for 1 min 1 s
  ! Nobody has led for 9 s.
  its end wakes at least 6: 0x1b 10.0.0.2:\u001b[1m, 0x1c and 4 more
  - 1 min 10 s ago: 0x1e lost it: its session expired; then 0x1a got it
  - 1 min 31 s ago: 0x1d lost it: it let go; then 0x1e got it
/app/longer-lock  a lock                                           0x2 for 2 s to 1 min 35 s                      0
/permits          the permits of a semaphore                                                                      3 there
  the end of 0x1a wakes at least 1: 0x1b
  and the end of 1 more wakes somebody, too
/stuck            perhaps a lock, by the numbers in unknown names  nobody                                         0
  the end of lock-\u202e wakes at least 1: 0x1b
/ids              the members of a group                                                                          5 there
/work             a queue of items, by their numbers                                                              7 items
/other            perhaps a lock, by the numbers in unknown names  nobody                                         0
`
	if got := out.String(); err != nil || got != want {
		t.Errorf("%v: it prints\n%s\nnot\n%s", err, got, want)
	}
}

// TestEncodeLocks has the same in JSON.
func TestEncodeLocks(t *testing.T) {
	var out bytes.Buffer
	err := encodeLocks(&out, listed{Report: shownLocks()}, 100_000)
	rows := strings.Split(out.String(), "\n")
	for _, c := range []struct {
		row  int
		want string
	}{
		{0, `"held_ms":70000}],"inside":1,"wakes":[{"session":"0x1a","znode":"/l/lock-` + "\u202e" + `","least":6,`},
		{0, `"waiting":3,"longest_ms":61400,"handovers":[{"time":"` + wallTime(30_000) +
			`","from":"0x1e","to":"0x1a","reason":"session-expired","said":"0x1e lost it: its session expired; ` +
			`then 0x1a got it"},{"time":"` + wallTime(9000) + `","from":"0x1d","to":"0x1e","reason":"op","by":"0x1d","said":`},
		{0, `"alerts":["Nobody has led for 9 s."],"kinds":["vacant"]`},
		{1, `"held_ms":2000,"held_longer":true}]`},
		{4, `"inside":5,"waiting":0,"trouble":0}`},
		{5, `"items":7`},
		{6, `"path":"/other","inside":0`},
	} {
		if err != nil || !strings.Contains(rows[c.row], c.want) {
			t.Errorf("%v: row %d lacks\n%s\nand is\n%s", err, c.row, c.want, rows[c.row])
		}
	}
}

// TestLockNews checks that each handover appears once and in order, with lost ones counted, and each new trouble.
func TestLockNews(t *testing.T) {
	turn := func(ms, from, to int64) locks.Turn {
		t := locks.Turn{TimeMS: ms, Reason: event.ByOp, By: from}
		if t.From.Session = from; from != 0 {
			t.From.Path = "/l/n"
		}
		if t.To.Session = to; to != 0 {
			t.To.Path = "/l/n"
		}
		return t
	}
	row := func(path string, turned int64, alert string, turns ...locks.Turn) locks.Row {
		r := locks.Row{Path: path, Turned: turned, Turns: turns}
		if alert != "" {
			r.Alerts = []locks.Alert{{Sentence: sentence.Of(alert, sentence.Text("1 s"), sentence.Text("2"))}}
		}
		return r
	}
	var news locks.Diff
	for i, c := range []struct {
		rows []locks.Row
		says string
	}{
		{[]locks.Row{row("/a", 1, "", turn(5, 1, 2)), row("/b", 0, "trouble.held")},
			"5 /a 0x1 lost it: it let go; then 0x2 got it; now /b ! Held for 1 s while others wait: 2."},
		{[]locks.Row{row("/a", 1, "", turn(5, 1, 2)), row("/b", 0, "trouble.held")}, ""},
		{[]locks.Row{row("/a", 2, "", turn(9, 2, 0), turn(5, 1, 2)), row("/b", 1, "", turn(8, 7, 8))},
			"8 /b 0x7 lost it: it let go; then 0x8 got it; 9 /a 0x2 lost it: it let go"},
		{[]locks.Row{row("/a", 2, "", turn(9, 2, 0), turn(5, 1, 2)), row("/b", 1, "", turn(8, 7, 8))}, ""},
		{[]locks.Row{row("/a", 2, "", turn(12, 2, 3), turn(5, 1, 2)), row("/b", 1, "trouble.held", turn(8, 7, 8))},
			"12 /a 0x3 got it; now /b ! Held for 1 s while others wait: 2."},
		{[]locks.Row{row("/a", 7, "", turn(15, 5, 6), turn(14, 4, 5)), row("/c", 1, "", turn(13, 0, 1))},
			"13 /c 0x1 got it; 14 /a 3 handovers before that are left out; 14 /a 0x4 lost it: it let go; then 0x5 got it; " +
				"15 /a 0x5 lost it: it let go; then 0x6 got it"},
	} {
		var text, object bytes.Buffer
		nowMS := int64(i+1) * locks.EndsAfterMS
		for _, n := range news.Update(c.rows, nowMS) {
			if err := errors.Join(printChange(&text, n), encodeChange(&object, n)); err != nil {
				t.Fatal(err)
			}
		}
		got := strings.ReplaceAll(text.String(), wallTime(nowMS), "now")
		for ms := range int64(20) {
			got = strings.ReplaceAll(got, wallTime(ms), fmt.Sprint(ms))
		}
		got = strings.ReplaceAll(strings.ReplaceAll(strings.TrimSuffix(got, "\n"), "  ", " "), "\n", "; ")
		if got != c.says {
			t.Errorf("%d: it says\n%s\nnot\n%s", i, got, c.says)
		}
		if missed := strings.Contains(object.String(), `"missed":3`); missed != strings.Contains(c.says, "3 handovers") {
			t.Errorf("%d: as JSON it is %s", i, object.String())
		}
		if kind := strings.Contains(object.String(), `"kind":"held"`); kind != strings.Contains(c.says, "Held") {
			t.Errorf("%d: as JSON it is %s", i, object.String())
		}
	}
}

// wakes returns the wakeups at the end of a session's lock.
func wakes(session int64, least int, whom ...locks.Woken) locks.Wake {
	return locks.Wake{Of: handover.Hand{Node: handover.Node{Path: "/l/lock-\u202e", Session: session}}, Least: least,
		Whom: whom}
}

// TestWakesJSON distinguishes unknown wakes from none known.
func TestWakesJSON(t *testing.T) {
	for _, c := range []struct {
		wakes []locks.Wake
		want  string
	}{
		{nil, `{"path":"","inside":0,"waiting":0,"trouble":0}`},
		{[]locks.Wake{}, `{"path":"","inside":0,"wakes":[],"waiting":0,"trouble":0}`},
		{[]locks.Wake{wakes(0x1a, 2, locks.Woken{Session: 0x1b, Client: locks.Client{Addr: "a:1"}}),
			wakes(0, 1, locks.Woken{Session: -1})}, `{"path":"","inside":0,"wakes":[` +
			`{"session":"0x1a","znode":"/l/lock-` + "\u202e" + `","least":2,"clients":[{"session":"0x1b","address":"a:1"}]},` +
			`{"znode":"/l/lock-` + "\u202e" + `","least":1,"clients":[{"session":"0xffffffffffffffff"}]}],` +
			`"waiting":0,"trouble":0}`},
	} {
		if got, err := json.Marshal(lockJSON(&locks.Row{Wakes: c.wakes}, 0)); string(got) != c.want || err != nil {
			t.Errorf("%v, it is\n%s\nnot\n%s", err, got, c.want)
		}
	}
}

// TestSayLacking prints what servers don't report.
func TestSayLacking(t *testing.T) {
	var errs bytes.Buffer
	printOmissions(&terminal{err: &errs}, follow.Report{Partial: true, ReadOnly: true, Summary: locks.Summary{Left: 3},
		Hidden: locks.Hidden{Done: 2, Of: 9},
		Untold: []sentence.Sentence{sentence.Of("sessions.refused", sentence.Text("a:1"), sentence.Text("wchp\x1b"),
			sentence.Text("l"))}})
	got := errs.String()
	if !strings.HasPrefix(got, "viz-server: a:1 doesn't answer wchp") || strings.Count(got, "\n") != 5 ||
		!strings.Contains(got, "has checked 2 of 9 znodes") ||
		!strings.Contains(got, "3 znodes are left out") || !strings.Contains(got, "have no quorum") ||
		strings.ContainsAny(got, "\x1b") {
		t.Errorf("it says %q", got)
	}
}

// TestLackingJSON expects another line if something is missing or the servers have no quorum.
func TestLackingJSON(t *testing.T) {
	rows := locks.Summary{Rows: []locks.Row{{Path: "/l"}}}
	cut := rows
	cut.Left = 3
	for _, c := range []struct {
		r    follow.Report
		want string
	}{
		{follow.Report{Summary: rows, Partial: true, Unread: locks.Unread{Count: 2, First: "/s"},
			Untold: []sentence.Sentence{sentence.Of("sessions.not-serving", sentence.Text("a:1"))}},
			`{"lacks":{"unread":2,"first":"/s","more":true,"untold":["a:1 serves nobody now, and so tells of no sessions"]}}`},
		{follow.Report{Summary: rows, Hidden: locks.Hidden{Done: 2, Of: 9}}, `{"lacks":{"hidden":[2,9]}}`},
		{follow.Report{Summary: cut}, `{"lacks":{"left":3}}`},
		{follow.Report{Summary: rows, ReadOnly: true}, `{"lacks":{"quorum":true}}`},
	} {
		var out bytes.Buffer
		if err := encodeLocks(&out, listed{Report: c.r}, 1); err != nil || strings.Count(out.String(), "\n") != 2 ||
			!strings.HasSuffix(out.String(), "\n"+c.want+"\n") {
			t.Errorf("%v: %s", err, out.String())
		}
	}
}

// manyLocks is the number of locks in TestLocks: enough to take a while to read.
const manyLocks = 300

// TestLocks lists all locks of a running ZooKeeper, and names what it may not read.
func TestLocks(t *testing.T) {
	t.Parallel()
	addr, conn := inside(t)
	makeLocks(t, conn)
	woken := watching(t, addr, conn, "/jobs/l7/lock-0000000000")
	for _, test := range []struct {
		args []string
		code int
		says string
		rows int // in JSON
	}{
		{[]string{"locks", "/jobs", "--zk", addr}, exitOK, " me ", 0},
		{[]string{"locks", "/jobs", "--zk", addr}, exitOK, "127.0.0.1 is a single server · ", 0},
		{[]string{"locks", "--zk", addr, "--json"}, exitOK, `{"path":"/jobs/l1","use":"lock"`, manyLocks + 3},
		{[]string{"locks", "/blind", "--zk", addr, "--herds"}, exitOK, "! Of those who wait, 2 watch nothing here", 0},
		{[]string{"locks", "/blind", "--zk", addr, "--herds"}, exitOK, ", but watches nobody ahead\n", 0},
		{[]string{"locks", "/jobs", "--zk", addr, "--herds"}, exitOK, "\n  its end wakes at least 1: " + woken + "\n", 0},
		{[]string{"locks", "/jobs/l7", "--zk", addr, "--herds", "--json"}, exitOK, `"least":1,"clients":[{"session":"`, 2},
		{[]string{"locks", "/jobs/l8", "--zk", addr, "--herds", "--json"}, exitOK, `"wakes":[],`, 2},
		{[]string{"locks", "/sec", "--zk", addr}, exitOK, "Nothing in what could be read looks like", 0},
		{[]string{"locks", "/sec", "--zk", addr}, exitOK, "that their ACLs hide: 1, the first is /sec/locked; ", 0},
		{[]string{"locks", "/sec", "--zk", addr, "--json"}, exitOK, `{"lacks":{"unread":1,"first":"/sec/locked"}}`, 2},
		{[]string{"locks", "/nonexist", "--zk", addr}, exitTrouble, "viz-server: /nonexist: there's no such znode", 0},
		{[]string{"locks"}, exitTrouble, "--zk: name the ZooKeeper", 0},
		{[]string{"locks", "nope", "--zk", addr}, exitTrouble, "PATH: ", 0},
		{[]string{"locks", "--zk", "127.0.0.1:1"}, exitTrouble, "can't read", 0},
	} {
		var out, errs bytes.Buffer
		code := execute(test.args, &terminal{ctx: t.Context(), out: &out, err: &errs})
		if code != test.code || !strings.Contains(out.String()+errs.String(), test.says) ||
			test.rows > 0 && strings.Count(out.String(), "\n") != test.rows {
			t.Errorf("%q: %d, %d lines, %.2000s%s", test.args, code, strings.Count(out.String(), "\n"), out.String(),
				errs.String())
		}
		if n := strings.Count(out.String(), " me "); n > 0 && n != manyLocks {
			t.Errorf("%q names %d holders of %d", test.args, n, manyLocks)
		}
	}
}

// watching makes a new client and the holder watch a znode, and returns the new client's name.
func watching(t *testing.T, addr string, holder *zk.Conn, path string) string {
	t.Helper()
	dialed := make(chan net.Conn, 1)
	watcher, _, err := zk.Connect([]string{addr}, time.Minute, zk.WithLogInfo(false),
		zk.WithDialer(func(network, addr string, timeout time.Duration) (net.Conn, error) {
			c, err := net.DialTimeout(network, addr, timeout)
			if err == nil {
				dialed <- c
			}
			return c, err
		}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(watcher.Close)
	for _, c := range []*zk.Conn{holder, watcher} {
		if _, _, _, err := c.GetW(path); err != nil {
			t.Fatal(err)
		}
	}
	return handover.SessionText(watcher.SessionID()) + " " + (<-dialed).LocalAddr().String()
}

// makeLocks makes one client hold many locks, and creates unreadable znodes. Its clients have had the time to look who
// is ahead.
func makeLocks(t *testing.T, conn *zk.Conn) {
	t.Helper()
	secret := zk.DigestACL(zk.PermAll, "me", "secret")
	ops := []any{&zk.CreateRequest{Path: "/jobs", Acl: zk.WorldACL(zk.PermAll)},
		&zk.CreateRequest{Path: "/sec", Acl: zk.WorldACL(zk.PermAll)},
		&zk.CreateRequest{Path: "/sec/locked", Acl: append(zk.WorldACL(zk.PermCreate), secret...)},
		&zk.CreateRequest{Path: "/sec/locked/in", Acl: zk.WorldACL(zk.PermAll)},
		&zk.CreateRequest{Path: "/sec/shown", Acl: secret}, // nothing is below it
	}
	for i := range manyLocks {
		at := fmt.Sprintf("/jobs/l%d", i)
		ops = append(ops, &zk.CreateRequest{Path: at, Acl: zk.WorldACL(zk.PermAll)}, &zk.CreateRequest{
			Path: at + "/lock-0000000000", Data: []byte("me"), Flags: zk.FlagEphemeral, Acl: zk.WorldACL(zk.PermAll)})
	}
	ops = append(ops, &zk.CreateRequest{Path: "/blind", Acl: zk.WorldACL(zk.PermAll)})
	for i := range 3 {
		ops = append(ops, &zk.CreateRequest{Path: fmt.Sprintf("/blind/lock-%010d", i), Flags: zk.FlagEphemeral,
			Acl: zk.WorldACL(zk.PermAll)})
	}
	if _, err := conn.Multi(ops...); err != nil {
		t.Fatal(err)
	}
	letThemLook()
}

// letThemLook waits until clients that wait for a lock have had the time to look who is ahead.
func letThemLook() { time.Sleep((handover.LookMS + 1) * time.Millisecond) }
