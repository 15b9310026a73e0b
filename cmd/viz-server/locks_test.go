package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/embed"
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
	for _, part := range []string{"lock (Curator)", " 0x1a 10.0.0.1:5 host-", "3, the first for 1m1s\n  ! ", "5 are there",
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

// TestLocks lists a lock of a ZooKeeper that is running, and refuses what can't be looked at.
func TestLocks(t *testing.T) {
	t.Parallel()
	server, err := embed.Listen(embed.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	addr := server.Addr().String()
	conn, _, err := zk.Connect([]string{addr}, time.Minute, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, path := range []string{"/jobs", "/jobs/l", "/jobs/l/lock-0000000000"} {
		flags := int32(0)
		if strings.Contains(path, "lock") {
			flags = zk.FlagEphemeral
		}
		if _, err := conn.Create(path, []byte("me"), flags, zk.WorldACL(zk.PermAll)); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"locks", "/jobs", "--zk", addr}, exitOK, " me "},
		{[]string{"locks", "--zk", addr, "--json"}, exitOK, `{"path":"/jobs/l","use":"lock"`},
		{[]string{"locks"}, exitTrouble, "--zk: name the ZooKeeper"},
		{[]string{"locks", "nope", "--zk", addr}, exitTrouble, "PATH: "},
		{[]string{"locks", "--zk", "127.0.0.1:1"}, exitTrouble, "can't be seen"},
	} {
		var out, errs bytes.Buffer
		if code := execute(test.args, &terminal{ctx: t.Context(), out: &out, err: &errs}); code != test.code ||
			!strings.Contains(out.String()+errs.String(), test.says) {
			t.Errorf("%q: %d, %s%s", test.args, code, out.String(), errs.String())
		}
	}
}
