package naming_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/naming"
)

// family is a Family and a list of the same children.
type family struct {
	naming.Family
	children map[string]int64
	door     naming.Door
	inside   map[string]bool // according to Touched
	readers  bool
}

func (f *family) put(name string, owner int64) {
	if _, there := f.children[name]; there {
		f.drop(name)
	}
	c := naming.Child{Name: name, Owner: owner}
	f.readers = naming.Recall(f.readers, c, len(f.children) == 0)
	f.children[name] = owner
	f.Put(c)
}

func (f *family) drop(name string) {
	delete(f.children, name)
	f.Drop(name)
}

// guess returns what Of makes of the children.
func (f *family) guess() naming.Guess {
	var list []naming.Child
	for _, name := range slices.Sorted(maps.Keys(f.children)) {
		list = append(list, naming.Child{Name: name, Owner: f.children[name]})
	}
	return naming.Of(list, f.door, f.readers)
}

// check compares both. If exact is false, only the use may differ.
func (f *family) check(t *testing.T, exact bool) {
	t.Helper()
	for _, name := range f.Touched() {
		f.inside[name], _ = f.Inside(name)
	}
	g := f.guess()
	use, whose := f.Taken()
	if use != g.Use || whose != g.Whose {
		if exact {
			t.Fatalf("%v are taken for %s of %q, not for %s of %q", f.children, use, whose, g.Use, g.Whose)
		}
		return
	}
	got := slices.Collect(f.Places())
	for i := range got {
		if got[i].Doubt == naming.OwnWrite && i < len(g.Places) { // a family remembers what a list can't show
			g.Places[i].Inside, g.Places[i].Doubt = false, naming.OwnWrite
		}
	}
	if !slices.Equal(got, g.Places) {
		t.Fatalf("the places are\n%v, not\n%v", got, g.Places)
	}
	if f.Len() != len(g.Places) || f.Others() != g.Others {
		t.Fatalf("%d and %d others, not %d and %d", f.Len(), f.Others(), len(g.Places), g.Others)
	}
	inside := map[string]bool{}
	for _, p := range g.Places {
		inside[p.Child.Name] = p.Inside
	}
	for name := range f.inside {
		if is, _ := f.Inside(name); inside[name] != f.inside[name] || inside[name] != is {
			t.Fatalf("%s of %v: told %t, is %t, want %t", name, f.children, f.inside[name], is, inside[name])
		}
	}
	for name := range inside {
		if inside[name] && !f.inside[name] {
			t.Fatalf("of %s being inside nobody has told", name)
		}
	}
}

// TestFamily lets children come and go at random.
func TestFamily(t *testing.T) {
	stems := []string{"_c_" + uuid + "-lock-", "_c_" + uuid + "-__READ__", "_c_" + uuid + "-__WRIT__", hex + "__lock__",
		hex + "__rlock__", "lock-", "read-", "write-", "n_", "queue-", "odd~", "-", "lease-1a-", hex, "member", "lock--",
		"_c_" + uuid + "-lease-", "_c_" + hex + "-lock-", "LOCK-SHARED-", "LOCK-EXCLUSIVE-"}
	whole := []string{hex, uuid, strings.Replace(hex, "9", "a", 1), "ready"}
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		f := family{children: map[string]int64{}, inside: map[string]bool{}}
		some := stems
		if seed%3 > 0 { // mostly children that belong together
			at := r.IntN(len(stems) - 2)
			some = stems[at : at+2]
		}
		most := 3 + r.IntN(12)
		if seed%4 == 0 {
			most = 300
		}
		for i := range 400 {
			name := fmt.Sprintf("%s%010d", some[r.IntN(len(some))], r.IntN(2*most))
			if seed%5 == 0 || r.IntN(8) == 0 {
				name = whole[r.IntN(len(whole))]
			}
			owner := int64(r.IntN(4))
			if seed%2 == 0 {
				owner = 1
			}
			_, there := f.children[name]
			switch {
			case there && r.IntN(3) > 0:
				f.drop(name)
			case len(f.children) < most:
				f.put(name, owner)
			}
			if r.IntN(5) == 0 {
				f.door = naming.Door{Open: r.IntN(2) == 0, Session: int64(r.IntN(4))}
				f.SetDoor(f.door)
			}
			if most < 16 || i%40 == 0 {
				f.check(t, most < 16)
			}
		}
	}
}

