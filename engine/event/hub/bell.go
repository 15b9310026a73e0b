package hub

import (
	"context"
	"sync"
	"time"
)

// beat is how long a reader lets events gather before it reads again. People don't notice it. It bounds the cost of
// a thousand readers to some thirty wakeups a second each, however many events there are.
const beat = 30 * time.Millisecond

// Bell wakes any number of waiters when something is new. It carries no data: a woken reader looks for itself, so a
// late one misses nothing. Its zero value is ready to use.
type Bell struct {
	mu sync.Mutex
	c  chan struct{} // nil until somebody waits
}

// Next returns a channel that the next Ring closes. Call it first, then look, then wait.
func (b *Bell) Next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.c == nil {
		b.c = make(chan struct{})
	}
	return b.c
}

// Ring wakes all waiters. It costs almost nothing without any.
func (b *Bell) Ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.c != nil {
		close(b.c)
		b.c = nil
	}
}

// Rest waits for a beat, or until ctx ends.
func Rest(ctx context.Context) { Pause(ctx, beat) }

// Pause waits for d. It reports false if ctx ended first.
func Pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
