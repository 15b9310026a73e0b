package observe

import (
	"path"
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// childLists lists znodes' children.
type childLists struct {
	observer *observer
	unlisted map[string]bool // whose children to list once there is a Stat
	skipped  map[string]bool // znodes some of whose children were left out
}

// relist lists the children of a znode again.
func (l *childLists) relist(path string) {
	l.observer.requests.queue.mark(path, needStat)
	l.unlisted[path] = true
}

// list lists a znode's children if they are wanted, and may be listed.
func (l *childLists) list(path string, stat *zoo.Stat) {
	o := l.observer
	deep, n := o.tree.depth(path) >= MaxObservedDepth, o.tree.nodes[path]
	o.omissions.set(path, lacksDeep, deep && stat.NumChildren > 0)
	if !l.unlisted[path] && !l.unreported(n, stat) {
		return
	}
	delete(l.unlisted, path)
	large := int(stat.NumChildren) > o.limits.children
	o.omissions.set(path, lacksChildren, large)
	switch {
	case stat.EphemeralOwner != 0, deep, large, n.secret:
		o.initial.done(path)
	case stat.NumChildren == 0 && !o.oneShot:
		l.listed(path, n, stat, nil)
	default:
		o.requests.queue.mark(path, needNames)
	}
}

// unreported reports whether a znode that came during the observation, and so was never listed, has children that no
// watch reported: servers report none that the client may not read. If it has none, its count of them is known from
// now on, as after a list.
func (l *childLists) unreported(n *observed, stat *zoo.Stat) bool {
	if l.observer.oneShot || n.counted || stat.EphemeralOwner != 0 {
		return false
	}
	if int(stat.Cversion) != n.changes {
		return true
	}
	n.counted, n.cversion, n.changes = true, stat.Cversion, 0
	return false
}

// receive takes the answer to a request for a znode's children.
func (l *childLists) receive(path string, code zoo.Code, a *wire.Response) {
	o := l.observer
	n := o.tree.nodes[path]
	if code != zoo.OK {
		o.initial.done(path)
	}
	switch {
	case n == nil || !n.read: // it was given up meanwhile
	case code == zoo.OK:
		slices.Sort(a.Children)
		l.listed(path, n, &a.Stat, a.Children)
	case code == zoo.ErrNoNode:
		o.readAll(path)
	case code == zoo.ErrNoAuth:
		o.omissions.set(path, lacksData, true)
	default:
		o.omissions.note(event.Event{Reason: event.LeftUnread, Code: int32(code)})
	}
}

// listed compares a znode's children with those known.
func (l *childLists) listed(at string, n *observed, stat *zoo.Stat, names []string) {
	o := l.observer
	for _, name := range slices.Clone(n.children) {
		if _, still := slices.BinarySearch(names, name); !still {
			child := path.Join(at, name)
			if c := o.tree.nodes[child]; c != nil && !c.read {
				o.missed.settle(child, c.missedIfGone(), 0)
			}
			o.tree.remove(child, true)
		}
	}
	delete(l.skipped, at)
	left := o.omissions.byPath[at] & (lacksSome | lacksLong)
	o.omissions.set(at, lacksSome|lacksLong, false)
	came, bulk := 0, o.names.bulk(names)
	for _, name := range names {
		came += l.listedChild(at, path.Join(at, name), n, bulk)
	}
	o.initial.done(at)
	left |= o.omissions.byPath[at] & (lacksSome | lacksLong)
	o.missed.census(at, n, stat, came, left != 0)
	if len(o.tree.nodes) < o.limits.nodes*9/10 {
		for path := range l.skipped {
			l.relist(path)
		}
	}
}

// listedChild takes a child in a list, which may belong to a bulk. It returns how many have come unreported.
func (l *childLists) listedChild(at, child string, n *observed, bulk bool) int {
	o := l.observer
	switch {
	case o.tree.nodes[child] != nil:
		if l.unlisted[child] && o.initial.has(at) {
			o.initial.add(child)
		}
	case len(child) > MaxObservedPath:
		o.omissions.set(at, lacksLong, true)
	case len(o.tree.nodes) >= o.limits.room(bulk):
		l.skipped[at] = o.oneShot // otherwise its next change will show it
		if !o.oneShot {
			delete(l.skipped, at)
		}
		o.omissions.set(at, lacksSome, true)
	default:
		c := o.tree.put(child)
		o.tree.addChild(child)
		if o.initial.has(at) {
			o.initial.add(child)
		}
		if l.unlisted[child] = true; bulk {
			o.requests.queue.markLater(child, o.needs(child))
		} else {
			o.readAll(child)
		}
		if n.counted {
			c.expected = true
			return 1
		}
	}
	return 0
}
