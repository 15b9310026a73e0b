package znode

import "iter"

// owned lists the znodes that one session owns, in order of creation. Each znode knows its index, so that it can be
// removed without a search: a session may own hundreds of thousands.
type owned struct {
	list  []belonging
	gone  int // empty entries
	bytes int // total length of the paths
}

// belonging is an ephemeral znode, or an empty entry.
type belonging struct {
	path string
	n    *node
}

func (o owned) len() int { return len(o.list) - o.gone }

func (o owned) all() iter.Seq2[string, *node] {
	return func(yield func(string, *node) bool) {
		for _, b := range o.list {
			if b.n != nil && !yield(b.path, b.n) {
				return
			}
		}
	}
}

// Owned returns the number of ephemeral znodes that a session owns.
func (t *Tree) Owned(session int64) int { return t.owned[session].len() }

// own appends an ephemeral znode to its owner's list.
func (t *Tree) own(path string, n *node) {
	o := t.owned[n.stat.EphemeralOwner]
	n.place = int32(len(o.list))
	o.list = append(o.list, belonging{path, n})
	o.bytes += len(path)
	t.owned[n.stat.EphemeralOwner] = o
}

// disown empties the znode's entry in its owner's list. Call tidy once nothing can be undone.
func (t *Tree) disown(path string, n *node) {
	o := t.owned[n.stat.EphemeralOwner]
	o.list[n.place] = belonging{}
	o.gone++
	o.bytes -= len(path)
	t.owned[n.stat.EphemeralOwner] = o
}

// reown undoes disown.
func (t *Tree) reown(path string, n *node) {
	o := t.owned[n.stat.EphemeralOwner]
	o.list[n.place] = belonging{path, n}
	o.gone--
	o.bytes += len(path)
	t.owned[n.stat.EphemeralOwner] = o
}

// sparse is the number of empty entries that a list may have in addition to one for each full entry.
const sparse = 32

// tidy removes the empty entries from a session's list once there are many.
func (t *Tree) tidy(session int64) {
	o := t.owned[session]
	switch {
	case o.len() == 0:
		delete(t.owned, session)
		return
	case o.gone <= sparse+o.len():
		return
	}
	list := make([]belonging, 0, o.len())
	for path, n := range o.all() {
		n.place = int32(len(list))
		list = append(list, belonging{path, n})
	}
	t.owned[session] = owned{list: list, bytes: o.bytes}
}
