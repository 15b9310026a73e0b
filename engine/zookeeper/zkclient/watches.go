// Package zkclient is the part of a ZooKeeper client that all hosts share: its calls as requests, their outcomes,
// and the watches that it has set.
//
// It has no connection, clock or goroutine. The simulator and the live host have those and call it. It isn't safe for
// concurrent use.
package zkclient

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Key identifies a watch of one client: its table and its znode.
type Key struct {
	Kind event.Watch
	Path string
}

// Hears reports whether an event of type t fires a watch in this table.
func (k Key) Hears(t zoo.EventType) bool {
	switch t {
	case zoo.NodeDeleted:
		return true
	case zoo.NodeChildrenChanged:
		return k.Kind == event.ChildWatch
	}
	return k.Kind != event.ChildWatch
}

// Leaves returns the table in which a read with a watch sets it, or NoWatch if the answer set none.
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

// MaxWatches limits the watches of a process. A recipe that sets more loses the oldest.
const MaxWatches = 4096

// Watches holds the watches that a process has set and whose events it has not taken.
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

// Add adds a watch that was set and returns its number.
func (w *Watches) Add(k Key) zoo.Watch {
	if len(w.list) == MaxWatches {
		w.list = slices.Delete(w.list, 0, 1)
	}
	w.last++
	w.list = append(w.list, watch{id: w.last, Key: k})
	return w.last
}

// Forget removes all watches, since the session is over.
func (w *Watches) Forget() { w.list = nil }

// Expect marks the watches that wake the process. It returns false if one is unknown, or none is given.
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

// Path returns the znode of a watch, or "" if the watch is unknown.
func (w *Watches) Path(id zoo.Watch) string {
	if i := w.find(id); i >= 0 {
		return w.list[i].Path
	}
	return ""
}

// Fire marks the watches for an event as fired. It reports whether the process waits for one of them.
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

// Take returns the event of the first given watch that has fired, and removes that watch.
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

// Standing returns the watches that have not fired, oldest first.
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
