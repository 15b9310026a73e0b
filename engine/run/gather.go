package run

import (
	"context"
	"errors"
	"slices"

	"github.com/zkviz/zkviz/engine/event"
)

// ErrTooLarge ends a run whose log takes more memory than its caller has for it.
var ErrTooLarge = errors.New("its log takes more memory than there is for it")

// piece is how many events are allocated at once while a log is gathered.
const piece = 4096

// gatherer is a Sink that keeps events, of at most so many bytes. It grows in pieces, so that nothing is copied
// meanwhile.
type gatherer struct {
	most   int    // bytes, 0 for any number
	stop   func() // called when they are used up
	size   int    // bytes
	count  int
	pieces [][]event.Event
}

// Append keeps e if there is memory for it, or stops the run.
func (g *gatherer) Append(e event.Event) {
	size := e.Size()
	if g.most > 0 && g.size+size > g.most {
		g.size = g.most // nothing fits any more
		g.stop()
		return
	}
	if g.count%piece == 0 {
		g.pieces = append(g.pieces, make([]event.Event, 0, piece))
	}
	last := len(g.pieces) - 1
	g.pieces[last] = append(g.pieces[last], e)
	g.size += size
	g.count++
}

// events returns what was kept, in memory that has just the right size, and forgets it.
func (g *gatherer) events() []event.Event {
	all := make([]event.Event, 0, g.count)
	for i, p := range g.pieces {
		all = append(all, p...)
		g.pieces[i] = nil
	}
	return slices.Clip(all)
}

// gather runs s into a sink that passes on to g what is to be kept, and stops it when g has used up its bytes.
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
