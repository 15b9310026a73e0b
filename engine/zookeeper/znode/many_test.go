package znode_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// The tests of this file take seconds. They would take minutes or hours if a change cost as much as the data that it
// concerns. Short runs use a tenth of the sizes.

// sized returns n, or a tenth of it in short runs.
func sized(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

func apply(t *testing.T, tree *znode.Tree, x znode.Txn) znode.Result {
	t.Helper()
	x.Caller.Trusted = true
	r, _ := tree.Apply(x, nil)
	return r
}

func must(t *testing.T, tree *znode.Tree, x znode.Txn) {
	t.Helper()
	if r := apply(t, tree, x); r.Code != zoo.OK {
		t.Fatalf("%v %s: %v", x.Kind, x.Path, r.Code)
	}
}

// TestManyEphemerals gives one session 200,000 ephemerals, and deletes them from last to first in two ways.
func TestManyEphemerals(t *testing.T) {
	many := sized(200_000)
	tree := znode.New()
	path := func(i int) string { return fmt.Sprintf("/e%06d", i) }
	for range 2 {
		for i := range many {
			must(t, tree, znode.Txn{Kind: znode.Create, Session: 7, Path: path(i), Mode: zoo.Ephemeral})
		}
		for i := many - 1; i >= many/2; i-- {
			must(t, tree, znode.Txn{Kind: znode.Delete, Path: path(i), Version: -1})
		}
		for i := many/2 - 100; i >= 0; i -= 100 {
			var ops []znode.Txn
			for j := i + 99; j >= i; j-- {
				ops = append(ops, znode.Txn{Kind: znode.Delete, Path: path(j), Version: -1})
			}
			failing := append(slices.Clone(ops), znode.Txn{Kind: znode.Delete, Path: "/none", Version: -1})
			if r := apply(t, tree, znode.Txn{Kind: znode.Multi, Ops: failing}); r.Code != zoo.ErrNoNode {
				t.Fatal(r.Code)
			}
			must(t, tree, znode.Txn{Kind: znode.Multi, Ops: ops})
		}
		if n := tree.EphemeralCount(); n != 0 {
			t.Fatalf("%d are left", n)
		}
	}
	if owners := tree.Owners(); len(owners) != 0 {
		t.Errorf("%v own nothing", owners)
	}
}

// TestOrderOfEphemerals creates and deletes random ephemerals, alone and in multis that succeed or fail, and compares
// their order with a list.
func TestOrderOfEphemerals(t *testing.T) {
	tree, mine := znode.New(), []string(nil)
	random := uint64(1)
	draw := func(n int) int {
		random = random*6364136223846793005 + 1442695040888963407
		return int(random >> 33 % uint64(n))
	}
	for step := range 20_000 {
		was := slices.Clone(mine)
		var ops []znode.Txn
		for range 1 + draw(4) {
			if len(mine) > 0 && draw(100) < 50+step/500 {
				i := draw(len(mine))
				ops = append(ops, znode.Txn{Kind: znode.Delete, Path: mine[i], Version: -1})
				mine = slices.Delete(slices.Clone(mine), i, i+1)
				continue
			}
			path := fmt.Sprintf("/e%d-%d", step, len(ops))
			ops = append(ops, znode.Txn{Kind: znode.Create, Path: path, Mode: zoo.Ephemeral})
			mine = append(slices.Clone(mine), path)
		}
		x := znode.Txn{Kind: znode.Multi, Session: 7, Ops: ops}
		switch {
		case draw(3) == 0:
			x.Ops = append(x.Ops, znode.Txn{Kind: znode.Check, Path: "/none"})
			mine = was
		case len(ops) == 1:
			x = ops[0]
			x.Session = 7
		}
		apply(t, tree, x)
		if got := tree.Ephemerals(7); !slices.Equal(got, mine) {
			t.Fatalf("after step %d: %q\nwant %q", step, got, mine)
		}
	}
}

// TestManyWatchers deletes a znode that 200,000 connections watch in both tables, and recursively from above. Each
// gets one event.
func TestManyWatchers(t *testing.T) {
	many := sized(200_000)
	w := znode.NewWatches()
	for id := range znode.Watcher(many) {
		w.Set(id, event.DataWatch, "/a/b")
		w.Set(id, event.ChildWatch, "/a/b")
		w.Set(id, event.RecursiveWatch, "/a")
	}
	fired := w.Fire(znode.Change{Type: zoo.NodeDeleted, Path: "/a/b"}, nil)
	if len(fired) != many {
		t.Errorf("%d events, want %d", len(fired), many)
	}
	for i, f := range fired {
		if f.Watcher != znode.Watcher(i) || f.Watch != event.DataWatch {
			t.Fatalf("event %d is %+v", i, f)
		}
	}
	if count, bytes := w.All(); count != 2*many || bytes != 2*many*len("/a") {
		t.Errorf("%d watches of %d bytes are left", count, bytes)
	}
}

// TestAskedOfALargeTree repeatedly counts the znodes below a large subtree, and for a quota.
func TestAskedOfALargeTree(t *testing.T) {
	tree := znode.New()
	must(t, tree, znode.Txn{Kind: znode.Create, Path: "/a"})
	const dirs, each = 100, 200
	for d := range dirs {
		dir := fmt.Sprintf("/a/%d", d)
		must(t, tree, znode.Txn{Kind: znode.Create, Path: dir, Data: []byte("abc")})
		for i := range each {
			must(t, tree, znode.Txn{Kind: znode.Create, Path: fmt.Sprintf("%s/%d", dir, i), Data: []byte("x")})
		}
	}
	must(t, tree, znode.Txn{Kind: znode.Set, Path: "/a/7", Data: []byte("a"), Version: -1})
	must(t, tree, znode.Txn{Kind: znode.Delete, Path: "/a/7/7", Version: -1})
	for _, path := range []string{"/zookeeper/quota/a", "/zookeeper/quota/a/zookeeper_limits"} {
		must(t, tree, znode.Txn{Kind: znode.Create, Path: path})
	}
	const stats = "/zookeeper/quota/a/zookeeper_stats"
	for range sized(20_000) {
		if n, _ := tree.AllChildrenNumber("/a", trusted); n != dirs*(each+1)-1 {
			t.Fatalf("%d are below", n)
		}
		must(t, tree, znode.Txn{Kind: znode.Create, Path: stats})
		if data, _ := tree.Data(stats); string(data) != "count=20100,bytes=20297" {
			t.Fatalf("counted are %s", data)
		}
		must(t, tree, znode.Txn{Kind: znode.Delete, Path: stats, Version: -1})
	}
}

// TestLongUsage checks that oversized quota counts, which a client may write, are left alone.
func TestLongUsage(t *testing.T) {
	tree := znode.New()
	for _, path := range []string{"/a", "/zookeeper/quota/a", "/zookeeper/quota/a/zookeeper_limits",
		"/zookeeper/quota/a/zookeeper_stats"} {
		must(t, tree, znode.Txn{Kind: znode.Create, Path: path})
	}
	long := []byte("count=1,bytes=1")
	for i := range sized(50_000) {
		long = fmt.Appendf(long, ",n%d=3", i)
	}
	must(t, tree, znode.Txn{Kind: znode.Set, Path: "/zookeeper/quota/a/zookeeper_stats", Data: long, Version: -1})
	for i := range sized(20_000) {
		must(t, tree, znode.Txn{Kind: znode.Set, Path: "/a", Data: []byte{byte(i)}, Version: -1})
	}
	if data, _ := tree.Data("/zookeeper/quota/a/zookeeper_stats"); len(data) != len(long) {
		t.Errorf("%d bytes are there", len(data))
	}
}
