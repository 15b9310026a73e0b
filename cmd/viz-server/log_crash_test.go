package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// beginMS is the time at which these tests' logs begin.
var beginMS = time.Date(2026, 11, 25, 3, 0, 0, 0, time.UTC).UnixMilli()

// crashed returns a server's folder with these files.
func crashed(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// numbered gives transactions consecutive zxids and times, a second apart.
func numbered(first int64, all ...wire.Txn) []wire.Txn {
	for i := range all {
		all[i].Zxid = first + int64(i)
		all[i].TimeMS += beginMS + 1000*(all[i].Zxid&0xffff)
	}
	return all
}

func stand(session int64, name string) wire.Txn {
	return wire.Txn{Session: session, Cxid: 1, Op: wire.OpCreate, Path: "/lock/" + name, Ephemeral: true}
}

func step(session int64, name string) wire.Txn {
	return wire.Txn{Session: session, Cxid: 2, Op: wire.OpDelete, Path: "/lock/" + name}
}

// prints runs log and checks its exit code, and that its output and stderr contain all the texts.
func prints(t *testing.T, code int, args []string, want ...string) string {
	t.Helper()
	got, out, errs := printed(t, append([]string{"log"}, args...)...)
	for _, w := range want {
		if !strings.Contains(out+errs, w) {
			t.Errorf("log %v doesn't say %q, but\n%s%s", args, w, out, errs)
		}
	}
	if got != code {
		t.Errorf("log %v: exit code %d\n%s%s", args, got, out, errs)
	}
	return out
}

// TestLogCrash reads a log next to an empty log and an unfinished snapshot, and reports the uncertainty.
func TestLogCrash(t *testing.T) {
	log := txnlogtest.Log(numbered(1, wire.Txn{Op: wire.OpCreate, Path: "/lock"}, stand(7, "lock-0000000000"))...)
	dir := crashed(t, map[string][]byte{"log.1": log, "log.200000001": nil, "snapshot.2.tmp": nil})
	prints(t, 0, []string{dir}, "created /lock/lock-0000000000",
		"log.200000001: the log is torn at byte 0: the file is empty",
		"snapshot.2.tmp: not a snapshot")
	prints(t, 0, []string{dir, "--hands", "/lock"}, "held by 0x7 with lock-0000000000, for 0 s when the log ends",
		"It may have changed hands since: "+filepath.Join(dir, "log.200000001")+" can't be read after 0x2")
	prints(t, 0, []string{dir, "--servers"}, "log.200000001 is torn at byte 0, after 0x2: the file is empty",
		"snapshot.2.tmp: not a snapshot")
	prints(t, 0, []string{dir, "--servers", "--json"}, `"kind":"log.lacks"`, `"why":"the file is empty"`)
	prints(t, exitTrouble, []string{dir, "--hands", "/never"}, `--hands "/never": these files name no such znode`)
	prints(t, exitTrouble, []string{dir, "--hands", "/never", "--json"}, "no such znode")
}

// TestLogHole checks that the holder counts as unknown after missing transactions.
func TestLogHole(t *testing.T) {
	snapshot := txnlogtest.Versions()[0].Snapshot(txnlogtest.Tree{Nodes: []txnlog.Node{{Path: "/", ACL: zoo.OpenACL()},
		{Path: "/lock", ACL: zoo.OpenACL()}, {Path: "/lock/lock-0000000000", ACL: zoo.OpenACL(),
			Stat: zoo.Stat{EphemeralOwner: 7}}}}, 3)
	dir := crashed(t, map[string][]byte{"snapshot.3": snapshot, "log.9": txnlogtest.Log(numbered(9,
		stand(9, "lock-0000000002"), step(8, "lock-0000000001"))...)})
	out := prints(t, 0, []string{dir, "--hands", "/lock"}, "the transactions between 0x3 and 0x9 are missing",
		"the holder is unknown when the log ends: transactions are missing between 0x3 and 0x9",
		"is first with lock-0000000002 of those that are known, but may not hold it")
	if strings.Contains(out, "held by 0x7") || strings.Contains(out, "  got ") {
		t.Errorf("it believes too much:\n%s", out)
	}
	out = prints(t, 0, []string{dir, "--hands", "/lock", "--json"}, `"kind":"perhaps-got"`, `"kind":"log.lacks"`)
	if strings.Contains(out, `"kind":"got"`) {
		t.Errorf("it believes too much:\n%s", out)
	}
	prints(t, 0, []string{dir, "--servers"}, "has nothing between 0x3 and 0x9")
	first := txnlogtest.Log(numbered(1, wire.Txn{Op: wire.OpCreate, Path: "/lock"})...)
	dir = crashed(t, map[string][]byte{"log.1": first, "snapshot.3": snapshot,
		"log.4": txnlogtest.Log(numbered(4, step(7, "lock-0000000000"))...)})
	out = prints(t, 0, []string{dir, "--hands", "/lock"}, "has it with lock-0000000000, and got it in the transactions",
		"lost it with lock-0000000000: it let go, after holding it for an unknown time")
	if strings.Contains(out, "before the log began") {
		t.Errorf("the log has what was before:\n%s", out)
	}
	before := txnlogtest.Log(numbered(1, wire.Txn{Op: wire.OpCreate, Path: "/lock"}, stand(7, "lock-0000000000"))...)
	dir = crashed(t, map[string][]byte{"log.1": before, "log.9": txnlogtest.Log(numbered(9, stand(9,
		"lock-0000000002"))...)})
	prints(t, 0, []string{dir, "--trace", filepath.Join(t.TempDir(), "a.trace")}, "the trace ends at",
		"transactions are missing between 0x2 and 0x9")
}

// TestLogClock checks that a leader's fast clock hides no later transactions, and that no duration is negative.
func TestLogClock(t *testing.T) {
	all := numbered(1, wire.Txn{Op: wire.OpCreate, Path: "/lock"}, stand(7, "lock-0000000000"), stand(8,
		"lock-0000000001"),
		wire.Txn{Op: wire.OpSetData, Path: "/lock"}, step(7, "lock-0000000000"), step(8, "lock-0000000001"))
	all[3].TimeMS += 86_400_000
	all[5].TimeMS -= 60_000
	dir := crashed(t, map[string][]byte{"log.1": txnlogtest.Log(all...)})
	until := time.UnixMilli(beginMS + 60_000).UTC().Format(time.RFC3339)
	out := prints(t, 0, []string{dir, "--until", until}, "deleted /lock/lock-0000000000, after 3 s",
		"the time goes back from")
	if strings.Contains(out, "after -") || strings.Contains(out, "set /lock") || !strings.Contains(out,
		"lock-0000000001\n") {
		t.Errorf("it prints\n%s", out)
	}
	out = prints(t, 0, []string{dir, "--until", until, "--hands", "/lock"}, "after holding it for 3 s",
		"lost it with lock-0000000001: it let go; the clock went back meanwhile\n", "held by nobody when the log ends")
	if strings.Contains(out, " -") {
		t.Errorf("it prints\n%s", out)
	}
	if out = prints(t, 0, []string{dir, "--hands", "/lock", "--json"}); strings.Contains(out, "_ms\":-") {
		t.Errorf("it prints\n%s", out)
	}
	file := filepath.Join(t.TempDir(), "a.trace")
	prints(t, 0, []string{dir, "--until", until, "--trace", file})
	if _, out, _ := printed(t, "fork", file, "--path", "/lock"); out == "" {
		t.Error("the trace has nothing to fork")
	}
}

// TestLogRare names the failed part of a multi, and explains why a server deleted each znode.
func TestLogRare(t *testing.T) {
	dir := crashed(t, map[string][]byte{"log.1": txnlogtest.Log(numbered(1,
		wire.Txn{Session: 7, Cxid: 1, Op: wire.OpCreateContainer, Path: "/c"},
		wire.Txn{Session: 7, Cxid: 2, Op: wire.OpCreateTTL, Path: "/t", TTL: 500},
		wire.Txn{Op: wire.OpDeleteContainer, Path: "/c"}, wire.Txn{Op: wire.OpDeleteContainer, Path: "/t"},
		wire.Txn{Op: wire.OpDeleteContainer, Path: "/older"},
		wire.Txn{Session: 7, Cxid: 3, Op: wire.OpMulti, Parts: []wire.Txn{{Op: wire.OpCreate, Path: "/fine"},
			{Op: wire.OpError, Code: zoo.ErrNoNode}, {Op: wire.OpError, Code: zoo.ErrRuntimeInconsistency}}},
		wire.Txn{Session: 7, Op: wire.OpCreateSession, TimeoutMS: 10}, wire.Txn{Session: 8, Op: wire.OpCreateSession},
		wire.Txn{Session: 8, Op: wire.OpCreate, Path: "/d/e"})...)})
	out := prints(t, 0, []string{dir}, "deleted /c because it had been empty for long enough, after 2 s",
		"deleted /t because its time to live was over, after 2 s", "deleted /older\n",
		"multi failed because its part 2 of 3 failed: no node")
	if strings.Contains(out, "/fine") {
		t.Errorf("it blames the part that was fine:\n%s", out)
	}
	prints(t, 0, []string{dir, "--json"}, `"part":2,"parts":3`)
	if out := prints(t, 0, []string{dir, "--below", "/d", "--kind", "session.created"},
		"0x8  session opened"); strings.Count(
		out, "\n") != 1 {
		t.Errorf("of the sessions below /d it prints\n%s", out)
	}
}
