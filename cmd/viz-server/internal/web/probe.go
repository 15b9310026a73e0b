package web

import (
	"context"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
)

// prober checks whether the cluster can be reached. All who ask share one check, whose result is valid for a while.
type prober struct {
	look  func(context.Context) error
	fresh time.Duration

	mu   sync.Mutex
	last *probe // the latest, nil before the first
}

// probe is one check.
type probe struct {
	done chan struct{} // closed when err and at are set
	err  error
	at   time.Time
}

// probeFresh is how long a result is valid.
const probeFresh = 2 * time.Second

func newProber(by access.Dialer, servers []string) *prober {
	return &prober{fresh: probeFresh, look: func(ctx context.Context) error { return reach(ctx, by, servers) }}
}

// reach returns the reason why the cluster is out of reach, nil if it isn't. Its caller may leave before that is known.
func (p *prober) reach(ctx context.Context) error {
	b, mine := p.newest()
	if mine {
		// Others share this check, even if this client leaves.
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

// newest returns the check that is in progress or valid. Otherwise it returns a new one, which the caller must perform.
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

// away explains why the cluster is out of reach now; empty if it isn't or if there is none.
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
