package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// night returns a server's files of a night in which a lock changed hands three times.
func night(t *testing.T) (folder string) {
	t.Helper()
	const lock, a, b, c = "/app/lock/", 0x100000000000a, 0x100000000000b, 0x100000000000c
	begin := time.Date(2026, 11, 25, 3, 0, 0, 0, time.UTC)
	all := []wire.Txn{
		{Session: a, Op: wire.OpCreateSession, TimeoutMS: 12_000},
		{Session: a, Cxid: 1, Op: wire.OpCreate, Path: "/app"},
		{Session: a, Cxid: 2, Op: wire.OpCreate, Path: "/app/lock", Data: []byte("of \x1b[31mall")},
		{Session: a, Cxid: 3, Op: wire.OpCreate, Path: lock + "n-0000000000", Ephemeral: true, Data: []byte("host-a")},
		{Session: b, Op: wire.OpCreateSession, TimeoutMS: 12_000},
		{Session: b, Cxid: 1, Op: wire.OpCreate, Path: lock + "n-0000000001", Ephemeral: true, Data: []byte("host-b")},
		{Session: c, Op: wire.OpCreateSession, TimeoutMS: 12_000},
		{Session: c, Cxid: 1, Op: wire.OpError, Code: zoo.ErrNodeExists},
		{Session: a, Cxid: 4, Op: wire.OpDelete, Path: lock + "n-0000000000"},
		{Session: b, Op: wire.OpCloseSession, Paths: []string{lock + "n-0000000001"}},
		{Session: c, Cxid: 2, Op: wire.OpSetData, Path: "/app/lock", Data: []byte("of c")},
		{Session: c, Cxid: 3, Op: wire.OpCloseSession},
	}
	for i := range all {
		all[i].Zxid, all[i].TimeMS = 0x200000001+int64(i), begin.Add(time.Duration(i)*time.Minute).UnixMilli()
	}
	folder = t.TempDir()
	inner := filepath.Join(folder, "version-2")
	if err := os.Mkdir(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(inner, "log.200000001"), txnlogtest.Log(all...), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

// TestLog prints a night: when, which transaction, by which session, what, and why each znode went.
func TestLog(t *testing.T) {
	defer func(was *time.Location) { time.Local = was }(time.Local)
	time.Local = time.UTC
	folder := night(t)
	code, out, errs := printed(t, "log", folder)
	text, err := os.ReadFile("testdata/log.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := string(text)
	if code != exitOK || out != want || errs != "" {
		t.Errorf("exit code %d, it prints\n%s\nnot\n%s\n%s", code, out, want, errs)
	}
	for _, c := range []struct {
		args  string
		lines int
	}{
		{"--below /app/lock/n-0000000001", 3}, {"--session 0x100000000000a", 5}, {"--kind znode.deleted", 2},
		{"--kind znode.deleted,session.expired --json", 3}, {"--since 3m", 5}, {"--since 2026-11-25T03:09:00Z", 4},
		{"--since 2026-11-25T03:08 --until 2026-11-25T03:09", 1}, {"--until 2026-11-25", 0}, {"--kind txn.applied", 7},
	} {
		code, out, errs := printed(t, append([]string{"log", folder}, strings.Fields(c.args)...)...)
		if got := strings.Count(out, "\n"); code != exitOK || got != c.lines || errs != "" {
			t.Errorf("%s: exit code %d, %d lines, not %d:\n%s%s", c.args, code, got, c.lines, out, errs)
		}
	}
}

// TestLogJSON prints an object a line.
func TestLogJSON(t *testing.T) {
	_, out, _ := printed(t, "log", night(t), "--json", "--kind", "znode.deleted")
	line, _, _ := strings.Cut(out, "\n")
	var got map[string]any
	if err := json.Unmarshal([]byte(line), &got); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{"zxid": "0x200000009", "session": "0x100000000000a", "owner": "0x100000000000a",
		"kind": "znode.deleted", "path": "/app/lock/n-0000000000", "reason": "op", "lived_ms": 300_000.0} {
		if got[name] != want {
			t.Errorf("%s is %v, not %v", name, got[name], want)
		}
	}
}

// TestLogLacks checks that damage in a log is reported on stderr, and among JSON objects at its place.
func TestLogLacks(t *testing.T) {
	folder := night(t)
	file := filepath.Join(folder, "version-2", "log.200000001")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text[bytes.Index(text, []byte("host-b"))] ^= 1
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--json"}, {"--json", "--hands", "/app/lock"}} {
		code, out, errs := printed(t, append([]string{"log", folder}, args...)...)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		var lack struct{ Kind, File, Why string }
		for _, line := range lines {
			if strings.Contains(line, `"log.lacks","file"`) {
				if err := json.Unmarshal([]byte(line), &lack); err != nil {
					t.Fatal(err)
				}
			}
		}
		told := strings.Contains(lack.Why, "is damaged from byte") && strings.Contains(errs, lack.Why)
		if code != 0 || lack.File != file || !told {
			t.Errorf("%v: code %d, %+v in\n%s\n%s", args, code, lack, out, errs)
		}
	}
}

// TestLogRefuses checks that errors explain what is wrong and what to do, without other output.
func TestLogRefuses(t *testing.T) {
	folder := night(t)
	for args, want := range map[string]string{
		"--kind deleted": "the kinds are session.created", "--session me": "like 0x", "--below app": "--below",
		"--since yesterday": "--since", "--until 3h": "--until",
	} {
		code, out, errs := printed(t, append([]string{"log", folder}, strings.Fields(args)...)...)
		if code != exitTrouble || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d, %q, %q", args, code, out, errs)
		}
	}
	if code, _, errs := printed(t, "log", t.TempDir()); code != exitTrouble || !strings.Contains(errs, "version-2") {
		t.Errorf("an empty folder: exit code %d, %q", code, errs)
	}
}

// TestLogHands prints each handover of a lock, how long each session had it, and why it lost it.
func TestLogHands(t *testing.T) {
	defer func(was *time.Location) { time.Local = was }(time.Local)
	time.Local = time.UTC
	code, out, errs := printed(t, "log", night(t), "--hands", "/app/lock")
	const want = `2026-11-25T03:03:00.000Z  0x200000004  0x100000000000a  got it with n-0000000000 "host-a"
2026-11-25T03:08:00.000Z  0x200000009  0x100000000000a  lost it with n-0000000000: it let go, after holding it for 5 min
2026-11-25T03:08:00.000Z  0x200000009  0x100000000000b  got it with n-0000000001 "host-b", after waiting for 3 min
2026-11-25T03:09:00.000Z  0x20000000a  0x100000000000b  lost it with n-0000000001: its session expired, after holding it for 1 min
/app/lock  held by nobody when the log ends
/app/lock  held 2 times: too few to say for how long usually
It is an election, by the names of the ZooKeeper recipes.
`
	if code != exitOK || out != want || errs != "" {
		t.Errorf("exit code %d, it prints\n%s\nnot\n%s\n%s", code, out, want, errs)
	}
	code, out, _ = printed(t, "log", night(t), "--hands", "/app/lock", "--json")
	if code != exitOK || strings.Count(out, "\n") != 5 || !strings.Contains(out, `"reason":"session-expired"`) ||
		!strings.Contains(out, `"waited_ms":180000`) {
		t.Errorf("exit code %d, it prints %s", code, out)
	}
	code, out, _ = printed(t, "log", night(t), "--hands", "/app/lock", "--until", "2026-11-25T03:06")
	if code != exitOK ||
		!strings.Contains(out, "held by 0x100000000000a with n-0000000000, for 3 min when that time ends") {
		t.Errorf("exit code %d, up to a time it prints %s", code, out)
	}
	code, out, _ = printed(t, "log", night(t), "--hands", "/app/lock", "--until", "2026-11-25T03:06", "--json")
	if code != exitOK || strings.Count(out, "\n") != 2 || !strings.Contains(out, `"held_ms":180000`) {
		t.Errorf("exit code %d, up to a time it prints %s", code, out)
	}
	code, _, errs = printed(t, "log", night(t), "--hands", "/app/lock", "--below", "/app")
	if code != exitTrouble || !strings.Contains(errs, "leave out --below and --kind") {
		t.Errorf("exit code %d, it says %s", code, errs)
	}
}

// TestLogHandsOfNoLock checks that a folder without a lock isn't called free, and that a queue has items.
func TestLogHandsOfNoLock(t *testing.T) {
	dir := crashed(t, map[string][]byte{"log.1": txnlogtest.Log(numbered(1,
		wire.Txn{Session: 7, Cxid: 1, Op: wire.OpCreate, Path: "/blocks"},
		wire.Txn{Session: 7, Cxid: 2, Op: wire.OpCreate, Path: "/blocks/202511_12345678901234567890_9876543210"},
		wire.Txn{Session: 7, Cxid: 3, Op: wire.OpCreate, Path: "/queue"},
		wire.Txn{Session: 7, Cxid: 4, Op: wire.OpCreate, Path: "/queue/qn-0000000000"},
		wire.Txn{Session: 7, Cxid: 5, Op: wire.OpCreate, Path: "/queue/qn-0000000001"})...)})
	for path, want := range map[string]string{
		"/blocks": "/blocks  nothing there looks like a lock, or like anything else that a client can " +
			"hold, when the log ends\n",
		"/queue": "/queue  a queue with 2 items when the log ends\n" +
			"It is a queue, by the names of the ZooKeeper recipes.\n",
	} {
		if code, out, errs := printed(t, "log", dir, "--hands", path); code != exitOK || out != want || errs != "" {
			t.Errorf("%s: exit code %d, it prints\n%s%s\nnot\n%s", path, code, out, errs, want)
		}
	}
}

// TestLogTrace saves a night as a trace that render accepts, or reports that there is nothing to save.
func TestLogTrace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "night.trace")
	code, out, errs := printed(t, "log", night(t), "--below", "/app/lock", "--since", "2026-11-25T03:08:30Z",
		"--trace", file)
	if code != exitOK || out+errs != "" {
		t.Fatalf("exit code %d, it says %s%s", code, out, errs)
	}
	var log event.Log
	_, err := readTrace(t.Context(), file, func(h event.Header) event.Sink {
		log.Header = h
		return &log
	})
	if log.Header.Host != event.Joined || log.Header.Root != "/app/lock" {
		t.Errorf("its header is %+v", log.Header)
	}
	var kinds []string
	for _, e := range log.Events {
		kinds = append(kinds, fmt.Sprint(e.At, " ", e.Kind, " ", e.Path))
	}
	want := []string{
		"0s run.started /app/lock", "0s znode.found /app/lock", "0s client.started ", "0s session.seen ",
		"0s znode.found /app/lock/n-0000000001", "0s session.expired ", "0s znode.deleted /app/lock/n-0000000001",
		"1m0s client.started ", "1m0s session.seen ", "1m0s txn.applied /app/lock", "1m0s znode.changed /app/lock",
		"2m0s session.closed ", "2m0s client.exited ", "2m0s run.ended ",
	}
	if err != nil || !slices.Equal(kinds, want) {
		t.Errorf("%v, it has\n%s", err, strings.Join(kinds, "\n"))
	}
	if at := time.UnixMilli(log.Events[0].N).UTC().Format(time.RFC3339); at != "2026-11-25T03:09:00Z" {
		t.Errorf("it begins at %s", at)
	}
	code, out, _ = printed(t, "render", file, "--at", "30s", "-o", "-")
	if code != exitOK || !strings.Contains(out, "<svg") {
		t.Errorf("render: exit code %d", code)
	}
	for args, want := range map[string]string{
		"--trace " + file + " --since 2027-01-01":   "nothing happened in that time",
		"--trace " + file + " --kind znode.deleted": "leave out --hands, --kind, --session and --json",
		"--trace " + file + " --hands /app/lock":    "leave out --hands, --kind, --session and --json",
	} {
		code, _, errs := printed(t, append([]string{"log", night(t)}, strings.Fields(args)...)...)
		if code != exitTrouble || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d, it says %s", args, code, errs)
		}
	}
}

