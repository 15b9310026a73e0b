package znode_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// rows holds both tables of watches as one list, in the order in which they were set. A watch that is replaced keeps
// its place.
type rows []znode.Standing

func (r rows) find(in znode.Tables, id znode.Watcher, path string) int {
	return slices.IndexFunc(r, func(s znode.Standing) bool { return s.In == in && s.Watcher == id && s.Path == path })
}

// kinds returns the kinds of a connection's watches on a path, data first.
func (r rows) kinds(id znode.Watcher, path string, in ...znode.Tables) (kinds []event.Watch) {
	for _, table := range in {
		if i := r.find(table, id, path); i >= 0 {
			kinds = append(kinds, r[i].Watch)
		}
	}
	return slices.Compact(kinds)
}

// gone returns the kinds that the connection no longer has on the path.
func (r rows) gone(was []event.Watch, id znode.Watcher, path string) (gone []znode.Fired) {
	for _, kind := range was {
		if !slices.Contains(r.kinds(id, path, znode.DataTable, znode.ChildTable), kind) {
			gone = append(gone, znode.Fired{Watcher: id, Path: path, Watch: kind})
		}
	}
	return gone
}

func (r *rows) set(id znode.Watcher, kind event.Watch, path string) (isNew bool, gone []znode.Fired) {
	tables := []znode.Tables{znode.DataTable, znode.ChildTable}
	switch {
	case kind == event.ChildWatch:
		tables = tables[1:]
	case !stays(kind):
		tables = tables[:1]
	}
	was := r.kinds(id, path, tables...)
	for _, in := range tables {
		i := r.find(in, id, path)
		switch {
		case i < 0:
			*r, isNew = append(*r, znode.Standing{Path: path, Watcher: id, Watch: kind, In: in}), true
		case (*r)[i].Watch != kind && (stays(kind) || stays((*r)[i].Watch)):
			(*r)[i].Watch, isNew = kind, true
		}
	}
	return isNew, r.gone(was, id, path)
}

func (r *rows) remove(id znode.Watcher, in znode.Tables, path string) (gone []znode.Fired, any bool) {
	var tables []znode.Tables
	for _, table := range []znode.Tables{znode.DataTable, znode.ChildTable} {
		if in&table != 0 {
			tables = append(tables, table)
		}
	}
	was := r.kinds(id, path, tables...)
	*r = slices.DeleteFunc(*r, func(s znode.Standing) bool { return s.Watcher == id && s.Path == path && in&s.In != 0 })
	return r.gone(was, id, path), len(was) > 0
}

// fire returns the events of one table, except for connections that were told, and removes ordinary watches.
func (r *rows) fire(in znode.Tables, path string, typ zoo.EventType, told []znode.Fired) (fired []znode.Fired) {
	knows := func(list []znode.Fired, id znode.Watcher) bool {
		return slices.ContainsFunc(list, func(f znode.Fired) bool { return f.Watcher == id })
	}
	for at := path; ; at = parentOf(at) {
		for _, s := range *r {
			below := s.Watch == event.RecursiveWatch
			if s.In == in && s.Path == at && (at == path || below) && !(below && typ == zoo.NodeChildrenChanged) &&
				!knows(told, s.Watcher) && !knows(fired, s.Watcher) {
				fired = append(fired, znode.Fired{Watcher: s.Watcher, Type: typ, Path: path, Watch: s.Watch})
			}
		}
		if at == "/" {
			break
		}
	}
	*r = slices.DeleteFunc(*r, func(s znode.Standing) bool { return s.In == in && s.Path == path && !stays(s.Watch) })
	return fired
}

func (r *rows) change(typ zoo.EventType, path string) []znode.Fired {
	fired := r.fire(znode.DataTable, path, typ, nil)
	if typ == zoo.NodeDataChanged {
		return fired
	}
	if typ == zoo.NodeDeleted {
		fired = append(fired, r.fire(znode.ChildTable, path, typ, fired)...)
	}
	return append(fired, r.fire(znode.ChildTable, parentOf(path), zoo.NodeChildrenChanged, nil)...)
}

