package observe

import (
	"path"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/replay"
)

// report logs a znode that is new or has new data, and how much of it was missed.
func (o *observer) report(path string, n *observed, stat *zoo.Stat, data []byte) {
	first, old := !n.read, n.stat
	n.stat, n.read = *stat, true
	found := first && stat.Czxid <= o.since
	changed := stat.Mzxid != old.Mzxid
	var happened, logged int
	switch {
	case found:
		changed = stat.Mzxid > o.since && o.tallies[path] != tally{}
		if changed {
			happened, logged = 1, 1
		}
	case first:
		changed = false
		happened, logged = 1+int(stat.Version), 1
		o.born(path, n)
	case changed:
		happened, logged = int(stat.Version-old.Version), 1
	}
	o.settle(path, happened, logged)
	if first {
		o.show(path, stat, data, found)
		o.adopt(path)
	}
	if changed {
		o.emit(event.Event{Kind: event.ZnodeChanged, Path: valid(path), Text: event.Preview(data),
			N: int64(stat.DataLength), Zxid: stat.Mzxid})
	}
}

// show logs a znode that was not in the log: as found if it existed before the log began, else as created.
func (o *observer) show(path string, stat *zoo.Stat, data []byte, found bool) {
	who := o.own(stat.EphemeralOwner)
	o.nodes[path].who = who
	e := event.Event{Kind: event.ZnodeCreated, Path: valid(path), Text: event.Preview(data), N: int64(stat.DataLength),
		Zxid: stat.Czxid, Session: stat.EphemeralOwner, Peer: who.by(),
		Mode: uint8(replay.GuessMode(path, stat.EphemeralOwner != 0, o.made(path, found)))}
	if found {
		e.Kind, e.N, e.Code = event.ZnodeFound, stat.Ctime, stat.DataLength
		o.emit(e)
		return
	}
	o.emit(e)
	o.emit(event.Event{Kind: event.ZnodeFound, Path: e.Path, N: stat.Ctime})
}

// mostSince bounds the siblings that can have come since the parent was read.
const mostSince = 100_000

// made returns the greatest number of children that a znode's parent can have had, 0 if unknown. Its cversion
// counts those that came and those that went.
func (o *observer) made(at string, found bool) int64 {
	up := o.nodes[parent(at)]
	if up == nil || !up.read || at == o.path {
		return 0
	}
	n := (int64(up.stat.Cversion) + int64(up.stat.NumChildren)) / 2
	if !found {
		n += mostSince
	}
	return max(n, 0)
}

func valid(path string) string { return strings.ToValidUTF8(path, "\uFFFD") }

// list lists a znode's children if they are wanted, and may be listed.
func (o *observer) list(path string, stat *zoo.Stat) {
	deep, n := o.depth(path) >= MaxObservedDepth, o.nodes[path]
	o.setOmission(path, lacksDeep, deep && stat.NumChildren > 0)
	if !o.unlisted[path] && !o.unreported(n, stat) {
		return
	}
	delete(o.unlisted, path)
	large := int(stat.NumChildren) > o.most.children
	o.setOmission(path, lacksChildren, large)
	switch {
	case stat.EphemeralOwner != 0, deep, large, n.secret:
		o.initial.done(path)
	case stat.NumChildren == 0 && !o.oneShot:
		o.listed(path, n, stat, nil)
	default:
		o.look(path, needNames)
	}
}

// unreported reports whether a znode that came during the observation, and so was never listed, has children that no
// watch reported: servers report none that the client may not read. If it has none, its count of them is known from
// now on, as after a list.
func (o *observer) unreported(n *observed, stat *zoo.Stat) bool {
	if o.oneShot || n.counted || stat.EphemeralOwner != 0 {
		return false
	}
	if int(stat.Cversion) != n.changes {
		return true
	}
	n.counted, n.cversion, n.changes = true, stat.Cversion, 0
	return false
}

