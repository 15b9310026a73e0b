package web

import (
	"context"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
)

// prober finds out whether the cluster can be reached, however many want to know: one looks for all, and what was
// found is good for a while.
type prober struct {
	look  func(context.Context) error
	fresh time.Duration

	mu   sync.Mutex
	last *probe // the newest one, nil before the first
}

// probe is one look at the cluster.
type probe struct {
	done chan struct{} // closed when err and at are there
	err  error
	at   time.Time
}

// probeFresh is for how long it is not looked again.
const probeFresh = 2 * time.Second

func newProber(by access.Dialer, servers []string) *prober {
	return &prober{fresh: probeFresh, look: func(ctx context.Context) error { return reach(ctx, by, servers) }}
}

// reach is why the cluster cannot be reached, nil if it can. Its caller may leave before it is known.
func (p *prober) reach(ctx context.Context) error {
	b, mine := p.newest()
	if mine {
		// Others wait for this look, too, whether this asker stays or leaves.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTimeout)
		defer cancel()
		b.err = p.look(ctx)
		b.at = time.Now()
		close(b.done)
	}
	select {
	case <-b.done:
		return b.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// newest is the look that is going on or fresh. If there is none, it is a new one that is the caller's to do.
func (p *prober) newest() (b *probe, mine bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if b = p.last; b != nil {
		select {
		case <-b.done:
			if time.Since(b.at) < p.fresh {
				return b, false
			}
		default:
			return b, false
		}
	}
	p.last = &probe{done: make(chan struct{})}
	return p.last, true
}

// away says why the cluster cannot be reached now, and nothing if it can or if there is none.
func (s *site) away(ctx context.Context, name string) (why sentence.Sentence) {
	by := s.prober
	if name != "" {
		by = s.probers[name]
	} else if s.servers == "" {
		return why
	}
	if err := by.reach(ctx); err != nil {
		return sentence.From(err)
	}
	return why
}