// list returns the watches in the tables, sorted by path, data before children.
func (r rows) list(in znode.Tables) rows {
	list := slices.DeleteFunc(slices.Clone(r), func(s znode.Standing) bool { return in&s.In == 0 })
	slices.SortStableFunc(list, func(a, b znode.Standing) int {
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		return int(b.In) - int(a.In)
	})
	return list
}

func (r *rows) drop(id znode.Watcher) (gone []znode.Fired) {
	for _, s := range r.list(znode.AnyTable) {
		if f := (znode.Fired{Watcher: id, Path: s.Path, Watch: s.Watch}); s.Watcher == id &&
			(len(gone) == 0 || gone[len(gone)-1] != f) {
			gone = append(gone, f)
		}
	}
	*r = slices.DeleteFunc(*r, func(s znode.Standing) bool { return s.Watcher == id })
	return gone
}

func (r rows) has(in znode.Tables, path string) zoo.Code {
	found := zoo.ErrNoWatcher
	for _, table := range []znode.Tables{znode.DataTable, znode.ChildTable} {
		if in&table == 0 || path == "" {
			continue
		}
		there, recursive := false, false
		for _, s := range r {
			there = there || s.In == table && s.Path == path
			recursive = recursive || s.In == table && s.Watch == event.RecursiveWatch
		}
		switch {
		case !strings.Contains(path, "/"), !there && recursive && path[0] != '/':
			return zoo.ErrMarshalling
		case there:
			found = zoo.OK
		}
	}
	return found
}

// TestWatchesAgainstAList compares the tables with a list under random requests: events and their order, removed
// watches and all counts.
func TestWatchesAgainstAList(t *testing.T) {
	paths := []string{"/", "/a", "/a/b", "/a/b/c", "/ab", "/d", "no", "no/path", ""}
	kinds := []event.Watch{event.DataWatch, event.ExistWatch, event.ChildWatch, event.PersistentWatch,
		event.RecursiveWatch}
	types := []zoo.EventType{zoo.NodeCreated, zoo.NodeDeleted, zoo.NodeDataChanged}
	seeds := uint64(30)
	if testing.Short() {
		seeds = 6
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 1))
		w, r := znode.NewWatches(), rows{}
		for step := range 150 {
			id, path := znode.Watcher(rng.IntN(24)), paths[rng.IntN(len(paths))]
			in := znode.Tables(rng.IntN(4))
			var got, want string
			switch n := rng.IntN(12); {
			case n == 0:
				got, want = fmt.Sprint(w.Drop(id)), fmt.Sprint(r.drop(id))
			case n == 1:
				gone, any := w.Remove(id, in, path)
				wantGone, wantAny := r.remove(id, in, path)
				got, want = fmt.Sprint(gone, any), fmt.Sprint(wantGone, wantAny)
			case n == 2:
				most := rng.IntN(4)
				gone := w.DropSome(id, most)
				got, want = fmt.Sprint(len(gone)), fmt.Sprint(min(most, r.of(id)))
				r.strike(gone)
			case n < 9:
				kind := kinds[rng.IntN(len(kinds))]
				isNew, gone := w.Set(id, kind, path)
				wantNew, wantGone := r.set(id, kind, path)
				got, want = fmt.Sprint(isNew, gone), fmt.Sprint(wantNew, wantGone)
			default:
				typ, path := types[rng.IntN(len(types))], paths[1+rng.IntN(5)]
				before := []znode.Fired{{Watcher: 3, Path: "before"}}
				got = fmt.Sprint(w.Fire(znode.Change{Type: typ, Path: path}, slices.Clone(before))[1:])
				want = fmt.Sprint(r.change(typ, path))
			}
			if got != want {
				t.Fatalf("seed %d, step %d, %d on %q:\ngot  %s\nwant %s", seed, step, id, path, got, want)
			}
			r.compare(t, fmt.Sprintf("seed %d, step %d", seed, step), w, paths)
		}
	}
}

func (r rows) of(id znode.Watcher) (n int) {
	for _, s := range r {
		if s.Watcher == id {
			n++
		}
	}
	return n
}

