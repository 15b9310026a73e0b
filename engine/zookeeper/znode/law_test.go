package znode_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// TestFailureChangesNothing checks that a failed transaction changes only the zxid, byte for byte.
func TestFailureChangesNothing(t *testing.T) {
	failed, applied := map[zoo.Code]int{}, 0
	for seed := range uint64(200) {
		c, tree := newChaos(seed), znode.New()
		for range 60 {
			x := c.txn()
			before := tree.AppendTo(nil)
			r, changes := tree.Apply(x, nil)
			if r.Code == zoo.OK {
				applied++
				continue
			}
			failed[r.Code]++
			other := load(t, before)
			other.Apply(znode.Txn{Kind: znode.Failed}, nil)
			if !bytes.Equal(tree.AppendTo(nil), other.AppendTo(nil)) || len(changes) > 0 {
				t.Fatalf("seed %d: %+v failed with %v and changed\n%s\nto\n%s\nchanges %+v",
					seed, x, r.Code, dump(other, "/"), dump(tree, "/"), changes)
			}
		}
	}
	if applied < 2000 || len(failed) < 9 {
		t.Fatalf("%d applied, failed %v: the test tests too little", applied, failed)
	}
}

// TestLoadedTreeGoesOn checks that a loaded tree answers like the saved one, then and later.
func TestLoadedTreeGoesOn(t *testing.T) {
	for seed := range uint64(100) {
		c, tree := newChaos(seed), znode.New()
		for range 80 {
			tree.Apply(c.txn(), nil)
		}
		other := load(t, tree.AppendTo(nil))
		for range 40 {
			x := c.txn()
			r1, changes1 := tree.Apply(x, nil)
			r2, changes2 := other.Apply(x, nil)
			if !reflect.DeepEqual(r1, r2) || !reflect.DeepEqual(changes1, changes2) {
				t.Fatalf("seed %d: %+v:\n%+v %+v\n%+v %+v", seed, x, r1, changes1, r2, changes2)
			}
		}
		if a, b := dump(tree, "/"), dump(other, "/"); a != b {
			t.Fatalf("seed %d:\n%s\n%s", seed, a, b)
		}
		if !reflect.DeepEqual(tree.Due(c.nowMS), other.Due(c.nowMS)) {
			t.Fatalf("seed %d: not the same is due", seed)
		}
	}
}

func load(t *testing.T, snapshot []byte) *znode.Tree {
	t.Helper()
	tree, err := znode.Load(snapshot)
	if err != nil {
		t.Fatal(err)
	}
	if again := tree.AppendTo(nil); !bytes.Equal(again, snapshot) {
		t.Fatalf("loaded and saved:\n%q\nwas\n%q", again, snapshot)
	}
	return tree
}

// TestFiguresAgree compares the counts with a walk through the tree.
func TestFiguresAgree(t *testing.T) {
	for seed := range uint64(200) {
		c, tree := newChaos(seed), znode.New()
		for range 60 {
			tree.Apply(c.txn(), nil)
			compareFigures(t, tree)
		}
	}
}

func compareFigures(t *testing.T, tree *znode.Tree) {
	t.Helper()
	nodes, size, ephemerals := 1, int64(0), 0 // counts the root twice
	owned := map[int64][]string{}
	var walk func(path string) int
	walk = func(path string) int {
		stat, _ := tree.Stat(path)
		nodes, size = nodes+1, size+int64(utf8.RuneCountInString(path))+int64(stat.DataLength)
		if stat.EphemeralOwner != 0 {
			ephemerals++
			owned[stat.EphemeralOwner] = append(owned[stat.EphemeralOwner], path)
		}
		children := below(tree, path)
		if int(stat.NumChildren) != len(children) {
			t.Fatalf("%s: %+v, and %v", path, stat, children)
		}
		number := len(children)
		for _, child := range children {
			number += walk(child)
		}
		if got, _ := tree.AllChildrenNumber(path, trusted); int(got) != number {
			t.Fatalf("%s: %d below it, and a walk finds %d", path, got, number)
		}
		return number
	}
	walk("/")
	got := fmt.Sprint(tree.NodeCount(), tree.DataSize(), tree.EphemeralCount())
	if want := fmt.Sprint(nodes, size, ephemerals); got != want {
		t.Fatalf("nodes, size, ephemerals: %s, and a walk finds %s:\n%s", got, want, dump(tree, "/"))
	}
	for _, session := range tree.Owners() {
		if paths := tree.GetEphemerals(session, "/"); !slices.Equal(slices.Sorted(slices.Values(paths)), owned[session]) {
			t.Fatalf("session %d owns %v, and a walk finds %v", session, paths, owned[session])
		}
		delete(owned, session)
	}
	if len(owned) > 0 {
		t.Fatalf("sessions own without being listed: %v", owned)
	}
}

// TestChildrenStay checks that a list is complete and sorted, and doesn't change after it was handed out, whatever
// happens to the children: few, thousands, or a moving queue.
func TestChildrenStay(t *testing.T) {
	t.Run("few", func(t *testing.T) { childrenStay(t, 2000, 40, 1, 0) })
	t.Run("many", func(t *testing.T) { childrenStay(t, 12000, 6000, 200, 0) })
	t.Run("queue", func(t *testing.T) { childrenStay(t, 8000, 3000, 100, 1) })
	t.Run("gone", func(t *testing.T) { childrenStay(t, 9000, 3000, 150, 2) })
}

// childrenStay creates and deletes names at random. With way 1 it appends names and deletes at the front, with way 2
// it creates them all and then deletes them backwards.
func childrenStay(t *testing.T, steps, names, every, way int) {
	rng := rand.New(rand.NewPCG(1, 2))
	tree := znode.New()
	there := map[string]bool{"zookeeper": true}
	var lists [][]string
	var texts []string
	for step := range steps {
		n, remove := rng.IntN(names), rng.IntN(2) == 0
		switch {
		case way == 1:
			n, remove = step/2, step%2 == 1 && step > names
			if remove {
				n -= names / 2
			}
		case way == 2 && step < names:
			n, remove = step*7919%names, false
		case way == 2:
			n, remove = max(2*names-step-1, 0), true
		}
		name := fmt.Sprintf("%06d", n)
		if way == 1 {
			name = "~" + name // after all names of a fresh tree
		}
		x := znode.Txn{Kind: znode.Create, Caller: trusted, Path: "/" + name}
		if remove {
			x.Kind, x.Version = znode.Delete, zoo.AnyVersion
		}
		if r, _ := tree.Apply(x, nil); (r.Code == zoo.OK) != (there[name] == remove) {
			t.Fatalf("step %d: %+v: %v", step, x, r.Code)
		}
		if delete(there, name); !remove {
			there[name] = true
		}
		if step%every > 0 {
			continue
		}
		list, _ := tree.Children("/")
		if !slices.Equal(list, slices.Sorted(maps.Keys(there))) {
			t.Fatalf("step %d: %v", step, list)
		}
		lists, texts = append(lists, list), append(texts, fmt.Sprint(list))
	}
	for i, list := range lists {
		if now := fmt.Sprint(list); now != texts[i] {
			t.Fatalf("list %d was %s and is %s", i, texts[i], now)
		}
	}
}
