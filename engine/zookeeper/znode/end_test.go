package znode_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// TestLastNumberAsApacheDoes takes the last numbers below a parent of Apache ZooKeeper 3.8.0, and of the tree. Nobody
// has the time for 2³¹ creates, so both begin near the end: the real server with a snapshot that says so.
func TestLastNumberAsApacheDoes(t *testing.T) {
	zktest.Need(t)
	real := zktest.Start(t)
	real.Kill()
	const last = math.MaxInt32
	near := txnlogtest.Tree{Nodes: []txnlog.Node{{Path: "/", Made: 1}, {Path: "/ids", Made: last - 2}}}
	snapshot(t, real.Files(), near)
	real.Start()

	tree := znode.New()
	tree.Apply(znode.Txn{Kind: znode.Create, Path: "/ids", Caller: znode.Caller{Trusted: true}}, nil)
	tree.SetCounter("/ids", last-2)
	tw := join(t, tree, real.Addr)
	id := znode.Txn{Kind: znode.Create, Path: "/ids/", Mode: zoo.PersistentSequential, ACL: zoo.OpenACL()}
	for i, c := range []struct {
		what znode.Txn
		want string
	}{
		{id, "ok /ids/2147483645"},
		{id, "ok /ids/2147483646"},
		{id, "ok /ids/2147483647"},
		{id, "node exists "}, // and so it stays,
		{id, "node exists "},
		{znode.Txn{Kind: znode.Delete, Path: "/ids/2147483647", Version: -1}, "ok "}, // until somebody deletes it:
		{id, "ok /ids/2147483647"}, // the same name again
		{znode.Txn{Kind: znode.Delete, Path: "/ids/2147483647", Version: -1}, "ok "},
		{id, "ok /ids/2147483647"},
	} {
		if got := tw.alike(t, c.what); got != c.want {
			t.Errorf("request %d: both say %q, not %q", i, got, c.want)
		}
	}
	tw.alike(t, znode.Txn{Kind: znode.Delete, Path: "/ids/2147483647", Version: -1})
	two := tw.alike(t, znode.Txn{Kind: znode.Multi, Ops: []znode.Txn{id, id}})
	if want := "ok /ids/2147483647; ok /ids/-2147483648"; two != want {
		t.Errorf("two in one multi: both say %q, not %q", two, want)
	}
}

// alike asks both for the same, compares the codes and paths of what they say, and returns them.
func (tw *twin) alike(t *testing.T, x znode.Txn) string {
	t.Helper()
	x.Session, x.Caller = tw.session, tw.caller
	q, _ := requestOf(x)
	r := tw.ask(t, q)
	is, _ := tw.tree.Apply(x, nil)
	got, want := fmt.Sprint(is.Code, " ", is.Path), fmt.Sprint(r.Code, " ", r.Path)
	if x.Kind == znode.Multi {
		var ours, theirs []string
		for i := range is.Ops {
			ours = append(ours, fmt.Sprint(is.Ops[i].Code, " ", is.Ops[i].Path))
		}
		for i := range r.Results {
			theirs = append(theirs, fmt.Sprint(r.Results[i].Code, " ", r.Results[i].Path))
		}
		got, want = strings.Join(ours, "; "), strings.Join(theirs, "; ")
	}
	if got != want {
		t.Fatalf("%+v:\nthe tree      %s\nApache's says %s", q, got, want)
	}
	return got
}

// snapshot replaces a server's files by a snapshot.
func snapshot(t *testing.T, dir string, tree txnlogtest.Tree) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	const zxid = 0x10
	v := txnlogtest.Versions()[1] // a snapshot without a digest, which any later server reads
	if err := os.WriteFile(filepath.Join(dir, "snapshot.10"), v.Snapshot(tree, zxid), 0o600); err != nil {
		t.Fatal(err)
	}
}
