package observe

import (
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// event takes a watch event.
func (o *observer) event(t zoo.EventType, path string) {
	switch {
	case !o.tree.below(path):
	case !o.oneShot:
		o.recursiveEvent(t, path)
	case o.tree.nodes[path] == nil && path != o.tree.root:
	case t == zoo.NodeDataChanged:
		o.readAll(path)
	case t == zoo.NodeChildrenChanged:
		o.lists.relist(path)
	case t == zoo.NodeCreated, t == zoo.NodeDeleted:
		o.readAll(path)
		o.lists.unlisted[path] = true
	}
}

// recursiveEvent takes what the recursive watch reports: each change, in order.
func (o *observer) recursiveEvent(t zoo.EventType, path string) {
	switch {
	case len(path) > MaxObservedPath:
		if up := parent(path); o.tree.nodes[up] != nil {
			o.omissions.set(up, lacksLong, true)
		}
		return
	case o.tree.depth(path) > MaxObservedDepth:
		for o.tree.depth(path) > MaxObservedDepth {
			path = parent(path)
		}
		if o.tree.nodes[path] != nil {
			o.requests.queue.mark(path, needStat) // it may have children now
		}
		return
	}
	of := o.missed.tallies[path]
	switch t {
	case zoo.NodeCreated:
		of.created++
		o.missed.countChild(path)
	case zoo.NodeDataChanged:
		of.changed++
	case zoo.NodeDeleted:
		of.deleted++
		o.missed.countChild(path)
	default:
		return
	}
	o.missed.tallies[path] = of
	if t == zoo.NodeDeleted {
		o.deleted(path, of)
		return
	}
	o.readChanged(path, t == zoo.NodeCreated)
}

// readChanged reads a znode that has changed, and first those above it that aren't in the log: they were left out so
// far, or wait to be read. It also lists the children of each that wasn't in the log, unless that is new: the watch
// reports a new znode's children.
func (o *observer) readChanged(path string, isNew bool) {
	if o.requests.queue.full(path, o.limits.queued) || o.tree.nodes[path] == nil && len(o.tree.nodes) >= o.limits.changed {
		o.missed.overlooked += o.missed.tallies[path].all()
		delete(o.missed.tallies, path)
		o.omissions.set(o.tree.root, lacksSome, true)
		return
	}
	if up := parent(path); path != o.tree.root && o.tree.nodes[up] == nil {
		o.readChanged(up, false)
	}
	if o.tree.nodes[path] == nil && !isNew && o.initial.more() {
		o.readInitially(path)
	}
	o.tree.put(path)
	o.readAll(path)
}

// deleted takes the recursive watch's report that a znode is gone.
func (o *observer) deleted(path string, of tally) {
	n := o.tree.nodes[path]
	o.tree.missing = o.tree.missing || path == o.tree.root
	o.requests.queue.drop(path)
	switch {
	case n != nil && n.read:
		o.missed.settle(path, 0, 1)
		o.tree.remove(path, false)
	case of.created > 0: // nothing is known about it but that it existed
		o.missed.settle(path, 0, 0)
		o.tree.remove(path, false)
	default: // it was left out so far, or waited to be read
		o.missed.settle(path, 0, 1)
		o.tree.remove(path, false)
		o.tree.logDeletion(path, nil)
	}
}
