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

// plain is a simple, slow model of the tables of watches.
type plain map[spot]event.Watch

type spot struct {
	id    znode.Watcher
	child bool
	path  string
}

func (p plain) set(id znode.Watcher, kind event.Watch, path string) {
	for _, child := range [...]bool{false, true} {
		if stays(kind) || child == (kind == event.ChildWatch) {
			at := spot{id, child, path}
			if had := p[at]; had == event.NoWatch || stays(had) || stays(kind) {
				p[at] = kind
			}
		}
	}
}

func stays(kind event.Watch) bool {
	return kind == event.PersistentWatch || kind == event.RecursiveWatch
}

// fire returns the connections that one table notifies. It removes ordinary watches.
func (p plain) fire(child bool, path string, typ zoo.EventType) map[znode.Watcher]bool {
	heard := map[znode.Watcher]bool{}
	for at, kind := range p {
		switch {
		case at.child != child:
		case kind == event.RecursiveWatch:
			below := path == at.path || at.path == "/" || strings.HasPrefix(path, at.path+"/")
			if below && typ != zoo.NodeChildrenChanged {
				heard[at.id] = true
			}
		case at.path == path:
			heard[at.id] = true
			if !stays(kind) {
				delete(p, at)
			}
		}
	}
	return heard
}

func (p plain) change(typ zoo.EventType, path string) (told []string) {
	tell := func(heard map[znode.Watcher]bool, typ zoo.EventType, path string) {
		for id := range heard {
			told = append(told, fmt.Sprint(id, typ, path))
		}
	}
	first := p.fire(false, path, typ)
	tell(first, typ, path)
	if typ == zoo.NodeDataChanged {
		return told
	}
	if typ == zoo.NodeDeleted {
		second := p.fire(true, path, typ)
		for id := range first {
			delete(second, id)
		}
		tell(second, typ, path)
	}
	parent := path[:max(1, strings.LastIndexByte(path, '/'))]
	tell(p.fire(true, parent, zoo.NodeChildrenChanged), zoo.NodeChildrenChanged, parent)
	return told
}

// TestWatchTables compares the tables and their counts with the model, for many seeds.
func TestWatchTables(t *testing.T) {
	paths := []string{"/", "/a", "/a/b", "/a/b/c", "/ab", "/d"}
	kinds := []event.Watch{event.DataWatch, event.ExistWatch, event.ChildWatch, event.PersistentWatch,
		event.RecursiveWatch}
	types := []zoo.EventType{zoo.NodeCreated, zoo.NodeDeleted, zoo.NodeDataChanged}
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		w, p := znode.NewWatches(), plain{}
		for step := range 200 {
			id, path := znode.Watcher(rng.IntN(4)), paths[rng.IntN(len(paths))]
			where := fmt.Sprintf("seed %d, step %d, %d on %s", seed, step, id, path)
			switch rng.IntN(10) {
			case 0:
				dropped(t, where, w, p, id)
			case 1:
				removed(t, where, w, p, spot{id: id, path: path}, znode.Tables(1+rng.IntN(3)))
			case 2, 3, 4:
				kind := kinds[rng.IntN(len(kinds))]
				before := len(p)
				had := standing(w, id, path)
				isNew, gone := w.Set(id, kind, path)
				if p.set(id, kind, path); len(p) > before && !isNew {
					t.Fatalf("%s: a new watch (%v) is none", where, kind)
				}
				has := standing(w, id, path)
				for _, f := range gone {
					if !had[f.Watch] || has[f.Watch] {
						t.Fatalf("%s: %v is gone, of %v are left %v", where, f.Watch, had, has)
					}
					delete(had, f.Watch)
				}
				for kind := range had {
					if !has[kind] {
						t.Fatalf("%s: %v is gone, and nobody says so", where, kind)
					}
				}
			default:
				typ := types[rng.IntN(len(types))]
				if path == "/" {
					typ = zoo.NodeDataChanged
				}
				fires(t, where, w, p, typ, path)
			}
			same(t, where, w, p)
		}
	}
}

// standing returns the kinds of a connection's watches on a path.
func standing(w *znode.Watches, id znode.Watcher, path string) map[event.Watch]bool {
	kinds := map[event.Watch]bool{}
	for _, s := range w.List(znode.AnyTable) {
		if s.Watcher == id && s.Path == path {
			kinds[s.Watch] = true
		}
	}
	return kinds
}

func fires(t *testing.T, where string, w *znode.Watches, p plain, typ zoo.EventType, path string) {
	t.Helper()
	var got []string
	for _, f := range w.Fire(znode.Change{Type: typ, Path: path}, nil) {
		got = append(got, fmt.Sprint(f.Watcher, f.Type, f.Path))
	}
	want := p.change(typ, path)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("%s: %v tells %v, want %v", where, typ, got, want)
	}
}

func dropped(t *testing.T, where string, w *znode.Watches, p plain, id znode.Watcher) {
	t.Helper()
	gone := w.Drop(id)
	for _, f := range gone {
		if p[spot{id, false, f.Path}] != f.Watch && p[spot{id, true, f.Path}] != f.Watch {
			t.Fatalf("%s: %+v is dropped, and was not there", where, f)
		}
	}
	for at := range p {
		if at.id == id {
			delete(p, at)
		}
	}
}

func removed(t *testing.T, where string, w *znode.Watches, p plain, at spot, in znode.Tables) {
	t.Helper()
	had := false
	for _, child := range [...]bool{false, true} {
		if at.child = child; in&znode.ChildTable != 0 && child || in&znode.DataTable != 0 && !child {
			had = had || p[at] != event.NoWatch
			delete(p, at)
		}
	}
	if _, any := w.Remove(at.id, in, at.path); any != had {
		t.Fatalf("%s: removing from %d says %v, want %v", where, in, any, had)
	}
}

// same compares the watches and the counts.
func same(t *testing.T, where string, w *znode.Watches, p plain) {
	t.Helper()
	n := w.Counts()
	if n.Data+n.Child != len(p) || len(w.List(znode.AnyTable)) != len(p) {
		t.Fatalf("%s: %+v, %d listed, want %d watches", where, n, len(w.List(znode.AnyTable)), len(p))
	}
	for _, s := range w.List(znode.AnyTable) {
		if kind := p[spot{s.Watcher, s.In == znode.ChildTable, s.Path}]; kind != s.Watch && stays(kind) != stays(s.Watch) {
			t.Fatalf("%s: %+v stands, want %v", where, s, kind)
		}
		if w.Has(s.In, s.Path) != zoo.OK {
			t.Fatalf("%s: %+v stands, and is not found", where, s)
		}
	}
}
