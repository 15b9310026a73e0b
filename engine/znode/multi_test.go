package znode_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/znode"
	"github.com/zkviz/zkviz/engine/zoo"
)

// A multi that fails must leave the tree as if it had never been asked for.
func TestFailedMultiChangesNothing(t *testing.T) {
	failures := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		tree := znode.New()
		for range 40 {
			x := znode.Txn{Kind: znode.Multi, Session: 1 + rng.Int64N(3), Caller: trusted, Ops: randomOps(rng)}
			before := dump(tree, "/")
			r, changes := tree.Apply(x, nil)
			if r.Code == zoo.OK {
				continue
			}
			failures++
			if after := dump(tree, "/"); after != before || len(changes) > 0 {
				t.Fatalf("seed %d: %+v failed with %v and changed\n%s\nto\n%s\nchanges %+v", seed, x.Ops, r.Code, before, after, changes)
			}
		}
	}
	if failures < 1000 {
		t.Fatalf("only %d multis failed: the test tests too little", failures)
	}
}

var trusted = znode.Caller{Trusted: true}

func randomOps(rng *rand.Rand) []znode.Txn {
	paths := []string{"/a", "/b", "/a/x", "/a/y", "/b/x", "/a/x/deep"}
	modes := []zoo.CreateMode{zoo.Persistent, zoo.Persistent, zoo.Ephemeral, zoo.PersistentSequential, zoo.EphemeralSequential}
	ops := make([]znode.Txn, 1+rng.IntN(5))
	for i := range ops {
		path := paths[rng.IntN(len(paths))]
		switch rng.IntN(6) {
		case 0, 1, 2:
			ops[i] = znode.Txn{Kind: znode.Create, Path: path, Data: []byte{byte(i)}, Mode: modes[rng.IntN(len(modes))]}
		case 3:
			ops[i] = znode.Txn{Kind: znode.Delete, Path: path, Version: zoo.AnyVersion}
		case 4:
			ops[i] = znode.Txn{Kind: znode.Set, Path: path, Data: []byte("x"), Version: int32(rng.IntN(3) - 1)}
		case 5:
			ops[i] = znode.Txn{Kind: znode.Check, Path: path, Version: int32(rng.IntN(3) - 1)}
		}
	}
	return ops
}

func dump(tree *znode.Tree, path string) string {
	stat, _ := tree.Stat(path)
	data, _ := tree.Data(path)
	s := fmt.Sprintf("%s %q %+v\n", path, data, stat)
	names, _ := tree.Children(path)
	for _, name := range names {
		if path == "/" {
			s += dump(tree, "/"+name)
		} else {
			s += dump(tree, path+"/"+name)
		}
	}
	return s
}

// A list that was handed out stays as it was, whatever happens to the children.
func TestChildrenStay(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	tree := znode.New()
	type lent struct {
		list []string
		was  string
	}
	var out []lent
	for range 2000 {
		x := znode.Txn{Kind: znode.Create, Caller: trusted, Path: fmt.Sprintf("/%02d", rng.IntN(40))}
		if rng.IntN(2) == 0 {
			x.Kind, x.Version = znode.Delete, zoo.AnyVersion
		}
		tree.Apply(x, nil)
		list, _ := tree.Children("/")
		if !slices.IsSorted(list) {
			t.Fatalf("not sorted: %v", list)
		}
		out = append(out, lent{list, fmt.Sprint(list)})
	}
	for i, l := range out {
		if now := fmt.Sprint(l.list); now != l.was {
			t.Fatalf("list %d was %s and is %s", i, l.was, now)
		}
	}
}
