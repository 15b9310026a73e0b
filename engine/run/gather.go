package run

import (
	"context"
	"errors"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/packed"
)

// ErrTooLarge ends a run whose log takes more memory than its caller allows.
var ErrTooLarge = errors.New("its log needs more memory than is allowed")

// gatherer is a Sink that keeps events in a bounded number of bytes.
type gatherer struct {
	most int    // bytes, 0 for no limit
	stop func() // called when they are used up
	full bool   // they are used up
	log  packed.Builder
	end  time.Duration // time of the last event
}

// Append keeps e if there is memory for it, or stops the run.
func (g *gatherer) Append(e event.Event) {
	if g.full {
		return
	}
	g.log.Append(e)
	g.end = e.At
	if g.most > 0 && g.log.Size() > g.most {
		g.full = true // nothing fits any more
		g.stop()
	}
}

// gather runs s into a sink that passes what should be kept on to g. It stops the run when g has used up its bytes.
func (g *gatherer) gather(ctx context.Context, s Scenario, sink event.Sink) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	g.stop = func() { cancel(ErrTooLarge) }
	err := Sim(ctx, s, sink)
	if cause := context.Cause(ctx); errors.Is(cause, ErrTooLarge) {
		return cause
	}
	return err
}
