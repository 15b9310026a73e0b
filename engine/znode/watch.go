package znode

import (
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// Watcher is a connection: watches die with it, not with the session.
type Watcher int64

// Fired is a watch event on its way to a connection.
type Fired struct {
	Watcher Watcher
	Type    zoo.EventType
	Path    string      // what changed: below the watched znode if the watch is recursive
	Watch   event.Watch // how it was set
}

// Tables names one of the server's two tables of watches, or both. The numbers are those of the wire protocol.
type Tables int32

const (
	ChildTable Tables = 1
	DataTable  Tables = 2
	AnyTable   Tables = 3
)

// Watches are the server's two tables, data and children. A connection has at most one watch on a path in each:
// one that is set again is set anew, a persistent one on which a usual one is set becomes a usual one, as in
// 3.8.0. Its zero value is not ready: use NewWatches. See the ZooKeeper Programmer's Guide, "ZooKeeper Watches".
type Watches struct {
	data, child table
}

// NewWatches has no watch.
func NewWatches() *Watches { return &Watches{newTable(), newTable()} }

// Set adds a watch, a persistent or recursive one to both tables. It reports false if there was the like, and the
// watches that had to go for it and stand nowhere any more.
func (w *Watches) Set(id Watcher, kind event.Watch, path string) (isNew bool, gone []Fired) {
	var data, child event.Watch // that were there
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

// vanished is those of two kinds, which stood in the tables of data and of children, that stand in neither now.
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

// Fire takes out the watches that the change spends and appends the events of all that it concerns to fired:
// those of the znode before those of its parent, each in the order they were set.
func (w *Watches) Fire(c Change, fired []Fired) []Fired {
	first := len(fired)
	fired = w.data.fire(c.Path, c.Type, fired, nil)
	if c.Type == zoo.NodeDataChanged {
		return fired
	}
	if c.Type == zoo.NodeDeleted {
		// A connection hears of a deletion once, whichever tables it stands in.
		told := heard{list: fired[first:]}
		fired = w.child.fire(c.Path, c.Type, fired, &told)
	}
	dir := parentOf(c.Path)
	return w.child.fire(dir, zoo.NodeChildrenChanged, fired, nil)
}

// Drop takes out all watches of a connection and returns them, sorted by path, data before children. One that
// stands in both tables is returned once.
func (w *Watches) Drop(id Watcher) []Fired {
	gone := w.child.drop(id, w.data.drop(id, nil))
	slices.SortStableFunc(gone, func(a, b Fired) int { return strings.Compare(a.Path, b.Path) })
	return slices.Compact(gone)
}

// DropSome takes out so many watches of a connection, or all if it has fewer, and returns them, in no order. One that
// stands in both tables is two.
func (w *Watches) DropSome(id Watcher, most int) []Fired {
	gone := w.data.dropSome(id, most, nil)
	return w.child.dropSome(id, most, gone)
}

// Has is OK if there is a watch on the path in one of the tables, whichever connection has set it: 3.8.0
// forgets to look whose it is. It does not find those on "", which is the root's other name for readers. It
// stumbles over a path that does not lead to the root, once it looks for what is above it, which it does in
// each of the tables.
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

// Remove takes the connection's watches on the path out of the tables and returns them. One that is left in the
// other table is not returned. It reports whether there were any.
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

// Rearm is what the server does when a client comes back and names a watch of its own: if the node changed
// since the last zxid that the client saw, it reports the event to send, else it sets the watch again. For a
// persistent or recursive watch there is never anything to send: what happened meanwhile is lost.
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