// TestFamilyStays: where two ways of naming explain about as many, it doesn't waver between them.
func TestFamilyStays(t *testing.T) {
	var f naming.Family
	for i := range 100 {
		f.Put(naming.Child{Name: fmt.Sprintf("lock-%010d", i), Owner: 1})
		f.Put(naming.Child{Name: fmt.Sprintf("n_%010d", i), Owner: 1})
	}
	before, _ := f.Taken()
	for i := range 3 {
		f.Put(naming.Child{Name: fmt.Sprintf("n_%010d", 100+i), Owner: 1})
	}
	if now, _ := f.Taken(); before != naming.Lock || now != before {
		t.Errorf("it takes them for %s, then for %s", before, now)
	}
	for i := range 10 {
		f.Drop(fmt.Sprintf("lock-%010d", i))
	}
	if now, _ := f.Taken(); now != naming.Election {
		t.Errorf("it takes most of them for %s", now)
	}
}

// TestFamilyBeside: whatever their number, children are only taken for what their siblings and the door allow.
func TestFamilyBeside(t *testing.T) {
	var f naming.Family
	for i := range 100 {
		f.Put(naming.Child{Name: fmt.Sprintf("%032x", i), Owner: 1})
	}
	taken := func(want naming.Use) {
		t.Helper()
		if got, _ := f.Taken(); got != want {
			t.Errorf("they are taken for %s, not for %s", got, want)
		}
	}
	f.SetDoor(naming.Door{Open: true})
	taken(naming.Semaphore)
	f.Put(naming.Child{Name: "ready"})
	taken(naming.Barrier)
	f.Drop("ready")
	taken(naming.Semaphore)
	if f.Others() != 0 || f.Len() != 100 {
		t.Errorf("%d, and %d others", f.Len(), f.Others())
	}
}

// BenchmarkFamily replaces one of many children.
func BenchmarkFamily(b *testing.B) {
	for _, n := range []int{100, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var f naming.Family
			name := func(i int) string { return fmt.Sprintf("_c_%s-lock-%010d", uuid, i) }
			for i := range n {
				f.Put(naming.Child{Name: name(i), Owner: 1})
			}
			f.Touched()
			for i := 0; b.Loop(); i++ {
				f.Drop(name(i))
				f.Put(naming.Child{Name: name(i + n), Owner: 1})
				f.Touched()
			}
		})
	}
}

// TestReadsWithinOwnWrite: nobody can tell whether a reader is inside that came while its own session held the write
// lock, for as long as any writer is ahead of it. Then it is.
func TestReadsWithinOwnWrite(t *testing.T) {
	const of = "_c_9f3a6c1e-0b7d-4f55-9a1b-0123456789ab-__%s__%010d"
	own, other, read := fmt.Sprintf(of, "WRIT", 1), fmt.Sprintf(of, "WRIT", 2), fmt.Sprintf(of, "READ", 3)
	var f naming.Family
	f.Put(naming.Child{Name: own, Owner: 1})
	f.Put(naming.Child{Name: other, Owner: 2})
	f.Put(naming.Child{Name: read, Owner: 1})
	for _, gone := range []string{own, other} {
		if inside, d := f.Inside(read); inside || d != naming.OwnWrite {
			t.Errorf("before %s goes: %t, %s", gone, inside, d)
		}
		f.Touched()
		f.Drop(gone)
	}
	if inside, d := f.Inside(read); !inside || d != "" || !slices.Contains(f.Touched(), read) {
		t.Errorf("alone: %t, %s", inside, d)
	}
}

// TestNumbersAmongNames: numbered persistent znodes are a queue if they are the majority, in whatever order they come.
func TestNumbersAmongNames(t *testing.T) {
	for _, test := range []struct {
		numbers, names int
		want           naming.Use
	}{{1, 0, naming.Queue}, {2, 2, naming.Queue}, {1, 2, naming.Unknown}, {20, 30, naming.Unknown},
		{30, 20, naming.Queue}} {
		for _, numbersFirst := range []bool{true, false} {
			var f naming.Family
			put := func(n int, name string) {
				for i := range n {
					f.Put(naming.Child{Name: fmt.Sprintf(name, i)})
				}
			}
			if numbersFirst {
				put(test.numbers, "item%010d")
			}
			put(test.names, "name-%d")
			if !numbersFirst {
				put(test.numbers, "item%010d")
			}
			if use, _ := f.Taken(); use != test.want {
				t.Errorf("%d numbers among %d names, the numbers first %t: %s, want %s", test.numbers, test.names, numbersFirst,
					use, test.want)
			}
		}
	}
}
