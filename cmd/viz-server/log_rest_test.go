package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// held returns a log in which a session takes and keeps a lock.
func held() []byte {
	return txnlogtest.Log(numbered(1, wire.Txn{Op: wire.OpCreate, Path: "/lock"}, stand(7, "lock-0000000000"))...)
}

// snapshotOf returns a snapshot up to zxid, in which a session has a lock.
func snapshotOf(zxid, session int64, name string) []byte {
	return txnlogtest.Versions()[0].Snapshot(txnlogtest.Tree{Nodes: []txnlog.Node{{Path: "/", ACL: zoo.OpenACL()},
		{Path: "/lock", ACL: zoo.OpenACL()}, {Path: "/lock/" + name, ACL: zoo.OpenACL(),
			Stat: zoo.Stat{Czxid: 2, Mzxid: 2, EphemeralOwner: session}}}}, zxid)
}

// TestLogRest checks that the last readable holder may have lost the lock if there are later transactions.
func TestLogRest(t *testing.T) {
	later := snapshotOf(9, 8, "lock-0000000001")
	dir := crashed(t, map[string][]byte{"log.1": held(), "snapshot.9": later})
	said := "snapshot.9: the transactions after 0x2 are missing: this snapshot has all up to 0x9"
	prints(t, 0, []string{dir}, said)
	prints(t, 0, []string{dir, "--json"}, `"kind":"log.lacks"`, said)
	prints(t, 0, []string{dir, "--hands", "/lock"}, said, "held by 0x7",
		"It may have changed hands since: the transactions from there to 0x9 are missing.")
	out := prints(t, 0, []string{dir, "--hands", "/lock", "--until", "2026-11-25T03:00:02.5Z"}, "held by 0x7")
	if strings.Contains(out, "since:") && strings.Contains(out, "that time ends") {
		t.Errorf("of a time before:\n%s", out)
	}

	dir = crashed(t, map[string][]byte{"log.1": held(), "snapshot.2": snapshotOf(2, 7, "lock-0000000000"),
		"snapshot.100000000": snapshotOf(1<<32, 7, "lock-0000000000")}) // as at a new leader's start
	if _, out, errs := printed(t, "log", dir, "--hands", "/lock"); strings.Contains(out+errs, "missing") {
		t.Errorf("all is there, but it says\n%s%s", out, errs)
	}

	dir = crashed(t, map[string][]byte{"log.1": held()})
	if err := os.Symlink("/nowhere", filepath.Join(dir, "log.3")); err != nil {
		t.Skip(err)
	}
	prints(t, 0, []string{dir, "--hands", "/lock"}, "held by 0x7",
		"It may have changed hands since: "+filepath.Join(dir, "log.3")+" can't be read.")
}

// TestLogAtLeast checks that a hold from before the log has only a minimum duration.
func TestLogAtLeast(t *testing.T) {
	dir := crashed(t, map[string][]byte{"snapshot.2": snapshotOf(2, 7, "lock-0000000000"),
		"log.3": txnlogtest.Log(numbered(3, wire.Txn{Op: wire.OpCreate, Path: "/x"}, wire.Txn{Op: wire.OpCreate, Path: "/y"},
			step(7, "lock-0000000000"))...)})
	prints(t, 0, []string{dir, "--hands", "/lock", "--until", "2026-11-25T03:00:05Z"},
		"held by 0x7 with lock-0000000000, for at least 2 s when that time ends")
	prints(t, 0, []string{dir, "--hands", "/lock"}, "after holding it for at least 2 s")
	prints(t, 0, []string{dir, "--hands", "/lock", "--json"}, `"held_ms":2000,"held_longer":true`)
}

// TestLogTimes also prints transactions with times from a broken clock.
func TestLogTimes(t *testing.T) {
	all := numbered(1, wire.Txn{Op: wire.OpCreate, Path: "/lock"}, stand(7, "lock-0000000000"),
		step(7, "lock-0000000000"), stand(8, "lock-0000000001"))
	all[1].TimeMS, all[2].TimeMS, all[3].TimeMS = 0, -1, math.MaxInt64
	dir := crashed(t, map[string][]byte{"log.1": txnlogtest.Log(all...)})
	prints(t, 0, []string{dir}, "created /lock/lock-0000000000", "deleted /lock/lock-0000000000",
		"created /lock/lock-0000000001")
	prints(t, 0, []string{dir, "--hands", "/lock"}, "got it with lock-0000000000",
		"lost it with lock-0000000000: it let go",
		"got it with lock-0000000001", "held by 0x8")
}

