package cluster_test

import (
	"bytes"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/past/index"
	"github.com/zkviz/zkviz/engine/testing/indextest"
	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// ofFiles indexes files with these names and contents.
func ofFiles(t *testing.T, files map[string][]byte) *index.Index {
	t.Helper()
	dir := t.TempDir()
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return indextest.Read(t, dir)
}

// at gives a transaction its zxid, and a time that many seconds after the start.
func at(zxid int64, x wire.Txn) wire.Txn {
	x.Zxid, x.TimeMS, x.Cxid = zxid, indextest.Begin().UnixMilli()+1000*zxid, int32(zxid)
	if x.Op == wire.OpCreate {
		x.ACL = zoo.OpenACL()
	}
	return x
}

func queued(zxid, session int64, n int) wire.Txn {
	return at(zxid, wire.Txn{Session: session, Op: wire.OpCreate, Ephemeral: true,
		Path: fmt.Sprintf("/lock/lock-%010d", n)})
}

func left(zxid, session int64, n int) wire.Txn {
	return at(zxid, wire.Txn{Session: session, Op: wire.OpDelete, Path: fmt.Sprintf("/lock/lock-%010d", n)})
}

// heldBy returns a snapshot in which a session has the lock, or nobody if session is 0.
func heldBy(zxid, session int64, n int) []byte {
	tree := txnlogtest.Tree{Nodes: []txnlog.Node{{Path: "/", ACL: zoo.OpenACL()}, {Path: "/lock", ACL: zoo.OpenACL()}}}
	if session != 0 {
		tree.Nodes = append(tree.Nodes, txnlog.Node{Path: fmt.Sprintf("/lock/lock-%010d", n), ACL: zoo.OpenACL(),
			Stat: zoo.Stat{Czxid: int64(n), Mzxid: int64(n), Ctime: indextest.Begin().UnixMilli(), EphemeralOwner: session}})
	}
	return txnlogtest.Latest().Snapshot(tree, zxid)
}

// textOf returns a page's text without its form.
func textOf(body string) string {
	body = regexp.MustCompile(`(?s)<(script|style|form|title)\b.*?</(script|style|form|title)>`).ReplaceAllString(body, " ")
	body = html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(body, " "))
	body, _, _ = strings.Cut(body, "Keys →") // the list of keys
	_, body, _ = strings.Cut(strings.Join(strings.Fields(body), " "), "What the servers have been through")
	return body
}

const curators = "0c5d7c0e-1f0e-4b8e-9f43-1f2c5a1a000"

// mutex returns a Curator semaphore with one permit: one client has it, and another waits at the door.
func mutex() []wire.Txn {
	path := func(folder string, n int) string {
		return fmt.Sprintf("/m/%ss/_c_%s%d-%s-%010d", folder, curators, n, folder, n)
	}
	var all []wire.Txn
	for _, p := range []string{"/m", "/m/locks", "/m/leases", path("lock", 1), path("lease", 1), "", path("lock", 2),
		path("lease", 2)} {
		x := wire.Txn{Session: 9, Op: wire.OpCreate, Path: p, Ephemeral: len(p) > len("/m/leases")}
		if strings.Contains(p, "2-l") {
			x.Session = 0xb
		}
		if p == "" {
			x = wire.Txn{Session: 9, Op: wire.OpDelete, Path: path("lock", 1)}
		}
		all = append(all, at(int64(len(all)+1), x))
	}
	return all
}

