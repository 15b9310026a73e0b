package room

import (
	"context"
	"time"
)

// startable creates the room's stop and returns the context that it ends.
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

// start runs f, which must return soon after ctx ends.
func (r *room) start(ctx context.Context, f func(context.Context)) {
	go func() {
		defer close(r.done)
		f(ctx)
	}()
}

// over reports whether what ran in the room has ended.
func (r *room) over() bool {
	select {
	case <-r.done: // nil, and so never ready, in a room where nothing runs
		return true
	default:
		return false
	}
}