// TestLogFork makes a scenario of a night: when clients came, how long the first one held the lock, and that the
// second was silent until its session expired.
func TestLogFork(t *testing.T) {
	dir := t.TempDir()
	file, scenario := filepath.Join(dir, "night.trace"), filepath.Join(dir, "night.json")
	if code, _, errs := printed(t, "log", night(t), "--below", "/app/lock", "--since", "2026-11-25T03:02:30Z", "--trace",
		file); code != exitOK {
		t.Fatal(errs)
	}
	code, out, errs := printed(t, "fork", file, "--path", "/app/lock", "--scenario", scenario)
	if code != exitOK || out != "" || !strings.Contains(errs, `"/app/lock" is taken for an election`) ||
		!strings.Contains(errs, "Sessions that expired while they held it: 1.") {
		t.Fatalf("exit code %d, it says %s%s", code, out, errs)
	}
	text, err := os.ReadFile(scenario)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"recipe": "leader-election"`, `"clients": 2`, `"session_timeout": "12s"`,
		"for 4m59.998s", "pause client-2 in hold 1 at 50s"} {
		if !strings.Contains(string(text), part) {
			t.Errorf("it has no %s:\n%s", part, text)
		}
	}
	file = filepath.Join(dir, "again.trace")
	if code, _, errs := printed(t, "run", "--scenario", scenario, "--trace", file); code != exitOK {
		t.Error(errs)
	}
}
