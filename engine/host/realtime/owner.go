package realtime

import (
	"sync"
	"time"
)

// Owner holds the goroutines and timers of a run or a process, which waits for them in the end. Its zero value is ready
// for use.
type Owner struct {
	all    sync.WaitGroup
	mu     sync.Mutex
	timers map[*time.Timer]struct{}
	closed bool
}

// Go runs f in a goroutine.
func (o *Owner) Go(f func()) { o.all.Go(f) }

// After calls f once d has passed, unless the Owner is closed by then.
func (o *Owner) After(d time.Duration, f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	if o.timers == nil {
		o.timers = map[*time.Timer]struct{}{}
	}
	o.all.Add(1)
	var t *time.Timer
	t = time.AfterFunc(d, func() {
		defer o.all.Done()
		o.mu.Lock()
		delete(o.timers, t)
		due := !o.closed
		o.mu.Unlock()
		if due {
			f()
		}
	})
	o.timers[t] = struct{}{}
}

// Close stops the timers.
func (o *Owner) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	for t := range o.timers {
		if t.Stop() {
			o.all.Done()
		}
	}
}

// Wait waits until all has ended.
func (o *Owner) Wait() { o.all.Wait() }
