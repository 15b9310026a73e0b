package attacks

import (
	"context"

	"github.com/zkviz/zkviz/cmd/attack/internal/client"
)

// The sizes of sockets.
const (
	manySockets    = 2000
	socketsASecond = 400
)

func sockets(ctx context.Context, w *World) error {
	twice(ctx, 1, func(ctx context.Context, _ int, from []client.From) {
		var t tally
		pages := make(chan *page, manySockets)
		paced(ctx, w.n(manySockets), socketsASecond, 32, func(ctx context.Context, i int) {
			if p, ok := w.open(ctx, from[i%len(from)], &t); ok {
				t.add("open")
				pages <- p
			}
		})
		w.held(ctx)
		close(pages)
		for p := range pages {
			p.leave()
		}
		w.note("from %d addresses: %s", len(from), &t)
		w.hints(&t)
	})
	return nil
}
