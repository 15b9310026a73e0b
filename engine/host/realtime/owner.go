package realtime

import (
	"sync"
	"time"
)

// Owner holds the goroutines and timers of a run or a process, which waits for them in the end. A lock guards it: After
// and Close are called with it, and Wait without.
type Owner struct {
	lock   sync.Locker
	all    sync.WaitGroup
	timers map[*time.Timer]struct{}
	closed bool
}

// NewOwner returns an Owner guarded by lock.
func NewOwner(lock sync.Locker) *Owner { return &Owner{lock: lock, timers: map[*time.Timer]struct{}{}} }

// Go runs f in a goroutine.
func (o *Owner) Go(f func()) { o.all.Go(f) }

// After calls f, with the lock held, once d has passed, unless the Owner is closed by then.
func (o *Owner) After(d time.Duration, f func()) {
	if o.closed {
		return
	}
	o.all.Add(1)
	var t *time.Timer
	t = time.AfterFunc(d, func() {
		defer o.all.Done()
		o.lock.Lock()
		defer o.lock.Unlock()
		delete(o.timers, t)
		if !o.closed {
			f()
		}
	})
	o.timers[t] = struct{}{}
}

// Close stops the timers.
func (o *Owner) Close() {
	o.closed = true
	for t := range o.timers {
		if t.Stop() {
			o.all.Done()
		}
	}
}

// Wait waits until all has ended.
func (o *Owner) Wait() { o.all.Wait() }
