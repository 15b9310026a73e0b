package event

import (
	"hash"
	"hash/fnv"
)

// HashSink hashes the log's binary form with FNV-1a (64 bits), to compare logs byte for byte without keeping them. Its
// zero value is ready to use.
type HashSink struct {
	// Count is the number of events so far.
	Count int

	sum hash.Hash64 // nil before the first event
	buf []byte
}

// Append hashes e.
func (h *HashSink) Append(e Event) {
	if h.sum == nil {
		h.sum = fnv.New64a()
	}
	h.buf = AppendBinary(h.buf[:0], e)
	_, _ = h.sum.Write(h.buf) // never fails
	h.Count++
}

// Sum returns the hash of the events so far.
func (h *HashSink) Sum() uint64 {
	if h.sum == nil {
		return fnv.New64a().Sum64()
	}
	return h.sum.Sum64()
}

// Tee is a Sink that passes every event to each of its sinks, in order.
type Tee []Sink

// Append passes e on.
func (t Tee) Append(e Event) {
	for _, s := range t {
		s.Append(e)
	}
}
