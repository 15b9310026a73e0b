package room

import (
	"context"
	"time"
)

// startable makes the room's stop, and returns the context that it ends.
func (r *room) startable() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	r.done = make(chan struct{})
	r.stop = func() {
		cancel()
		select {
		case <-r.done:
		case <-time.After(CloseTimeout):
		}
	}
	return ctx
}

// start lets f run until it returns; it does soon after ctx ended.
func (r *room) start(ctx context.Context, f func(context.Context)) {
	go func() {
		defer close(r.done)
		f(ctx)
	}()
}

// over reports whether what ran in the room has ended.
func (r *room) over() bool {
	select {
	case <-r.done: // nil, and so never, in a room where nothing runs
		return true
	default:
		return false
	}
}
