package sessions

import (
	"context"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Beside is a Sink in front of a log's sink. It merges the servers' reports about sessions into the log while
// somebody observes.
type Beside struct {
	sink   event.Sink
	asks   *Poller // nil if no server is asked
	teller *Teller
	inner  func(path string) (string, bool)

	ctx    context.Context
	cancel context.CancelFunc
	tells  sync.WaitGroup
}

// Beside returns a Beside for a log from its start. inner converts a servers' path to the log's, or returns false
// for one outside the log. The poller may be nil: then nothing is merged. End it.
func (p *Poller) Beside(ctx context.Context, sink event.Sink, inner func(path string) (string, bool)) *Beside {
	b := &Beside{sink: sink, asks: p, teller: NewTeller(), inner: inner}
	b.ctx, b.cancel = context.WithCancel(ctx)
	return b
}

// Append handles the log's next event.
func (b *Beside) Append(e event.Event) {
	b.sink.Append(e)
	if b.asks != nil {
		b.teller.Append(e)
	}
}

// Begin starts polling and merges the answers until End.
func (b *Beside) Begin(say func(session int64, e event.Event)) {
	if b.asks == nil {
		return
	}
	b.tells.Go(func() { b.reports(say) })
	b.tells.Go(func() { b.watches(say, time.Now()) })
}

// End waits until nothing more is merged.
func (b *Beside) End() {
	b.cancel()
	b.tells.Wait()
}

func (b *Beside) reports(say Say) {
	for number := 0; ; {
		r, err := b.asks.Next(b.ctx, number)
		if err != nil {
			return
		}
		number = r.Number
		b.teller.Report(r, say)
	}
}

// watches reports watches whenever servers are asked about them, but not answers from before the log began.
func (b *Beside) watches(say Say, from time.Time) {
	for {
		w, asking, news := b.asks.LatestWatches()
		switch {
		case asking:
			b.teller.Asking()
		case w.At.After(from):
			from = w.At
			b.teller.Watches(w, b.inner, say)
		}
		for waits := true; waits; {
			select {
			case <-b.ctx.Done():
				return
			case <-news:
				waits = false
			case <-b.teller.Spent():
				b.teller.Flush(say)
			}
		}
	}
}
