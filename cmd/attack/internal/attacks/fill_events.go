package attacks

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/zkviz/zkviz/cmd/attack/internal/client"
)

// fillers is how many pages fill-events opens at once.
const fillers = 36

func fillEvents(ctx context.Context, w *World) error {
	for n, from := range [][]client.From{{loner()}, sources()} {
		early, cancel := part(ctx, 0.5*float64(n+1)) // half of the time each
		var refused atomic.Int64
		var t tally
		each(early, w.n(fillers), func(ctx context.Context, i int) {
			p, ok := w.open(ctx, from[i%len(from)], &t)
			if !ok {
				return
			}
			defer p.leave()
			p.send(ctx, `{"do":"open","recipe":"%s","clients":%d,"seed":%d}`, biggest, max(3, w.n(runClients)), 1000*n+i+1)
			t.add("opened")
			inner, cancel := context.WithCancel(ctx)
			defer cancel()
			if w.Scale < 1 {
				time.AfterFunc(time.Second, cancel) // a rehearsal
			}
			refused.Add(int64(p.drain(inner)))
		})
		cancel()
		w.note("from %d addresses: %s, %d refused", len(from), &t, refused.Load())
	}
	return nil
}
