package attacks

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// biggest is the recipe whose logs are the longest.
const biggest = "children-lock"

// The sizes of forks.
const (
	forkers    = 24
	forksEach  = 58
	forkEvery  = 100 * time.Millisecond // within a page's allowance of messages
	runClients = 1000
)

// longRun is the message that opens the longest run, one for each seed.
func (w *World) longRun(seed int) string {
	return fmt.Sprintf(`{"do":"open","query":"recipe=%s&clients=%d&seed=%d"}`, biggest, max(3, w.n(runClients)), seed)
}

func forks(ctx context.Context, w *World) error {
	from := sources()
	var refused, sent atomic.Int64
	var t tally
	each(ctx, w.n(forkers), func(ctx context.Context, i int) {
		p, ok := w.open(ctx, from[i%len(from)], &t)
		if !ok {
			return
		}
		defer p.leave()
		if !p.send(ctx, "%s", w.longRun(i+1)) {
			t.add("cut off")
			return
		}
		inner, cancel := context.WithCancel(ctx)
		defer cancel()
		answers := make(chan int, 1)
		go func() { answers <- p.drain(inner) }()
		for n := range w.n(forksEach) {
			if !sleep(ctx, forkEvery) || !p.send(ctx, `{"do":"fault","branch":0,"fault":"pause client-%d at %dms for 1s"}`,
				1+n%3, 1+n) {
				break
			}
			sent.Add(1)
		}
		t.add("that did its faults")
		w.held(ctx)
		cancel()
		refused.Add(int64(<-answers))
	})
	w.note("pages: %s; %d faults sent, %d messages refused", &t, sent.Load(), refused.Load())
	return nil
}