// strike removes what was dropped in no order, first from the data table, then from the other.
func (r *rows) strike(gone []znode.Fired) {
	for _, f := range gone {
		i := r.find(znode.DataTable, f.Watcher, f.Path)
		if i < 0 {
			i = r.find(znode.ChildTable, f.Watcher, f.Path)
		}
		*r = slices.Delete(*r, i, i+1)
	}
}

func (r rows) compare(t *testing.T, where string, w *znode.Watches, paths []string) {
	t.Helper()
	var got, want []string
	say := func(g, w any) { got, want = append(got, fmt.Sprint(g)), append(want, fmt.Sprint(w)) }
	for in := range znode.AnyTable + 1 {
		say(w.List(in), r.list(in))
		for _, path := range paths {
			say(w.Has(in, path), r.has(in, path))
		}
	}
	count, bytes := w.All()
	wantBytes, watched := 0, map[string]bool{}
	for _, s := range r {
		wantBytes += len(s.Path)
		if s.In == znode.DataTable {
			watched[s.Path] = true
		}
	}
	say(count, len(r))
	say(bytes, wantBytes)
	n := w.Counts()
	say([]int{n.Data, n.Child, n.Paths}, []int{len(r.list(znode.DataTable)), len(r.list(znode.ChildTable)), len(watched)})
	for id := range znode.Watcher(24) {
		say(w.Of(id), r.of(id))
		for _, path := range paths {
			say(w.Stands(id, path), len(r.kinds(id, path, znode.DataTable, znode.ChildTable)) > 0)
		}
	}
	for _, in := range []znode.Tables{znode.DataTable, znode.ChildTable} {
		var each rows
		for s := range w.Each(in) {
			each = append(each, s)
		}
		say(each.list(in), r.list(in))
		for s := range w.Each(in) {
			say(s.In, in)
			break
		}
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("%s, figure %d:\ngot  %s\nwant %s", where, i, got[i], want[i])
		}
	}
}

// TestRearm checks each kind of watch after changes that a client has or hasn't seen: the client gets an event at
// once, or the watch is set.
func TestRearm(t *testing.T) {
	tree := znode.New()
	must(t, tree, znode.Txn{Kind: znode.Create, Path: "/a"})                          // 1
	must(t, tree, znode.Txn{Kind: znode.Set, Path: "/a", Version: -1})                // 2
	must(t, tree, znode.Txn{Kind: znode.Create, Path: "/a/b"})                        // 3
	must(t, tree, znode.Txn{Kind: znode.Set, Path: "/a/b", Version: -1, TimeMS: 100}) // 4
	for _, c := range []struct {
		kind  event.Watch
		path  string
		since int64
		want  zoo.EventType // 0 if the watch is set
	}{
		{event.DataWatch, "/a", 1, zoo.NodeDataChanged}, {event.DataWatch, "/a", 2, 0}, {event.DataWatch, "/a", 3, 0},
		{event.ChildWatch, "/a", 2, zoo.NodeChildrenChanged}, {event.ChildWatch, "/a", 3, 0}, {event.ChildWatch, "/a", 4, 0},
		{event.ExistWatch, "/a", 9, zoo.NodeCreated}, {event.ExistWatch, "/none", 0, 0},
		{event.DataWatch, "/none", 9, zoo.NodeDeleted}, {event.ChildWatch, "/none", 9, zoo.NodeDeleted},
		{event.PersistentWatch, "/a", 0, 0}, {event.PersistentWatch, "/none", 0, 0},
		{event.RecursiveWatch, "/a", 0, 0}, {event.RecursiveWatch, "/none", 0, 0},
	} {
		w := znode.NewWatches()
		f, now := w.Rearm(tree, 7, c.since, c.kind, c.path)
		if want := (znode.Fired{Watcher: 7, Type: c.want, Path: c.path, Watch: c.kind}); f != want || now != (c.want != 0) {
			t.Errorf("%v on %s since %d: %+v, %t", c.kind, c.path, c.since, f, now)
		}
		if stands := w.Stands(7, c.path); stands != (c.want == 0) {
			t.Errorf("%v on %s since %d: it stands: %t", c.kind, c.path, c.since, stands)
		}
	}
}
