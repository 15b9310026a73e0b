package view

import (
	"cmp"
	"slices"
)

// Commits holds, for each epoch in which something is known to be committed, the last transaction of it that is. What
// its leader proposed before it is committed too. What it proposed after it may be lost, however old it is.
type Commits []int64

// mostEpochs limits Commits. Beyond it, the oldest epoch is forgotten: nobody knows then what was committed in it.
const mostEpochs = 256

// of returns the place of a transaction's epoch, and whether something of that epoch is committed.
func (c Commits) of(z int64) (i int, there bool) {
	return slices.BinarySearchFunc(c, z>>32, func(last, epoch int64) int { return cmp.Compare(last>>32, epoch) })
}

// decide records that a transaction is committed.
func (m *Ensemble) decide(z int64) {
	c := m.Committed
	switch i, there := c.of(z); {
	case there:
		c[i] = max(c[i], z)
	case z <= 0 || i == 0 && len(c) == mostEpochs:
	default:
		if len(c) == mostEpochs {
			c, i = slices.Delete(c, 0, 1), i-1
		}
		m.Committed = slices.Insert(c, i, z)
	}
}

// decideAll records that everything in a log up to z is committed.
func (m *Ensemble) decideAll(t *Tail, z int64) {
	m.decide(t.Base)
	for i := range t.Len() {
		if t.At(i) <= z {
			m.decide(t.At(i))
		}
	}
}

// InDoubt reports whether a transaction isn't known to be committed: it may still be, or it is lost.
func (m *Ensemble) InDoubt(z int64) bool {
	i, there := m.Committed.of(z)
	return !there || z > m.Committed[i]
}
