package live

import (
	"net"
	"sync"
	"time"
)

// owner holds a run's goroutines and timers, except those of the processes. The world's mu guards it.
type owner struct {
	all    sync.WaitGroup
	timers map[*time.Timer]struct{}
	links  []*link
	closed bool
}

// start runs f in a goroutine that the end of the run waits for.
func (w *world) start(f func()) { w.owner.all.Go(f) }

// after runs f under mu once d has passed, unless the run is over by then.
func (w *world) after(d time.Duration, f func()) {
	o := &w.owner
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
		w.locked(func() {
			delete(o.timers, t)
			if !o.closed {
				f()
			}
		})
	})
	o.timers[t] = struct{}{}
}

// finish stops the run's timers and connections and waits for its goroutines. It takes mu.
func (w *world) finish() {
	w.locked(func() {
		o := &w.owner
		o.closed = true
		for t := range o.timers {
			if t.Stop() {
				o.all.Done()
			}
		}
		for _, l := range o.links {
			l.timer.Stop()
			l.hangUp(net.ErrClosed)
		}
	})
	w.owner.all.Wait()
	returned := make(chan struct{})
	go func() { w.processes.Wait(); close(returned) }()
	select {
	case <-returned:
	case <-time.After(stopGrace): // they don't return and are left behind
	}
}
