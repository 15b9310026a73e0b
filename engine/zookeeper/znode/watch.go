package znode

import (
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Watcher is a connection. Watches end with it, not with the session.
type Watcher int64

// Fired is a watch event for a connection.
type Fired struct {
	Watcher Watcher
	Type    zoo.EventType
	Path    string      // the changed znode, which a recursive watch may have below its own
	Watch   event.Watch // the kind of watch
}

// Tables selects one of the server's two tables of watches, or both. They have the wire protocol's numbers.
type Tables int32

const (
	ChildTable Tables = 1
	DataTable  Tables = 2
	AnyTable   Tables = 3
)

// Watches holds the server's two tables, data and children. In each, a connection has at most one watch on a path, and
// setting another replaces it. As in 3.8.0, an ordinary watch replaces a persistent one. The zero value is not ready:
// use NewWatches. See the ZooKeeper Programmer's Guide, "ZooKeeper Watches".
type Watches struct {
	data, child table
}

// NewWatches returns tables without watches.
func NewWatches() *Watches { return &Watches{newTable(), newTable()} }

// Set adds a watch, to both tables if it is persistent or recursive. It returns false if an equivalent one existed,
// and the watches that it replaced and that are now in neither table.
func (w *Watches) Set(id Watcher, kind event.Watch, path string) (isNew bool, gone []Fired) {
	var data, child event.Watch // the previous watches
	if kind != event.ChildWatch {
		data, isNew = w.data.set(id, kind, path)
	}
	if kind == event.ChildWatch || kind.Stays() {
		var also bool
		child, also = w.child.set(id, kind, path)
		isNew = isNew || also
	}
	if !isNew || data == event.NoWatch && child == event.NoWatch {
		return isNew, nil
	}
	return true, w.vanished(id, path, data, child)
}

// vanished returns watches that are now in neither table, of the two kinds that were in the data and the child table.
func (w *Watches) vanished(id Watcher, path string, data, child event.Watch) (gone []Fired) {
	for i, kind := range [...]event.Watch{data, child} {
		switch {
		case kind == event.NoWatch, i == 1 && kind == data:
		case w.data.stands(id, kind, path), w.child.stands(id, kind, path):
		default:
			gone = append(gone, Fired{Watcher: id, Path: path, Watch: kind})
		}
	}
	return gone
}

// Fire removes the watches that the change uses up, and appends all resulting events to fired: first those for the
// znode, then those for its parent, each in the order in which the watches were set.
func (w *Watches) Fire(c Change, fired []Fired) []Fired {
	first := len(fired)
	fired = w.data.fire(c.Path, c.Type, fired, nil)
	if c.Type == zoo.NodeDataChanged {
		return fired
	}
	if c.Type == zoo.NodeDeleted {
		// A connection learns of a deletion once, even if it is in both tables.
		told := heard{list: fired[first:]}
		fired = w.child.fire(c.Path, c.Type, fired, &told)
	}
	dir := parentOf(c.Path)
	return w.child.fire(dir, zoo.NodeChildrenChanged, fired, nil)
}

// Drop removes all watches of a connection and returns them, sorted by path, data before children. A watch in both
// tables is returned once.
func (w *Watches) Drop(id Watcher) []Fired {
	gone := w.child.drop(id, w.data.drop(id, nil))
	slices.SortStableFunc(gone, func(a, b Fired) int { return strings.Compare(a.Path, b.Path) })
	return slices.Compact(gone)
}

// DropSome removes up to that many watches of a connection and returns them in no order. A watch in both tables counts
// twice.
func (w *Watches) DropSome(id Watcher, most int) []Fired {
	gone := w.data.dropSome(id, most, nil)
	return w.child.dropSome(id, most, gone)
}

// Has returns OK if one of the tables has a watch on the path, of any connection, because 3.8.0 forgets to check whose
// it is. It doesn't find watches on "", which readers may use for the root. In each table, it fails on a path that
// doesn't lead to the root when it looks for the path's ancestors.
func (w *Watches) Has(in Tables, path string) zoo.Code {
	data, child := zoo.ErrNoWatcher, zoo.ErrNoWatcher
	if in&DataTable != 0 {
		data = w.data.any(path)
	}
	if in&ChildTable != 0 {
		child = w.child.any(path)
	}
	switch {
	case data == zoo.ErrMarshalling || child == zoo.ErrMarshalling:
		return zoo.ErrMarshalling
	case data == zoo.OK || child == zoo.OK:
		return zoo.OK
	}
	return zoo.ErrNoWatcher
}

// Remove removes the connection's watches on the path from the tables. It returns those that are now in neither table,
// and whether it removed any.
func (w *Watches) Remove(id Watcher, in Tables, path string) (gone []Fired, any bool) {
	var data, child event.Watch
	if in&DataTable != 0 {
		data = w.data.remove(id, path)
	}
	if in&ChildTable != 0 {
		child = w.child.remove(id, path)
	}
	gone = w.vanished(id, path, data, child)
	return gone, data != event.NoWatch || child != event.NoWatch
}

// Rearm handles a watch that a reconnecting client reports. If the znode has changed since the last zxid that the
// client saw, it returns the event to send, otherwise it sets the watch again. A persistent or recursive watch gets no
// event: what happened in between is lost.
func (w *Watches) Rearm(t *Tree, id Watcher, since int64, kind event.Watch, path string) (Fired, bool) {
	n, there := t.nodes[path]
	f := Fired{Watcher: id, Path: path, Watch: kind}
	switch {
	case kind.Stays():
	case kind == event.ExistWatch:
		if there {
			f.Type = zoo.NodeCreated
		}
	case !there:
		f.Type = zoo.NodeDeleted
	case kind == event.DataWatch && n.stat.Mzxid > since:
		f.Type = zoo.NodeDataChanged
	case kind == event.ChildWatch && n.stat.Pzxid > since:
		f.Type = zoo.NodeChildrenChanged
	}
	if f.Type == 0 {
		w.Set(id, kind, path)
		return f, false
	}
	return f, true
}