// TestPastHoles checks that each page mentions the gaps that its answers depend on, and never claims an uncertain
// holder for certain.
func TestPastHoles(t *testing.T) {
	begin := []wire.Txn{at(1, wire.Txn{Session: 9, Op: wire.OpCreate, Path: "/lock"}), queued(2, 0xa, 1)}
	after := txnlogtest.Log(queued(20, 0xc, 3), left(21, 0xb, 2), left(22, 0xc, 3))
	damaged := txnlogtest.Log(append(begin, queued(3, 0xb, 2), left(4, 0xa, 1), left(5, 0xb, 2))...)
	damaged[bytes.Index(damaged, []byte("lock-0000000002"))]++
	back := append(begin, left(3, 0xa, 1))
	back[2].TimeMS -= 90_000
	const hands = "?path=/lock&hands=1"
	for _, c := range []struct {
		name   string
		files  map[string][]byte
		query  string
		has    []string
		hasNot []string // not in the text
	}{
		{"a hole between two logs", map[string][]byte{"log.1": txnlogtest.Log(begin...), "log.14": after}, hands, []string{
			"Transactions are missing between 0x2 and 0x14: others may have held it since",
			"Had it with lock-0000000001, and may have lost it in the transactions that are missing",
			"Is first with lock-0000000003 of those that are known, but may not hold it: transactions are missing",
			"Lost it with lock-0000000003: it let go, if it still held it: transactions are missing",
			"What the files don't show (1)",
			"the transactions between 0x2 and 0x14 are missing: what was there before them may have gone since",
			"Gaps: 1, the last between 0x2 and 0x14",
		}, []string{"Got it with lock-0000000003", "Lost it with lock-0000000001"}},
		{"a hole behind a snapshot", map[string][]byte{"snapshot.a": heldBy(10, 0xa, 1), "log.14": after}, hands, []string{
			"Transactions are missing between 0xa and 0x14", "Is first with lock-0000000003 of those that are known",
		}, []string{" Got it with"}},
		{"a log that begins late", map[string][]byte{"log.14": after}, hands, []string{
			"These files don't show what happened before 0x14: others may have held it since",
			"Is first with lock-0000000003 of those that are known",
		}, []string{" Got it with"}},
		{"a hole with a snapshot in it", map[string][]byte{"log.1": txnlogtest.Log(begin...),
			"snapshot.13": heldBy(19, 0xb, 2), "log.14": after}, hands, []string{
			"Had it with lock-0000000001, and may have lost it",
			"Has it with lock-0000000002, and got it in the transactions that are missing",
			"Got it with lock-0000000003, after waiting for 1 s",
			"Lost it with lock-0000000002: it let go, after holding it for 1 s",
			"the transactions between 0x2 and 0x14 are missing; a snapshot tells what was there after them",
		}, []string{"others may have held it"}},
		{"damage", map[string][]byte{"log.1": damaged}, hands, []string{
			"Damaged after 0x2, but readable again after that: log.1",
			"the log is damaged from byte ", "Transactions are missing between 0x2 and 0x4",
		}, []string{"Got it with lock-0000000002"}},
		{"a torn end", map[string][]byte{"log.1": damaged[:len(damaged)-1024-9]}, "", []string{
			"Torn after 0x4: log.1", "the log is torn at byte ",
		}, nil},
		{"a clock that goes back", map[string][]byte{"log.1": txnlogtest.Log(back...)}, hands, []string{
			"the time goes back from 2026-11-25T03:00:02.000Z to 2026-11-25T02:58:33.000Z at the transaction 0x3: leaders' " +
				"clocks differ, or one was set",
			"Lost it with lock-0000000001: it let go; the clock went back meanwhile",
		}, []string{" -1m", "0s; the clock"}},
		{"a snapshot behind the end", map[string][]byte{"log.1": txnlogtest.Log(begin...), "snapshot.9": heldBy(9, 0xb, 2)},
			hands, []string{"the transactions after 0x2 are missing: this snapshot has all up to 0x9"}, nil},
		{"the permits of a semaphore", map[string][]byte{"log.1": txnlogtest.Log(mutex()...)}, "?path=/m/leases&hands=1",
			[]string{"/m/leases belongs to the semaphore /m, which is shown instead",
				"Got it with _c_" + curators + "1-lease-0000000001"},
			[]string{"Got it with _c_" + curators + "2-lease-0000000002"}},
		{"no such znode", map[string][]byte{"log.1": txnlogtest.Log(begin...)}, "?path=/lokc&hands=1", []string{
			"These files name no such znode",
		}, nil},
		{"an empty log and a stranger", map[string][]byte{"log.1": txnlogtest.Log(begin...), "log.3": nil,
			"snapshot.3.tmp": []byte("x")}, "", []string{
			"What the files don't show (2)", "snapshot.3.tmp: not a snapshot",
			"log.3: the log is torn at byte 0: the file is empty",
		}, nil},
	} {
		srv := webtest.Serve(t, web.Config{Past: ofFiles(t, c.files)})
		status, body := found(t, srv.URL+"/past"+c.query)
		said := textOf(body)
		if status != 200 {
			t.Errorf("%s: status %d", c.name, status)
		}
		for _, text := range c.has {
			if !strings.Contains(said, text) {
				t.Errorf("%s: the page lacks %q: %s", c.name, text, said)
			}
		}
		for _, text := range c.hasNot {
			if strings.Contains(said, text) {
				t.Errorf("%s: the page says %q: %s", c.name, text, said)
			}
		}
	}
}

// TestMomentAtHole checks that an interval on the stage ends where transactions are missing, and begins after them.
func TestMomentAtHole(t *testing.T) {
	srv := webtest.Serve(t, web.Config{Past: ofFiles(t, map[string][]byte{
		"log.1":  txnlogtest.Log(at(1, wire.Txn{Session: 9, Op: wire.OpCreate, Path: "/lock"}), queued(2, 0xa, 1)),
		"log.14": txnlogtest.Log(queued(20, 0xc, 3), left(21, 0xc, 3)),
	})})
	for at, window := range map[string]string{
		"03:00:02": "From 2026-11-25 00:00:00.000 to 2026-11-25 03:00:20.000, at /lock and below.",
		"03:00:21": "From 2026-11-25 03:00:20.000 to 2026-11-26 00:00:00.000, at /lock and below.",
	} {
		status, body := found(t, srv.URL+"/past/moment?path=/lock&at=2026-11-25T"+at+"Z")
		if said := textOf(body); status != 200 || !strings.Contains(said, window) {
			t.Errorf("at %s: status %d, and no %q: %s", at, status, window, said)
		}
	}
}
