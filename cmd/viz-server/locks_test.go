package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/handover"
	"github.com/zkviz/zkviz/engine/locks"
	"github.com/zkviz/zkviz/engine/locks/follow"
	"github.com/zkviz/zkviz/engine/naming"
	"github.com/zkviz/zkviz/engine/sentence"
)

// TestPrintLocks shows who holds what, who waits, and what is wrong, whatever somebody has called it.
func TestPrintLocks(t *testing.T) {
	var out bytes.Buffer
	err := printLocks(&out, follow.Report{Summary: locks.Summary{Rows: []locks.Row{
		{Path: "/app/lock", Use: naming.Lock, Whose: "Curator", Inside: 1, Waiting: 3, LongestMS: 61_400,
			Holding: []locks.Holder{{Hand: handover.Hand{Node: handover.Node{Session: 0x1a, Data: "host-\x1b[1m"}},
				Client: locks.Client{Addr: "10.0.0.1:5"}}},
			Alerts: []locks.Alert{{Weight: 9, Sentence: sentence.Of("trouble.vacant", sentence.Text("9 s"))}}},
		{Path: "/ids", Use: naming.Members, Inside: 5},
		{Path: "/work", Use: naming.Queue, Items: 7},
		{Path: "/other"},
	}}})
	got := out.String()
	for _, part := range []string{"lock (Curator)", " 0x1a 10.0.0.1:5 host-", "3, the first for 61 s\n  ! ", "5 are there",
		"7 items", "perhaps a lock", "nobody"} {
		if !strings.Contains(got, part) {
			t.Errorf("it lacks %q", part)
		}
	}
	if err != nil || strings.ContainsAny(got, "\x1b") || strings.Contains(got, "trouble.") {
		t.Errorf("%v\n%s", err, got)
	}
}

// TestSayLacking says what servers that were asked don't tell, whatever that is.
func TestSayLacking(t *testing.T) {
	var errs bytes.Buffer
	sayLacking(&terminal{err: &errs}, follow.Report{Partial: true, Untold: []sentence.Sentence{
		sentence.Of("sessions.refused", sentence.Text("a:1"), sentence.Text("wchp\x1b"), sentence.Text("l"))}})
	got := errs.String()
	if !strings.HasPrefix(got, "viz-server: a:1 doesn't answer wchp") || strings.Count(got, "\n") != 2 ||
		strings.ContainsAny(got, "\x1b") {
		t.Errorf("it says %q", got)
	}
}

// TestLackingJSON has a line more where something lacks.
func TestLackingJSON(t *testing.T) {
	r := follow.Report{Summary: locks.Summary{Rows: []locks.Row{{Path: "/l"}}}, Partial: true,
		Unread: locks.Unread{Count: 2, First: "/s"},
		Untold: []sentence.Sentence{sentence.Of("sessions.not-serving", sentence.Text("a:1"))}}
	const last = `{"lacks":{"unread":2,"first":"/s","more":true,` +
		`"untold":["a:1 serves nobody now, and so tells of no sessions"]}}`
	var out bytes.Buffer
	if err := encodeLocks(&out, r); err != nil || strings.Count(out.String(), "\n") != 2 ||
		!strings.HasSuffix(out.String(), "\n"+last+"\n") {
		t.Errorf("%v: %s", err, out.String())
	}
}

// manyLocks is how many locks TestLocks has: so many that they take a while to read.
const manyLocks = 300

// TestLocks lists the locks of a ZooKeeper that is running, all of them, and says what can't be looked at.
func TestLocks(t *testing.T) {
	t.Parallel()
	addr, conn := inside(t)
	makeLocks(t, conn)
	for _, test := range []struct {
		args []string
		code int
		says string
		rows int // in JSON
	}{
		{[]string{"locks", "/jobs", "--zk", addr}, exitOK, " me ", 0},
		{[]string{"locks", "--zk", addr, "--json"}, exitOK, `{"path":"/jobs/l1","use":"lock"`, manyLocks + 2},
		{[]string{"locks", "/blind", "--zk", addr, "--herds"}, exitOK, "! Of those who wait, 2 watch no znode ahead", 0},
		{[]string{"locks", "/sec", "--zk", addr}, exitOK, "nothing in what could be read that is", 0},
		{[]string{"locks", "/sec", "--zk", addr}, exitOK, "by their ACLs: 1, the first of them /sec/locked; ", 0},
		{[]string{"locks", "/sec", "--zk", addr, "--json"}, exitOK, `{"lacks":{"unread":1,"first":"/sec/locked"}}`, 1},
		{[]string{"locks", "/nonexist", "--zk", addr}, exitTrouble, "viz-server: /nonexist: there's no such znode", 0},
		{[]string{"locks"}, exitTrouble, "--zk: name the ZooKeeper", 0},
		{[]string{"locks", "nope", "--zk", addr}, exitTrouble, "PATH: ", 0},
		{[]string{"locks", "--zk", "127.0.0.1:1"}, exitTrouble, "can't be seen", 0},
	} {
		var out, errs bytes.Buffer
		code := execute(test.args, &terminal{ctx: t.Context(), out: &out, err: &errs})
		if code != test.code || !strings.Contains(out.String()+errs.String(), test.says) ||
			test.rows > 0 && strings.Count(out.String(), "\n") != test.rows {
			t.Errorf("%q: %d, %d lines, %.2000s%s", test.args, code, strings.Count(out.String(), "\n"), out.String(),
				errs.String())
		}
	}
}

// makeLocks has one client hold many locks, and keeps one secret.
func makeLocks(t *testing.T, conn *zk.Conn) {
	t.Helper()
	ops := []any{&zk.CreateRequest{Path: "/jobs", Acl: zk.WorldACL(zk.PermAll)},
		&zk.CreateRequest{Path: "/sec", Acl: zk.WorldACL(zk.PermAll)},
		&zk.CreateRequest{Path: "/sec/locked", Acl: zk.DigestACL(zk.PermAll, "me", "secret")}}
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
}
