package attacks

import (
	"context"
)

// unreadPages is how many pages stop to read.
const unreadPages = 200

func unreadRuns(ctx context.Context, w *World) error {
	from := sources()
	var t tally
	paced(ctx, w.n(unreadPages), 20, unreadPages, func(ctx context.Context, i int) {
		p, ok := w.open(ctx, from[i%len(from)], &t)
		if !ok {
			return
		}
		defer p.leave()
		p.send(ctx, "%s", w.longRun(9000+i%8))
		for range 2 { // what run it is, and the first of its events
			if _, _, err := p.c.Read(ctx); err != nil {
				t.add("cut off early")
				return
			}
		}
		t.add("that stopped to read")
		w.held(ctx)
	})
	w.note("pages: %s", &t)
	return nil
}
