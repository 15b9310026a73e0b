package znode

import "iter"

// owned is what one session owns, in the order it was made. A znode knows its place there, so that it can be struck
// out without a search: a session may own hundreds of thousands.
type owned struct {
	list  []belonging
	gone  int // places that are empty
	bytes int // of all paths
}

// belonging is one ephemeral znode; its path is empty if it is gone.
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

// Owned is how many ephemeral znodes a session owns.
func (t *Tree) Owned(session int64) int { return t.owned[session].len() }

// own puts an ephemeral znode at the end of its owner's list.
func (t *Tree) own(path string, n *node) {
	o := t.owned[n.stat.EphemeralOwner]
	n.place = int32(len(o.list))
	o.list = append(o.list, belonging{path, n})
	o.bytes += len(path)
	t.owned[n.stat.EphemeralOwner] = o
}

// disown leaves the znode's place in its owner's list empty. tidy is to follow, once nothing will be undone.
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

// sparse is how many empty places a list may have, and a full one for each beyond.
const sparse = 32

// tidy takes the empty places out of a session's list once they are many.
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
