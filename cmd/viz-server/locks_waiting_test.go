package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/run/cluster/follow"
)

// queuedLocks returns two locks at ms 100,000, with hostile names. Of the first, many wait.
func queuedLocks() follow.Report {
	node := func(session int64, data string, made int64) handover.Node {
		return handover.Node{Path: "/l/lock-\u202e", Session: session, Data: data, MadeMS: made}
	}
	return follow.Report{Summary: locks.Summary{Rows: []locks.Row{
		{Path: "/l", Use: naming.Lock, Inside: 1, Waiting: 42, LongestMS: 31_000, QueueMS: 60_000,
			Waiters: []locks.Waiter{
				{Node: node(0x2a, "w\x1b[1m", 69_000), Client: locks.Client{Addr: "10.0.0.2:\x1b"}, Place: 1,
					Behind: node(0x1a, "", 1)},
				{Node: node(0, "", 0), Place: 2, Behind: node(0, "", 1)}},
			Flow: locks.Flow{Came: 14, Got: 12, Quit: 7, SpanMS: 600_000, Least: true}, Waited: locks.Waits{0, 0, 12, 3, 1},
			Quitted: 7, Quits: []locks.Quit{
				{Node: node(0x2c, "\x1b", 60_000), TimeMS: 91_000, Zxid: 7, Reason: event.ByOp, By: 0x2c},
				{Node: node(0x2d, "", 0), TimeMS: 90_000, Reason: event.ByUnknown}}},
		{Path: "/m", Use: naming.Lock, Waiting: 1, QueueMS: 99_000, QueueLonger: true,
			Waiters: []locks.Waiter{{Node: node(0x3a, "", 99_000), Place: 1}}, Waited: locks.Waits{6: 1}},
	}}}
}

// TestPrintQueue names those that wait for the lock that PATH names, or with --waiting for all.
func TestPrintQueue(t *testing.T) {
	const head = `path  what    held by  in line
/l    a lock           42, the first for 31 s
`
	l := `  1. 0x2a 10.0.0.2:\u001b w\u001b[1m for 31 s, since ` + wallTime(69_000) + `, behind 0x1a
  2. a znode of no session for an unknown time, behind a znode of no session
  and 40 more
  the queue hasn't been empty for 40 s
  in the last 10 min, at least: 14 came, 12 got in, 7 left the queue
  waited: 12 under 1 s, 3 under 10 s, 1 under 1 min
  - 9 s ago: 0x2c \u001b left the queue after waiting for 31.0 s: it gave up
  - 10 s ago: 0x2d left the queue: reading can't tell why (joining can)
`
	m := `/m    a lock  nobody   1
`
	m2 := `  1. 0x3a for 1 s, since ` + wallTime(99_000) + `
  the queue hasn't been empty for at least 1 s
  waited: 1 for 10 min or more
`
	for _, c := range []struct {
		cmd  locksCmd
		want string
	}{
		{locksCmd{Path: "/"}, head + m},
		{locksCmd{Path: "/l"}, head + l + m},
		{locksCmd{Path: "/", Names: true}, head + l + m + m2},
	} {
		r, named := queuedLocks(), 0
		for _, row := range c.cmd.unfolded(r.Rows) {
			named += len(row.Waiters)
		}
		r.Rows = c.cmd.fold(r.Rows)
		var out bytes.Buffer
		err := printLocks(&out, r, through{}, 100_000)
		if got := out.String(); err != nil || got != c.want {
			t.Errorf("%v: it prints\n%s\nnot\n%s", err, got, c.want)
		}
		if printed := strings.Count(out.String(), ", behind") + strings.Count(out.String(), "0x3a"); named != printed {
			t.Errorf("%d waiters have their data read, and %d are shown", named, printed)
		}
	}
}