// TestLogParts checks that a semaphore's folders don't count as separate locks.
func TestLogParts(t *testing.T) {
	const id = "_c_0c5d7c0e-1f0e-4b8e-9f43-1f2c5a1a00"
	make := func(session int64, path string) wire.Txn {
		return wire.Txn{Session: session, Cxid: 1, Op: wire.OpCreate, Path: path, Ephemeral: session != 0}
	}
	lock := func(n int) string { return fmt.Sprintf("/sm/locks/%s%02d-lock-%010d", id, n, n) }
	lease := func(n int) string { return fmt.Sprintf("/sm/leases/%s%02d-lease-%010d", id, n, n) }
	dir := crashed(t, map[string][]byte{"log.1": txnlogtest.Log(numbered(1, make(0, "/sm"), make(0, "/sm/locks"),
		make(0, "/sm/leases"), make(1, lock(0)), make(1, lease(0)),
		wire.Txn{Session: 1, Cxid: 2, Op: wire.OpDelete, Path: lock(0)}, make(2, lock(1)), make(2, lease(1)))...)})
	for _, part := range []string{"/sm/locks", "/sm/leases"} {
		out := prints(t, 0, []string{dir, "--hands", part}, part+" belongs to the semaphore /sm, which is shown instead",
			"/sm  held by 0x1 with", "the permits of a semaphore, by the names of Curator")
		if strings.Contains(out, "0x2  got") || strings.Contains(out, "held by 0x2") {
			t.Errorf("--hands %s: who waits has it:\n%s", part, out)
		}
	}
	dir = crashed(t, map[string][]byte{"log.1": txnlogtest.Log(numbered(1, make(0, "/app"), make(0, "/app/locks"),
		make(1, "/app/locks/lock-0000000000"))...)})
	prints(t, 0, []string{dir, "--hands", "/app/locks"}, "/app/locks  held by 0x1")
}

// TestLogBeside reads the door of kazoo's semaphore, which is next to it, and the number of permits, which kazoo
// writes after it creates the znode.
func TestLogBeside(t *testing.T) {
	make := func(session int64, path string) wire.Txn {
		return wire.Txn{Session: session, Cxid: 1, Op: wire.OpCreate, Path: path, Ephemeral: session != 0}
	}
	permit := func(n int) string { return fmt.Sprintf("/sem/%032x", n) }
	stands := func(n int) string { return fmt.Sprintf("/sem-__lock__/%032x__lock__%010d", n, n) }
	leaves := func(session int64, path string) wire.Txn {
		return wire.Txn{Session: session, Cxid: 2, Op: wire.OpDelete, Path: path}
	}
	all := numbered(1, make(0, "/sem"), wire.Txn{Session: 1, Cxid: 1, Op: wire.OpSetData, Path: "/sem", Data: []byte("2")},
		make(0, "/sem-__lock__"), make(1, permit(1)), make(2, permit(2)), make(3, stands(3)), make(4, stands(4)),
		make(0, "/sem2"), make(9, "/sem2/lock-0000000000"), leaves(1, permit(1)))
	dir := crashed(t, map[string][]byte{"log.1": txnlogtest.Log(all...)})
	for _, path := range []string{"/sem", "/sem-__lock__"} {
		out := prints(t, 0, []string{dir, "--hands", path}, "0x1  got it with", "0x2  got it with",
			"0x1  lost it with 00000000000000000000000000000001: it let go, after holding it for 6 s; 2 waiting",
			"/sem  held by 0x2 with", "the permits of a semaphore, by the names of kazoo")
		for _, not := range []string{"may or may not hold it", "held by 0x1", "held by 0x3", "0x9"} {
			if strings.Contains(out, not) {
				t.Errorf("--hands %s says %q:\n%s", path, not, out)
			}
		}
	}
	dir = crashed(t, map[string][]byte{"log.1": txnlogtest.Log(all[:2]...), "log.4": txnlogtest.Log(all[3:]...)})
	prints(t, 0, []string{dir, "--hands", "/sem"}, "if it still held it: transactions are missing")
}

// TestLogNumbers says where only numbers show the holder, and recognises a queue.
func TestLogNumbers(t *testing.T) {
	dir := crashed(t, map[string][]byte{"log.1": txnlogtest.Log(numbered(1, wire.Txn{Op: wire.OpCreate, Path: "/lock"},
		stand(7, "sem0000000000"), stand(8, "sem0000000001"))...)})
	prints(t, 0, []string{dir, "--hands", "/lock"}, "held by 0x7",
		"It is perhaps a lock, by the numbers in unknown names.")
	var items []wire.Txn
	for i := range 3 {
		items = append(items, wire.Txn{Session: 7, Cxid: 1, Op: wire.OpCreate, Path: fmt.Sprintf("/lock/clock-%010d", i)})
	}
	dir = crashed(t, map[string][]byte{"log.1": txnlogtest.Log(numbered(1, append([]wire.Txn{{Op: wire.OpCreate,
		Path: "/lock"}}, items...)...)...)})
	prints(t, 0, []string{dir, "--hands", "/lock"}, "/lock  a queue with 3 items when the log ends")
}
