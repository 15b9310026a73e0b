package view

import "slices"

// Tail is the end of a server's log: its last transactions, and the base below them. It is small, so that a State
// can copy it.
type Tail struct {
	Base int64 // the last transaction in the snapshot that the log begins with, 0 if the log begins at the start
	last [tailed]int64
	n    int8
}

// tailed is how many transactions a Tail keeps.
const tailed = 12

// TailOf returns the end of a log that begins with a snapshot up to base, 0 for none.
func TailOf(base int64, zxids ...int64) Tail {
	t := Tail{Base: base}
	for _, z := range zxids {
		t.add(z)
	}
	return t
}

// Len returns the number of transactions kept.
func (t *Tail) Len() int { return int(t.n) }

// At returns the i-th transaction kept.
func (t *Tail) At(i int) int64 { return t.last[i] }

func (t *Tail) add(z int64) { push(t.last[:], &t.n, z) }

// push appends to a list of which the first n elements are in use. If all are, it drops the first.
func push[T any](list []T, n *int8, x T) {
	if int(*n) == len(list) {
		copy(list, list[1:])
		*n--
	}
	list[*n] = x
	*n++
}

// Last returns the last transaction, 0 if none is kept.
func (t *Tail) Last() int64 {
	if t.n == 0 {
		return 0
	}
	return t.last[t.n-1]
}

// Has reports whether a transaction is among those kept.
func (t *Tail) Has(z int64) bool { return t.index(z) >= 0 }

func (t *Tail) index(z int64) int { return slices.Index(t.last[:t.n], z) }

// cut removes the transactions after z, and returns them.
func (t *Tail) cut(z int64) (gone Tail) {
	kept := t.n
	for kept > 0 && t.last[kept-1] > z {
		kept--
	}
	for i := kept; i < t.n; i++ {
		gone.add(t.last[i])
		t.last[i] = 0
	}
	t.n = kept
	return gone
}
