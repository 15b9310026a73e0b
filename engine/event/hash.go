package event

// HashSink is a Sink that hashes the log's binary form with FNV-1a (64 bits), to compare logs byte for
// byte without keeping them. Its zero value is ready to use.
type HashSink struct {
	// Count is the number of events so far.
	Count int

	sum uint64
	buf []byte
}

const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// Append hashes e.
func (h *HashSink) Append(e Event) {
	h.buf = AppendBinary(h.buf[:0], e)
	sum := h.Sum()
	for _, b := range h.buf {
		sum = (sum ^ uint64(b)) * fnvPrime
	}
	h.sum = sum
	h.Count++
}

// Sum is the hash of the events so far.
func (h *HashSink) Sum() uint64 {
	if h.Count == 0 {
		return fnvOffset
	}
	return h.sum
}

// Tee is a Sink that hands every event to each of its sinks, in order.
type Tee []Sink

// Append hands e on.
func (t Tee) Append(e Event) {
	for _, s := range t {
		s.Append(e)
	}
}
