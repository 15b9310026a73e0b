package view

import (
	"cmp"
	"slices"
)

// Commits holds, for each epoch in which something is known to be committed, the last transaction of it that is. What
// its leader proposed before it is committed too. What it proposed after it may be lost, however old it is. Nothing is
// known of epochs before the first one kept.
type Commits []int64

// mostEpochs limits Commits. Beyond it, the oldest epoch is forgotten.
const mostEpochs = 256

// of returns the place of a transaction's epoch, and whether something of that epoch is committed.
func (c Commits) of(z int64) (i int, there bool) {
	return slices.BinarySearchFunc(c, EpochOf(z), func(last, epoch int64) int { return cmp.Compare(EpochOf(last), epoch) })
}

// decide records that a transaction is committed.
func (m *Ensemble) decide(z int64) {
	c := m.Committed
	switch i, there := c.of(z); {
	case there:
		c[i] = max(c[i], z)
	case z <= 0 || i == 0 && len(c) > 0:
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

// Before returns how many transactions a server's log has before z, -1 if the events don't tell.
func (m *Ensemble) Before(s *Server, z int64) int {
	n, first := inEpoch(s.Logged, z), EpochOf(s.Logged)
	for _, last := range m.Committed {
		if EpochOf(last) < EpochOf(s.Logged) { // the log has what is committed, since it goes on after that
			n, first = n+inEpoch(last, z), min(first, EpochOf(last))
		}
	}
	if first > 1 {
		return -1
	}
	return n
}

// inEpoch returns how many transactions of an epoch, whose last one is given, come before z.
func inEpoch(last, z int64) int {
	switch {
	case EpochOf(last) > EpochOf(z):
		return 0
	case EpochOf(last) == EpochOf(z):
		last = min(last, z-1)
	}
	return int(uint32(last))
}

// EpochOf returns the epoch of a zxid.
func EpochOf(z int64) int64 { return z >> 32 }
