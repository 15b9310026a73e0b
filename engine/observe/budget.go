package observe

import (
	"sync"
	"time"
)

// Limits on the reading of all observations that share a Budget.
const (
	readsPerSecond = 500
	bytesPerSecond = 4 << 20
	burst          = 4 * time.Second // of saved-up reading
)

// Budget limits what all that share it may ask of a ZooKeeper together. Its zero value is ready to use.
type Budget struct {
	mu   sync.Mutex
	paid time.Time // until when past reading is paid for
	all  uint64    // reads
}

// Reads returns how much has been read.
func (b *Budget) Reads() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all
}

// pay returns when that much reading is paid for, and the next may begin. Unused time may be used at once, so that
// the first look at a tree is quick.
func (b *Budget) pay(reads, bytes int) time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all += uint64(reads)
	if earliest := time.Now().Add(-burst); b.paid.Before(earliest) {
		b.paid = earliest
	}
	b.paid = b.paid.Add(max(time.Duration(reads)*time.Second/readsPerSecond,
		time.Duration(bytes)*time.Second/bytesPerSecond))
	return b.paid
}
