package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestLogNamed checks that a znode or session that the files never name is an error, in any form. One that only did
// nothing in the requested period isn't.
func TestLogNamed(t *testing.T) {
	dir := crashed(t, map[string][]byte{"log.3": txnlogtest.Log(numbered(3, stand(7, "lock-0000000001"),
		wire.Txn{Session: 9, Op: wire.OpCreate, Path: "/other"})...),
		"snapshot.2": snapshotOf(2, 8, "lock-0000000000")})
	for _, more := range [][]string{nil, {"--json"}, {"--since", "2026-11-25"}} {
		prints(t, exitTrouble, append([]string{dir, "--below", "/nope"}, more...),
			`--below "/nope": these files name no such znode; leave out --below to print everything`)
		for _, at := range []string{"--below", "--hands"} {
			prints(t, exitTrouble, append([]string{dir, at, "/lock", "--session", "0x77"}, more...),
				"--session 0x77: these files name no such session; --kind session.created prints the sessions that were opened")
		}
	}
	prints(t, exitTrouble, []string{dir, "--below", "/nope", "--trace", filepath.Join(t.TempDir(), "t")}, "no such znode")
	for _, args := range [][]string{{"--below", "/lock/lock-0000000000"}, {"--below", "/lock", "--session", "0x8"},
		{"--below", "/lock", "--session", "0x9"}, {"--since", "2026-11-26", "--below", "/other", "--session", "0x7"}} {
		if out := prints(t, 0, append([]string{dir}, args...)); out != "" {
			t.Errorf("log %v prints\n%s", args, out)
		}
	}
}

// TestLogUnknownType checks that an unknown transaction type isn't printed as "none".
func TestLogUnknownType(t *testing.T) {
	dir := crashed(t, map[string][]byte{"log.1": txnlogtest.Log(numbered(1, wire.Txn{Session: 7, Cxid: 1, Op: 77})...)})
	prints(t, 0, []string{dir}, "0x1  0x7  a transaction of unknown type 77\n")
	prints(t, 0, []string{dir, "--json"}, `"unknown_type":77`)
}

// TestLogDoubts names conflicting files, and a file whose zxids go back, where a result depends on them.
func TestLogDoubts(t *testing.T) {
	lock := wire.Txn{Op: wire.OpCreate, Path: "/lock"}
	first, other := stand(7, "lock-0000000000"), stand(8, "lock-0000000000")
	dir := crashed(t, map[string][]byte{"log.1": txnlogtest.Log(numbered(1, lock, first)...),
		"log.2": txnlogtest.Log(append(numbered(2, other, stand(9, "lock-0000000001")), numbered(2, other)...)...)})
	second := filepath.Join(dir, "log.2") + ": "
	const (
		differ = "TWO FILES DIFFER at 0x2: this one has another transaction than log.1, which is read here"
		back   = "the zxids go back from 0x3 to 0x2 in this file: what comes then is left out up to 0x3"
	)
	prints(t, 0, []string{dir}, second+differ, second+back)
	prints(t, 0, []string{dir, "--hands", "/lock"}, second+differ, "/lock  held by 0x7",
		"\nThis may be wrong: "+second+differ+".\n", "\nThis may be wrong: "+second+back+".\n")
	prints(t, 0, []string{dir, "--servers"}, ": log.2: "+differ, ": log.2: "+back)
	prints(t, 0, []string{dir, "--servers", "--json"}, `"kind":"odd"`, differ, back)

	same := crashed(t, map[string][]byte{"log.1": txnlogtest.Log(numbered(1, lock, first)...),
		"log.1.copy": txnlogtest.Log(numbered(1, lock, first, step(7, "lock-0000000000"))...)})
	if out := prints(t, 0, []string{same, "--hands", "/lock"}, "held by nobody"); strings.Contains(out, "may be wrong") {
		t.Errorf("of files that have the same it says\n%s", out)
	}
}

// TestLogHandsEnd has the same conclusion in JSON.
func TestLogHandsEnd(t *testing.T) {
	lock := wire.Txn{Op: wire.OpCreate, Path: "/lock"}
	item := wire.Txn{Session: 7, Cxid: 1, Op: wire.OpCreate, Path: "/lock/item-0000000000"}
	took := []wire.Txn{lock, stand(7, "lock-0000000000"), stand(8, "lock-0000000001")}
	for _, c := range []struct {
		all  []wire.Txn
		from int64
		args []string
		want string
	}{
		{took, 1, nil, `"is":"held","holding":[{"session":"0x7","znode":"/lock/lock-0000000000","held_ms":1000}],` +
			`"use":"lock","named_by":"the ZooKeeper recipes"}`},
		{took, 1, []string{"--until", "2026-11-25T03:00:01.5Z"}, `"is":"free","early":true`},
		{took, 1, []string{"--until", "2026-11-24"}, `{"kind":"end","path":"/lock","is":"nothing"}`},
		{append(slices.Clip(took), step(7, "lock-0000000000"), step(8, "lock-0000000001")), 1, nil, `"is":"free","use":"lock"`},
		{[]wire.Txn{lock, item}, 1, nil, `"is":"queue","items":1,"use":"queue"`},
		{took[1:], 5, nil, `"is":"unknown","why":"these files don't show what happened before 0x5"`},
	} {
		dir := crashed(t, map[string][]byte{"log.1": txnlogtest.Log(numbered(c.from, slices.Clone(c.all)...)...)})
		out := prints(t, 0, append([]string{dir, "--hands", "/lock", "--json"}, c.args...))
		lines := strings.Split(strings.TrimSpace(out), "\n")
		last := lines[len(lines)-1]
		if !json.Valid([]byte(last)) || !strings.Contains(last, `{"kind":"end"`) || !strings.Contains(last, c.want) {
			t.Errorf("log %v ends with\n%s, not %s", c.args, last, c.want)
		}
	}
}

// TestLogSnapshots names a folder with only snapshots, and a damaged snapshot in a comparison of servers.
func TestLogSnapshots(t *testing.T) {
	good := snapshotOf(2, 7, "lock-0000000000")
	whole := crashed(t, map[string][]byte{"log.1": held(), "snapshot.2": good})
	only := crashed(t, map[string][]byte{"snapshot.2": good})
	said := only + ": there are snapshots here, but no transaction log"
	for _, args := range [][]string{nil, {"--servers"}, {"--hands", "/lock"}, {"--servers", "--json"}} {
		prints(t, 0, append([]string{whole, only}, args...), only, "there are snapshots here, but no transaction log")
	}
	prints(t, exitTrouble, []string{only}, said)

	logs := crashed(t, map[string][]byte{"log.1": held()}) // dataLogDir is a different folder
	if _, out, errs := printed(t, "log", logs, only, "--servers"); strings.Contains(out+errs, "no log") {
		t.Errorf("of a server that keeps its logs elsewhere it says\n%s%s", out, errs)
	}

	bad := filepath.Join(whole, "snapshot.2")
	if err := os.WriteFile(bad, append(good[:len(good)-20:len(good)-20], make([]byte, 20)...), 0o600); err != nil {
		t.Fatal(err)
	}
	prints(t, 0, []string{whole, "--servers"}, bad+": ")
	prints(t, 0, []string{whole, "--servers", "--json"}, `"kind":"log.lacks"`, "snapshot.2")
}
