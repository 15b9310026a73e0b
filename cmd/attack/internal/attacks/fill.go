package attacks

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/zkviz/zkviz/cmd/attack/internal/client"
)

const (
	// fillers is how many pages fill-events opens at once.
	fillers = 36
	// observers is how many subtrees are looked at at once: twice as many as there may be.
	observers = 32
)

func fillEvents(ctx context.Context, w *World) error {
	w.fill(ctx, 1, fillers, func(n, i int) string { return w.longRun(1000*n + i + 1) })
	return nil
}

// fillWith has pages look at as many subtrees as they can, and leave in the middle of the time.
func fillWith(do string) func(context.Context, *World) error {
	return func(ctx context.Context, w *World) error {
		w.fill(ctx, 0.6, observers, func(n, i int) string {
			return fmt.Sprintf(`{"do":"%s","path":"%s-%d-%d"}`, do, Root, n, i)
		})
		w.held(ctx) // they have left: newcomers must find room at once
		return nil
	}
}

// fill opens pages that ask for something each, and read what comes.
func (w *World) fill(ctx context.Context, share float64, pages int, message func(n, i int) string) {
	twice(ctx, share, func(ctx context.Context, n int, from []client.From) {
		var refused atomic.Int64
		var t tally
		each(ctx, w.n(pages), func(ctx context.Context, i int) {
			p, ok := w.open(ctx, from[i%len(from)], &t)
			if !ok {
				return
			}
			defer p.leave()
			p.send(ctx, "%s", message(n, i))
			t.add("opened")
			inner, cancel := context.WithCancel(ctx)
			defer cancel()
			if w.Scale < 1 {
				time.AfterFunc(time.Second, cancel) // a rehearsal
			}
			refused.Add(int64(p.drain(inner)))
		})
		w.note("from %d addresses: %s, %d refused", len(from), &t, refused.Load())
	})
}