// names takes the answer to a request for a znode's children.
func (o *observer) names(path string, code zoo.Code, a *answer) {
	n := o.nodes[path]
	if code != zoo.OK {
		o.initial.done(path)
	}
	switch {
	case n == nil || !n.read: // it was given up meanwhile
	case code == zoo.OK:
		slices.Sort(a.Children)
		o.listed(path, n, &a.Stat, a.Children)
	case code == zoo.ErrNoNode:
		o.readAll(path)
	case code == zoo.ErrNoAuth:
		o.setOmission(path, lacksData, true)
	default:
		o.note(event.Event{Reason: event.LeftUnread, Code: int32(code)})
	}
}

// listed compares a znode's children with those known.
func (o *observer) listed(at string, n *observed, stat *zoo.Stat, names []string) {
	for _, name := range slices.Clone(n.children) {
		if _, still := slices.BinarySearch(names, name); !still {
			child := path.Join(at, name)
			if c := o.nodes[child]; c != nil && !c.read {
				o.settle(child, c.missedIfGone(), 0)
			}
			o.forget(child, true)
		}
	}
	delete(o.skipped, at)
	left := o.omissions[at] & (lacksSome | lacksLong)
	o.setOmission(at, lacksSome|lacksLong, false)
	came, crowd := 0, o.crowd(names)
	for _, name := range names {
		came += o.listedChild(at, path.Join(at, name), n, crowd)
	}
	o.initial.done(at)
	left |= o.omissions[at] & (lacksSome | lacksLong)
	o.census(at, n, stat, came, left != 0)
	if len(o.nodes) < o.most.nodes*9/10 {
		for path := range o.skipped {
			o.relist(path)
		}
	}
}

// listedChild takes a child in a list, which may belong to a crowd. It returns how many have come unreported.
func (o *observer) listedChild(at, child string, n *observed, crowd bool) int {
	switch {
	case o.nodes[child] != nil:
		if o.unlisted[child] && o.initial.has(at) {
			o.initial.add(child)
		}
	case len(child) > MaxObservedPath:
		o.setOmission(at, lacksLong, true)
	case len(o.nodes) >= o.room(crowd):
		o.skipped[at] = o.oneShot // otherwise its next change will show it
		if !o.oneShot {
			delete(o.skipped, at)
		}
		o.setOmission(at, lacksSome, true)
	default:
		c := o.put(child)
		o.adopt(child)
		if o.initial.has(at) {
			o.initial.add(child)
		}
		if o.unlisted[child] = true; crowd {
			o.looks.markLater(child, o.needs(child))
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

// adopt adds a znode to its parent's children.
func (o *observer) adopt(at string) {
	if n := o.nodes[parent(at)]; n != nil && at != o.path {
		if i, there := slices.BinarySearch(n.children, path.Base(at)); !there {
			n.children = slices.Insert(n.children, i, path.Base(at))
		}
	}
}

// forget logs the deletion of a znode and of everything below it. count says whether to count it as a change of the
// parent; a watch event has counted it already.
func (o *observer) forget(at string, count bool) {
	n := o.nodes[at]
	if n == nil {
		return
	}
	for _, name := range slices.Clone(n.children) {
		o.forget(path.Join(at, name), true)
	}
	delete(o.nodes, at)
	delete(o.skipped, at)
	delete(o.omissions, at)
	delete(o.unlisted, at)
	o.initial.done(at)
	if up := o.nodes[parent(at)]; up != nil && at != o.path {
		if i, there := slices.BinarySearch(up.children, path.Base(at)); there {
			up.children = slices.Delete(up.children, i, i+1)
		}
	}
	if n.read {
		if count {
			o.countChild(at)
		}
		o.deleted(at, n.who)
	}
}

// deleted logs that a znode has gone. Nobody knows whether somebody deleted it or its owner's session ended.
func (o *observer) deleted(at string, who *owner) {
	o.emit(event.Event{Kind: event.ZnodeDeleted, Path: valid(at), Reason: event.ByUnknown, Peer: who.by()})
	o.disown(who)
}
