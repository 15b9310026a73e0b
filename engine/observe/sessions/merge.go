package sessions

import (
	"context"
	"iter"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Source is an event.Source to whose log others may add. When the log begins it calls begun, unless that is nil, with
// the function that does so.
type Source func(ctx context.Context, sink event.Sink, begun func(Say)) error

// Merged returns source with the servers' reports about sessions merged into its log, which covers the znode root and
// has the servers' paths. If the source goes on with a log, after has the events so far; else it is nil. The poller may
// be nil: then nothing is merged.
func (p *Poller) Merged(root string, after iter.Seq[event.Event], source Source) event.Source {
	return func(ctx context.Context, sink event.Sink) error {
		if p == nil {
			return source(ctx, sink, nil)
		}
		teller := NewReporter(root)
		if after != nil {
			teller.Recall(after)
		}
		asking, stop := context.WithCancel(ctx)
		var tells sync.WaitGroup
		defer tells.Wait()
		defer stop()
		return source(ctx, event.Tee{sink, teller}, func(say Say) {
			tells.Go(func() { p.reports(asking, teller, say) })
			tells.Go(func() { p.tellWatches(asking, teller, say, time.Now()) })
		})
	}
}

// reports asks the servers about sessions until ctx ends.
func (p *Poller) reports(ctx context.Context, t *Reporter, say Say) {
	for number := 0; ; {
		r, err := p.Next(ctx, number)
		if err != nil {
			return
		}
		number = r.Number
		t.Report(r, say)
	}
}

// tellWatches reports watches whenever servers are asked about them, but not answers from before the log began.
func (p *Poller) tellWatches(ctx context.Context, t *Reporter, say Say, from time.Time) {
	for {
		w, asking, news := p.LatestWatches()
		switch {
		case asking:
			t.BeginWatchPoll()
		case w.At.After(from):
			from = w.At
			t.Watches(w, say)
		}
		for waits := true; waits; {
			select {
			case <-ctx.Done():
				return
			case <-news:
				waits = false
			case <-t.Consumed():
				t.Flush(say)
			}
		}
	}
}
