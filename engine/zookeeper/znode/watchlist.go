package znode

import (
	"iter"

	"github.com/zkviz/zkviz/engine/event"
)

// WatchCounts counts the watches in the tables. Conns counts connections that ever set a data watch.
type WatchCounts struct {
	Data, Child int // watches in each table
	Paths       int // number of paths with a data watch
	Conns       int
}

// Counts returns the counts.
func (w *Watches) Counts() WatchCounts {
	return WatchCounts{w.data.size, w.child.size, len(w.data.byPath), len(w.data.byWatcher)}
}

// Standing is a watch in one of the tables.
type Standing struct {
	Path    string
	Watcher Watcher
	Watch   event.Watch
	In      Tables
}

// Each yields the watches in one of the tables, in no order. The tables may change between steps. It may yield or skip
// what comes and goes in between.
func (w *Watches) Each(in Tables) iter.Seq[Standing] {
	t := &w.data
	if in == ChildTable {
		t = &w.child
	}
	return func(yield func(Standing) bool) {
		for path := range t.byPath {
			for i := 0; i < len(t.byPath[path]); i++ {
				if s := t.byPath[path][i]; !yield(Standing{path, s.id, s.kind, in}) {
					return
				}
			}
		}
	}
}

// Stands reports whether a connection has a watch on the path.
func (w *Watches) Stands(id Watcher, path string) bool {
	return w.data.has(id, path) || w.child.has(id, path)
}

// Of returns the number of a connection's watches in both tables.
func (w *Watches) Of(id Watcher) int {
	return w.data.byWatcher[id].len() + w.child.byWatcher[id].len()
}

// All returns the number of watches in both tables, and the total length of their paths.
func (w *Watches) All() (count, bytes int) {
	return w.data.size + w.child.size, w.data.bytes + w.child.bytes
}
