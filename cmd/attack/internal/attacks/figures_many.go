package attacks

import (
	"context"
	"fmt"
)

// The sizes of many-figures.
const (
	smallFigures    = 3000
	figuresASecond  = 150
	smallestFigures = 3 // clients
)

func manyFigures(ctx context.Context, w *World) error {
	all := names()
	asking, done := browsers(sources())
	defer done()
	var t tally
	paced(ctx, w.n(smallFigures), figuresASecond, 32, func(ctx context.Context, i int) {
		url := fmt.Sprintf("%s/api/figures?recipe=%s&clients=%d", w.Pages, all[i%len(all)], smallestFigures+i/len(all))
		t.add(w.get(ctx, asking[i%len(asking)], url, nil))
	})
	w.note("%s", &t)
	w.hints(&t)
	return nil
}
