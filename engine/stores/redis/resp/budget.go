package resp

import "sync/atomic"

// Budget limits the bytes that the commands of several readers may take together while they are read and executed. The
// first freeBytes of a command don't count, so that short commands are always read.
type Budget struct{ left atomic.Int64 }

const freeBytes = 16 << 10

// NewBudget returns a budget of bytes.
func NewBudget(bytes int64) *Budget {
	b := &Budget{}
	b.left.Store(bytes)
	return b
}

// take takes n bytes, and reports whether there was room.
func (b *Budget) take(n int) bool {
	if b.left.Add(-int64(n)) >= 0 {
		return true
	}
	b.give(n)
	return false
}

func (b *Budget) give(n int) { b.left.Add(int64(n)) }

// Share makes the reader's commands count against a budget. Free, or reading the next command, gives back what the last
// one took.
func (r *Reader) Share(of *Budget) { r.of = of }

// Free gives back what the reader's last command took.
func (r *Reader) Free() {
	if r.of != nil && r.shared > 0 {
		r.of.give(r.shared)
	}
	r.read, r.shared = 0, 0
}

// share takes n more bytes for the current command.
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
