package znode

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// Watcher is a connection: watches die with it, not with the session.
type Watcher int64

// Fired is a watch event on its way to a connection.
type Fired struct {
	Watcher Watcher
	Type    zoo.EventType
	Path    string      // that is watched
	Watch   event.Watch // how it was set
}

// Watches are the server's two tables, data and children. Its zero value is not ready: use NewWatches.
// See the ZooKeeper Programmer's Guide, "ZooKeeper Watches".
type Watches struct {
	byPath    map[spot][]Watcher // in the order they were set
	byWatcher map[Watcher]map[spot]event.Watch
}

// spot is a path in one of the tables.
type spot struct {
	path  string
	child bool
}

// NewWatches has no watch.
func NewWatches() *Watches {
	return &Watches{
		byPath:    make(map[spot][]Watcher),
		byWatcher: make(map[Watcher]map[spot]event.Watch),
	}
}

// Set adds a watch. It reports false if the connection has one in that table on that path already: twice
// is once.
func (w *Watches) Set(id Watcher, kind event.Watch, path string) bool {
	at := spot{path, kind == event.ChildWatch}
	mine := w.byWatcher[id]
	if mine == nil {
		mine = make(map[spot]event.Watch)
		w.byWatcher[id] = mine
	}
	if _, ok := mine[at]; ok {
		return false
	}
	mine[at] = kind
	w.byPath[at] = append(w.byPath[at], id)
	return true
}

// Fire takes out the watches that the change concerns and appends their events to fired: those of the node
// before those of its parent, each in the order they were set.
func (w *Watches) Fire(c Change, fired []Fired) []Fired {
	first := len(fired)
	fired = w.take(spot{c.Path, false}, c.Type, fired, nil)
	if c.Type == zoo.NodeDataChanged {
		return fired
	}
	if c.Type == zoo.NodeDeleted {
		// A connection hears of a deletion once, whichever tables it stands in.
		fired = w.take(spot{c.Path, true}, c.Type, fired, fired[first:])
	}
	dir, _ := split(c.Path)
	return w.take(spot{dir, true}, zoo.NodeChildrenChanged, fired, nil)
}

func (w *Watches) take(at spot, t zoo.EventType, fired []Fired, told []Fired) []Fired {
	ids := w.byPath[at]
	if len(ids) == 0 {
		return fired
	}
	delete(w.byPath, at)
	for _, id := range ids {
		kind := w.byWatcher[id][at]
		delete(w.byWatcher[id], at)
		if !slices.ContainsFunc(told, func(f Fired) bool { return f.Watcher == id }) {
			fired = append(fired, Fired{id, t, at.path, kind})
		}
	}
	return fired
}

// Drop takes out all watches of a connection and returns them, sorted by path, data before children.
func (w *Watches) Drop(id Watcher) []Fired {
	var gone []Fired
	for at, kind := range w.byWatcher[id] {
		gone = append(gone, Fired{Watcher: id, Path: at.path, Watch: kind})
		left := slices.DeleteFunc(w.byPath[at], func(x Watcher) bool { return x == id })
		if w.byPath[at] = left; len(left) == 0 {
			delete(w.byPath, at)
		}
	}
	delete(w.byWatcher, id)
	slices.SortFunc(gone, func(a, b Fired) int {
		if a.Path != b.Path {
			if a.Path < b.Path {
				return -1
			}
			return 1
		}
		return int(a.Watch) - int(b.Watch)
	})
	return gone
}

// Rearm is what the server does when a client comes back and names a watch of its own: if the node changed
// since the last zxid that the client saw, it reports the event to send, else it sets the watch again.
func (w *Watches) Rearm(t *Tree, id Watcher, since int64, kind event.Watch, path string) (Fired, bool) {
	n, there := t.nodes[path]
	f := Fired{Watcher: id, Path: path, Watch: kind}
	switch {
	case kind == event.ExistWatch && there:
		f.Type = zoo.NodeCreated
	case kind != event.ExistWatch && !there:
		f.Type = zoo.NodeDeleted
	case kind == event.DataWatch && n.stat.Mzxid > since:
		f.Type = zoo.NodeDataChanged
	case kind == event.ChildWatch && n.stat.Pzxid > since:
		f.Type = zoo.NodeChildrenChanged
	default:
		w.Set(id, kind, path)
		return f, false
	}
	return f, true
}
