package attacks

import (
	"context"
	"time"

	"github.com/zkviz/zkviz/cmd/attack/internal/target"
)

// The sizes of askers-leave.
const (
	askers        = 300
	askersASecond = 30
	askerWaits    = 30 * time.Millisecond
	// processors that the server may be using, with the class at work, when all askers have left
	restless   = 0.8
	restWithin = 5 * time.Second // of the last one's leaving
)

func askersLeave(ctx context.Context, w *World) error {
	from := sources()
	asking, done := browsers(from)
	defer done()
	early, cancel := part(ctx, 0.6)
	defer cancel()
	var t tally
	paced(early, w.n(askers), askersASecond, 32, func(ctx context.Context, i int) {
		if i%2 == 0 {
			ctx, cancel := context.WithTimeout(ctx, askerWaits)
			defer cancel()
			t.add(w.get(ctx, asking[i%len(asking)], w.Pages+figures(i, 900-i), nil))
			return
		}
		if p, ok := w.open(ctx, from[i%len(from)], &t); ok {
			p.send(ctx, "%s", w.longRun(5000+i))
			sleep(ctx, askerWaits)
			p.leave()
			t.add("page that left")
		}
	})
	w.note("%s", &t)
	return w.calm(ctx)
}

// calm reports it if the server goes on computing.
func (w *World) calm(ctx context.Context) error {
	if w.PID == 0 || w.Scale < 1 {
		return nil
	}
	const look = time.Second
	share := 0.0
	for end := time.Now().Add(restWithin); time.Now().Before(end); {
		before := target.TicksOf(w.PID)
		if !sleep(ctx, look) {
			return nil
		}
		share = float64(target.TicksOf(w.PID).Ours-before.Ours) / 100 / look.Seconds()
		if share < restless {
			w.note("after the last had left the server came to rest at %.0f %% of a processor", 100*share)
			return nil
		}
	}
	w.broken("%v after the last asker had left the server still used %.0f %% of a processor", restWithin, 100*share)
	return nil
}
