package sessions

import (
	"context"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Beside is a Sink before that of a log: it has the log say what servers tell of its sessions, for as long as somebody
// observes into it.
type Beside struct {
	sink   event.Sink
	asks   *Poller // nil if nobody is asked
	teller *Teller
	inner  func(path string) (string, bool)

	ctx    context.Context
	cancel context.CancelFunc
	tells  sync.WaitGroup
}

// Beside is that of a log that begins. Of a path of the servers, inner is that of the log; it reports false for one
// that the log is not about. The poller may be nil; then nothing is told. End it.
func (p *Poller) Beside(ctx context.Context, sink event.Sink, inner func(path string) (string, bool)) *Beside {
	b := &Beside{sink: sink, asks: p, teller: NewTeller(), inner: inner}
	b.ctx, b.cancel = context.WithCancel(ctx)
	return b
}

// Append takes the log's next event.
func (b *Beside) Append(e event.Event) {
	b.sink.Append(e)
	if b.asks != nil {
		b.teller.Append(e)
	}
}

// Begin has servers asked, and what they say told, until End.
func (b *Beside) Begin(say func(session int64, e event.Event)) {
	if b.asks == nil {
		return
	}
	b.tells.Go(func() { b.reports(say) })
	b.tells.Go(func() { b.watches(say, time.Now()) })
}

// End waits until nothing more is told.
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

// watches tells of watches once servers have been asked of them: not of what they said before the log began.
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
