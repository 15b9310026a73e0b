package resp

import "sync/atomic"

// Budget is how many bytes the commands of several readers may take together while they are read and carried out. What
// one command takes up to freeBytes is not counted, so that short ones are always read.
type Budget struct{ left atomic.Int64 }

const freeBytes = 16 << 10

// NewBudget has so many bytes.
func NewBudget(bytes int64) *Budget {
	b := &Budget{}
	b.left.Store(bytes)
	return b
}

// take reports whether there was room.
func (b *Budget) take(n int) bool {
	if b.left.Add(-int64(n)) >= 0 {
		return true
	}
	b.give(n)
	return false
}

func (b *Budget) give(n int) { b.left.Add(int64(n)) }

// Share has the reader's commands be a part of what several may take. Free gives back what its last one has taken, and
// so does reading the next.
func (r *Reader) Share(of *Budget) { r.of = of }

// Free is the end of the reader's last command.
func (r *Reader) Free() {
	if r.of != nil && r.shared > 0 {
		r.of.give(r.shared)
	}
	r.read, r.shared = 0, 0
}

// share takes n bytes more for the command that is read.
func (r *Reader) share(n int) bool {
	if r.of == nil {
		return true
	}
	r.read += n
	more := max(r.read-freeBytes, 0) - r.shared
	if !r.of.take(more) {
		return false
	}
	r.shared += more
	return true
}
