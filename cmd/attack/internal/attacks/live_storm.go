package attacks

import (
	"context"
)

// The sizes of live-storm.
const (
	liveASecond = 50
	liveInAll   = 1000
)

func liveStorm(ctx context.Context, w *World) error {
	asking, done := browsers(sources())
	defer done()
	var t tally
	paced(ctx, w.n(liveInAll), liveASecond, 32, func(ctx context.Context, i int) {
		t.add(w.get(ctx, asking[i%len(asking)], w.Pages+"/live", nil))
	})
	w.note("%s", &t)
	w.hints(&t)
	return nil
}
