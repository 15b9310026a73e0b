package znode

import (
	"slices"

	"github.com/zkviz/zkviz/engine/zoo"
)

// Due is the deletions that the server's timer has to submit at the time now, in ms, sorted by path: of
// containers that have had children and have none left, and of childless znodes that were not set for longer
// than their TTL. Apply looks again, since much may happen before their turn comes.
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

// IsDue reports whether a deletion that Due has named is still due at the time now, in ms.
func (t *Tree) IsDue(x Txn, nowMS int64) bool {
	n := t.mortal[x.Path]
	return n != nil && n.due(nowMS)
}

// Mortals is how many znodes there are that Due may ever name.
func (t *Tree) Mortals() int { return len(t.mortal) }
