package hub

import (
	"context"
	"sync"
	"time"
)

// beat is how long a reader lets events gather before it reads again. A person does not see it, and it
// bounds what a thousand readers cost: at most some thirty wakeups a second each, however many events there are.
const beat = 30 * time.Millisecond

// Bell tells any number of waiters that something is new. It carries nothing: a reader that is woken looks for
// itself, so that one that comes late misses nothing. Its zero value is ready to use.
type Bell struct {
	mu sync.Mutex
	c  chan struct{} // nil while nobody has asked
}

// Next is closed at the next Ring after the call: ask first, then look, then wait.
func (b *Bell) Next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.c == nil {
		b.c = make(chan struct{})
	}
	return b.c
}

// Ring wakes everybody who waits. It costs next to nothing when nobody does.
func (b *Bell) Ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.c != nil {
		close(b.c)
		b.c = nil
	}
}

// Rest lets a beat pass, less if ctx ends.
func Rest(ctx context.Context) { Pause(ctx, beat) }

// Pause lets d pass. It reports false if ctx ended first.
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