// TestEncodeQueue has the same in JSON.
func TestEncodeQueue(t *testing.T) {
	r := queuedLocks()
	cmd := locksCmd{Path: "/l", JSON: true}
	r.Rows = cmd.fold(r.Rows)
	var out bytes.Buffer
	if err := encodeLocks(&out, listed{Report: r}, 100_000); err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(out.String(), "\n")
	for _, c := range []struct {
		row  int
		want string
	}{
		{0, `"waiting":42,"waiters":[{"place":1,"session":"0x2a","address":"10.0.0.2:\u001b","znode":"/l/lock-` + "\u202e" +
			`","data":"w\u001b[1m","since":"` + wallTime(69_000) + `","waited_ms":31000,"behind":"0x1a","behind_znode":"/l/lock-` +
			"\u202e" + `"},{"place":2,`},
		{0, `"queue_since":"` + wallTime(60_000) +
			`","flow":{"span_ms":600000,"came":14,"got_in":12,"left":7,"at_least":true},"waited":[{"under_ms":10,"count":0},`},
		{0, `{"under_ms":600000,"count":0},{"count":0}],"left":[{"time":"` + wallTime(91_000) + `","session":"0x2c",`},
		{0, `"waited_ms":31000,"reason":"op","by":"0x2c","said":"0x2c \\u001b left the queue after waiting for 31.0 s: ` +
			`it gave up"}`},
		{1, `"waiting":1,"queue_since":"` + wallTime(99_000) + `","queue_longer":true,"waited":[`},
	} {
		if !strings.Contains(rows[c.row], c.want) {
			t.Errorf("row %d lacks\n%s\nand is\n%s", c.row, c.want, rows[c.row])
		}
	}
	if strings.Contains(rows[1], `"waiters"`) {
		t.Errorf("a lock that wasn't asked for names them: %s", rows[1])
	}
}

// TestQuitNews checks that each client that leaves a queue without getting in appears once, in order with handovers,
// with lost ones counted.
func TestQuitNews(t *testing.T) {
	quit := func(ms, session int64) locks.Quit {
		return locks.Quit{Node: handover.Node{Session: session, MadeMS: 1}, TimeMS: ms, Zxid: ms,
			Reason: event.BySessionClosed}
	}
	handed := locks.Turn{TimeMS: 6, Zxid: 6, To: handover.Hand{Node: handover.Node{Path: "/l/n", Session: 9}}}
	var news locks.Diff
	for i, c := range []struct {
		row  locks.Row
		says string
	}{
		{locks.Row{}, ""},
		{locks.Row{Quitted: 2, Quits: []locks.Quit{quit(7, 3), quit(5, 2)}, Turned: 1, Turns: []locks.Turn{handed}},
			"5: 0x2 left the queue after waiting for 4 ms: it closed its session; 6: 0x9 got it; " +
				"7: 0x3 left the queue after waiting for 6 ms: it closed its session"},
		{locks.Row{Quitted: 2, Quits: []locks.Quit{quit(7, 3), quit(5, 2)}, Turned: 1, Turns: []locks.Turn{handed}}, ""},
		{locks.Row{Quitted: 6, Quits: []locks.Quit{quit(11, 5), quit(9, 4)}, Turned: 1, Turns: []locks.Turn{handed}},
			"9: 2 departures before that are left out; 9: 0x4 left the queue after waiting for 8 ms: it closed its session; " +
				"11: 0x5 left the queue after waiting for 10 ms: it closed its session"},
	} {
		c.row.Path, c.row.Use = "/l", naming.Lock
		var text bytes.Buffer
		for _, n := range news.Update([]locks.Row{c.row}, 99) {
			var object bytes.Buffer
			if err := errors.Join(printChange(&text, n), encodeChange(&object, n)); err != nil {
				t.Fatal(err)
			}
			var o changeObject
			if err := json.Unmarshal(object.Bytes(), &o); err != nil || (o.Left == nil) == (o.Handover == nil) ||
				o.Missed != n.Missed {
				t.Errorf("%d: %v, as JSON it is %s", i, err, object.String())
			}
		}
		got := text.String()
		for ms := range int64(20) {
			got = strings.ReplaceAll(got, wallTime(ms)+"  /l  ", fmt.Sprint(ms, ": "))
		}
		if got = strings.ReplaceAll(strings.TrimSuffix(got, "\n"), "\n", "; "); got != c.says {
			t.Errorf("%d: it says\n%s\nnot\n%s", i, got, c.says)
		}
	}
}
