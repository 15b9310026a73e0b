package znode

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Due returns the deletions that the server's timer must submit at nowMS, in ms, sorted by path. It covers containers
// that have lost all their children, and childless znodes that were not set for longer than their TTL. Apply checks
// again, since much may happen before their turn.
func (t *Tree) Due(nowMS int64) []Txn {
	var due []string
	for path, n := range t.mortal {
		if n.due(nowMS) {
			due = append(due, path)
		}
	}
	slices.Sort(due)
	txns := make([]Txn, len(due))
	for i, path := range due {
		txns[i] = Txn{Kind: DeleteContainer, Path: path, Caller: Caller{Trusted: true}, TimeMS: nowMS}
	}
	return txns
}

func (n *node) due(nowMS int64) bool {
	switch {
	case n.kids.len() > 0:
		return false
	case n.mode == zoo.Container:
		return n.creates > 0
	}
	return nowMS-n.stat.Mtime > n.ttl
}

// IsDue reports whether a deletion from Due is still due at nowMS, in ms.
func (t *Tree) IsDue(x Txn, nowMS int64) bool {
	n := t.mortal[x.Path]
	return n != nil && n.due(nowMS)
}

// Mortals returns the number of znodes that Due may ever return.
func (t *Tree) Mortals() int { return len(t.mortal) }
