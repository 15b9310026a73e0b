// Package process is the client's half that every host has: what its process's calls ask for and come to, which watches
// it has left and waits for, what it waits for otherwise and whether the others need not wait for it, the stores
// outside of ZooKeeper, and the line of the recipe that a call comes from.
//
// It knows no connection, no clock and no goroutine; engine/sim and engine/live have those, and call it. Anyone who has
// more than one goroutine guards it.
package process

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// Key names a watch of one client: the table that it stands in, and the znode.
type Key struct {
	Kind event.Watch
	Path string
}

// Hears reports whether an event of type t is for a watch in this table.
func (k Key) Hears(t zoo.EventType) bool {
	switch t {
	case zoo.NodeDeleted:
		return true
	case zoo.NodeChildrenChanged:
		return k.Kind == event.ChildWatch
	}
	return k.Kind != event.ChildWatch
}

// Leaves returns the table in which a read that asks for a watch leaves one, NoWatch if its answer left none.
func Leaves(op event.Op, code zoo.Code) event.Watch {
	switch {
	case code == zoo.OK && op == event.Children:
		return event.ChildWatch
	case code == zoo.OK:
		return event.DataWatch
	case code == zoo.ErrNoNode && op == event.Exists:
		return event.ExistWatch
	}
	return event.NoWatch
}

// MaxWatches bounds the watches that are remembered for a process. A recipe that leaves more behind loses the oldest.
const MaxWatches = 4096

// Watches are those that a process has left and whose events it has not taken.
type Watches struct {
	list []watch
	last zoo.Watch
}

type watch struct {
	Key
	id      zoo.Watch
	awaited bool
	fired   bool
	typ     zoo.EventType
}

// Add remembers a watch that was set, and numbers it.
func (w *Watches) Add(k Key) zoo.Watch {
	if len(w.list) == MaxWatches {
		w.list = slices.Delete(w.list, 0, 1)
	}
	w.last++
	w.list = append(w.list, watch{id: w.last, Key: k})
	return w.last
}

// Forget drops all of them: the session is over.
func (w *Watches) Forget() { w.list = nil }

// Expect marks watches as those that wake the process. It reports false if one is unknown, or none is named.
func (w *Watches) Expect(ids []zoo.Watch) bool {
	for _, id := range ids {
		i := w.find(id)
		if i < 0 {
			return false
		}
		w.list[i].awaited = true
	}
	return len(ids) > 0
}

// Path returns the znode of a watch, "" if that is unknown.
func (w *Watches) Path(id zoo.Watch) string {
	if i := w.find(id); i >= 0 {
		return w.list[i].Path
	}
	return ""
}

// Fire marks the watches that an event is for as fired. It reports whether the process waits for one of them.
func (w *Watches) Fire(e zoo.WatchEvent) (awaited bool) {
	for i := range w.list {
		x := &w.list[i]
		if !x.fired && x.Path == e.Path && x.Hears(e.Type) {
			x.fired, x.typ = true, e.Type
			awaited = awaited || x.awaited
		}
	}
	return awaited
}

// Take returns the event of the first of the watches that has fired, and forgets that watch.
func (w *Watches) Take(ids []zoo.Watch) (zoo.WatchEvent, bool) {
	for _, id := range ids {
		i := w.find(id)
		if i < 0 || !w.list[i].fired {
			continue
		}
		e := zoo.WatchEvent{Type: w.list[i].typ, Path: w.list[i].Path}
		w.list = slices.Delete(w.list, i, i+1)
		return e, true
	}
	return zoo.WatchEvent{}, false
}

// Standing returns those that have not fired, the oldest first.
func (w *Watches) Standing() (keys []Key) {
	for i := range w.list {
		if !w.list[i].fired {
			keys = append(keys, w.list[i].Key)
		}
	}
	return keys
}

func (w *Watches) find(id zoo.Watch) int {
	return slices.IndexFunc(w.list, func(x watch) bool { return x.id == id })
}
