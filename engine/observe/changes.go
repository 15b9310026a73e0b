package observe

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

type answer = wire.Response

// tally counts what watches have reported about a znode since it was last read.
type tally struct{ created, changed, deleted int }

func (t tally) all() int { return t.created + t.changed + t.deleted }

// childCount counts how often a znode's children came and went, as far as that is known.
type childCount struct {
	counted  bool  // cversion comes from a list
	cversion int32 // from the last list: each child that comes or goes adds one
	changes  int   // of these, how many since that list the log has or has reported missed
	expected bool  // for an unread child: the parent's census has counted it as coming
}

// missedIfGone returns how many changes were missed if the znode is gone before it was read.
func (f *childCount) missedIfGone() int {
	if f.expected {
		return 1
	}
	return 0
}

// event takes a watch event.
func (o *observer) event(t zoo.EventType, path string) {
	switch {
	case !o.below(path):
	case !o.oneShot:
		o.recursiveEvent(t, path)
	case o.nodes[path] == nil && path != o.path:
	case t == zoo.NodeDataChanged:
		o.readAll(path)
	case t == zoo.NodeChildrenChanged:
		o.relist(path)
	case t == zoo.NodeCreated, t == zoo.NodeDeleted:
		o.readAll(path)
		o.unlisted[path] = true
	}
}

// recursiveEvent takes what the recursive watch reports: each change, in order.
func (o *observer) recursiveEvent(t zoo.EventType, path string) {
	switch {
	case len(path) > MaxObservedPath:
		if up := parent(path); o.nodes[up] != nil {
			o.setOmission(up, lacksLong, true)
		}
		return
	case o.depth(path) > MaxObservedDepth:
		for o.depth(path) > MaxObservedDepth {
			path = parent(path)
		}
		if o.nodes[path] != nil {
			o.look(path, needStat) // it may have children now
		}
		return
	}
	of := o.tallies[path]
	switch t {
	case zoo.NodeCreated:
		of.created++
		o.countChild(path)
	case zoo.NodeDataChanged:
		of.changed++
	case zoo.NodeDeleted:
		of.deleted++
		o.countChild(path)
	default:
		return
	}
	o.tallies[path] = of
	if t == zoo.NodeDeleted {
		o.vanished(path, of)
		return
	}
	o.visit(path, t == zoo.NodeCreated)
}

// visit reads a znode that has changed, and first those above it that aren't in the log: they were left out so far,
// or their turn hasn't come yet. It also lists the children of each that wasn't in the log, unless that is new: the
// watch reports a new znode's children.
func (o *observer) visit(path string, isNew bool) {
	if o.looks.full(path, o.most.queued) || o.nodes[path] == nil && len(o.nodes) >= o.most.changed {
		o.overlooked += o.tallies[path].all()
		delete(o.tallies, path)
		o.setOmission(o.path, lacksSome, true)
		return
	}
	if up := parent(path); path != o.path && o.nodes[up] == nil {
		o.visit(up, false)
	}
	if o.nodes[path] == nil && !isNew && o.initial.more() {
		o.readInitially(path)
	}
	o.put(path)
	o.readAll(path)
}

// vanished takes the recursive watch's report that a znode is gone.
func (o *observer) vanished(path string, of tally) {
	n := o.nodes[path]
	o.missing = o.missing || path == o.path
	o.looks.drop(path)
	switch {
	case n != nil && n.read:
		o.settle(path, 0, 1)
		o.forget(path, false)
	case of.created > 0: // nothing is known about it but that it existed
		o.settle(path, 0, 0)
		o.forget(path, false)
	default: // it was left out so far, or waited to be read
		o.settle(path, 0, 1)
		o.forget(path, false)
		o.deleted(path, nil)
	}
}

// countChild counts a child of the parent that comes or goes.
func (o *observer) countChild(path string) {
	if n := o.nodes[parent(path)]; n != nil && path != o.path {
		n.changes++
	}
}

// born counts a child that is now in the log, unless a watch reported it or a list contained it.
func (o *observer) born(path string, n *observed) {
	if !n.expected && o.tallies[path].created == 0 {
		o.countChild(path)
	}
	n.expected = false
}

// census compares how many children came and went by the parent's own count with those that the log knows: came of
// them are new in this list. If the list is partial, there is nothing to compare.
func (o *observer) census(path string, n *observed, stat *zoo.Stat, came int, partly bool) {
	missed := int(stat.Cversion-n.cversion) - n.changes - came
	if n.counted && !partly && missed > 0 {
		o.miss(path, missed)
	}
	n.counted, n.cversion, n.changes = true, stat.Cversion, 0
}

// settle reports how many changes of a znode were missed: those that happened by its own count, or that a watch
// reported, minus those in the log.
func (o *observer) settle(path string, happened, logged int) {
	missed := max(o.tallies[path].all(), happened) - logged
	delete(o.tallies, path)
	if missed > 0 {
		o.miss(path, missed)
	}
}

// miss reports that the log lacks changes of a znode or of its children.
func (o *observer) miss(path string, n int) {
	o.emit(event.Event{Kind: event.RecipeNote, Reason: event.LeftMissed, Path: event.Preview([]byte(path)),
		N: int64(n)})
}
