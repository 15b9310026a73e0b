package znode

import (
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// table is one of the two tables: who watches which path, and how.
type table struct {
	byPath    map[string][]standing // in the order they were set
	byWatcher map[Watcher]*watched
	size      int
	bytes     int // total length of the watches' paths
	recursive int // number of recursive watches: if above 0, a change must check all ancestors
}

// standing is a watch that hasn't been used up.
type standing struct {
	id   Watcher
	kind event.Watch
}

func newTable() table {
	return table{byPath: make(map[string][]standing), byWatcher: make(map[Watcher]*watched)}
}

// set adds a watch. It returns the previous one, and false if that does the same.
func (t *table) set(id Watcher, kind event.Watch, path string) (had event.Watch, isNew bool) {
	mine := t.byWatcher[id]
	if mine == nil {
		mine = &watched{paths: make(map[string]struct{})}
		t.byWatcher[id] = mine
	}
	if mine.has(path) {
		return t.change(id, kind, path)
	}
	mine.add(path)
	t.bytes += len(path)
	t.byPath[path] = append(t.byPath[path], standing{id, kind})
	t.count(kind, 1)
	return event.NoWatch, true
}

func (t *table) change(id Watcher, kind event.Watch, path string) (had event.Watch, isNew bool) {
	at := &t.byPath[path][t.find(id, path)]
	had = at.kind
	if had == kind || !had.Stays() && !kind.Stays() {
		return had, false
	}
	t.count(had, -1)
	t.count(kind, 1)
	at.kind = kind
	return had, true
}

func (t *table) count(kind event.Watch, n int) {
	t.size += n
	if kind == event.RecursiveWatch {
		t.recursive += n
	}
}

// fire appends the events for watches on the path, and for recursive ones above it, except for connections that were
// told already. It removes ordinary watches.
func (t *table) fire(path string, typ zoo.EventType, fired []Fired, told *heard) []Fired {
	first := len(fired)
	if list := t.byPath[path]; len(list) > 0 {
		fired = t.take(path, list, typ, fired, told)
	}
	if t.recursive == 0 || typ == zoo.NodeChildrenChanged {
		return fired
	}
	var below heard
	for at := path; at != "/" && at != ""; {
		at = parentOf(at)
		for _, s := range t.byPath[at] {
			if s.kind == event.RecursiveWatch && !told.has(s.id) && !below.in(fired[first:]).has(s.id) {
				fired = append(fired, Fired{s.id, typ, path, s.kind})
			}
		}
	}
	return fired
}

func (t *table) take(path string, list []standing, typ zoo.EventType, fired []Fired, told *heard) []Fired {
	kept := list[:0]
	for _, s := range list {
		if s.kind.Stays() {
			kept = append(kept, s)
		} else {
			t.byWatcher[s.id].drop(path)
			t.size--
			t.bytes -= len(path)
		}
		if s.kind == event.RecursiveWatch && typ == zoo.NodeChildrenChanged || told.has(s.id) {
			continue
		}
		fired = append(fired, Fired{s.id, typ, path, s.kind})
	}
	t.keep(path, kept)
	return fired
}

func (t *table) keep(path string, list []standing) {
	if len(list) == 0 {
		delete(t.byPath, path)
	} else {
		t.byPath[path] = list
	}
}

// remove removes a watch and returns its kind, or NoWatch if there is none.
func (t *table) remove(id Watcher, path string) event.Watch {
	if !t.has(id, path) {
		return event.NoWatch
	}
	t.byWatcher[id].drop(path)
	return t.strike(id, path)
}

func (t *table) strike(id Watcher, path string) event.Watch {
	list, i := t.byPath[path], t.find(id, path)
	kind := list[i].kind
	t.keep(path, slices.Delete(list, i, i+1))
	t.count(kind, -1)
	t.bytes -= len(path)
	return kind
}

// drop removes all watches of a connection and appends them to gone, in no order.
func (t *table) drop(id Watcher, gone []Fired) []Fired {
	mine := t.byWatcher[id]
	if mine == nil {
		return gone
	}
	for path := range mine.paths {
		gone = append(gone, Fired{Watcher: id, Path: path, Watch: t.strike(id, path)})
	}
	delete(t.byWatcher, id)
	return gone
}

// dropSome removes watches of a connection until gone has most elements.
func (t *table) dropSome(id Watcher, most int, gone []Fired) []Fired {
	mine := t.byWatcher[id]
	if mine == nil {
		return gone
	}
	for path := range mine.paths {
		if len(gone) == most {
			break
		}
		delete(mine.paths, path)
		gone = append(gone, Fired{Watcher: id, Path: path, Watch: t.strike(id, path)})
	}
	return gone
}

func (t *table) has(id Watcher, path string) bool {
	return t.byWatcher[id].has(path)
}

func (t *table) any(path string) zoo.Code {
	switch {
	case path == "":
		return zoo.ErrNoWatcher
	case strings.IndexByte(path, '/') < 0:
		return zoo.ErrMarshalling
	case len(t.byPath[path]) > 0:
		return zoo.OK
	case path[0] != '/' && t.recursive > 0:
		return zoo.ErrMarshalling
	}
	return zoo.ErrNoWatcher
}

func (t *table) stands(id Watcher, kind event.Watch, path string) bool {
	return t.has(id, path) && t.byPath[path][t.find(id, path)].kind == kind
}

// find returns the index of the connection's watch, which must exist.
func (t *table) find(id Watcher, path string) int {
	return slices.IndexFunc(t.byPath[path], func(s standing) bool { return s.id == id })
}
