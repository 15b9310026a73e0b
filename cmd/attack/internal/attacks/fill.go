package attacks

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/zkviz/zkviz/cmd/attack/internal/client"
)

// observers is how many subtrees are looked at at once: twice as many as there may be.
const observers = 32

// fillWith has pages look at as many subtrees as they can, and leave in the middle of the time.
func fillWith(do string) func(context.Context, *World) error {
	return func(ctx context.Context, w *World) error {
		for n, from := range [][]client.From{{loner()}, sources()} {
			early, cancel := part(ctx, 0.3*float64(n+1))
			var refused atomic.Int64
			var t tally
			each(early, w.n(observers), func(ctx context.Context, i int) {
				p, ok := w.open(ctx, from[i%len(from)], &t)
				if !ok {
					return
				}
				defer p.leave()
				p.send(ctx, `{"do":"%s","path":"%s-%d-%d"}`, do, Root, n, i)
				t.add("opened")
				inner, cancel := context.WithCancel(ctx)
				defer cancel()
				if w.Scale < 1 {
					time.AfterFunc(time.Second, cancel)
				}
				refused.Add(int64(p.drain(inner)))
			})
			cancel()
			w.note("from %d addresses: %s, %d refused", len(from), &t, refused.Load())
		}
		w.held(ctx) // they have left: newcomers must find room at once
		return nil
	}
}
