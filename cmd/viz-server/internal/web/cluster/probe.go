package cluster

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/room"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
)

// prober checks whether the cluster can be reached. All who ask share one check, whose result is valid for a while.
type prober struct {
	check func(context.Context) error
	ttl   time.Duration

	mu   sync.Mutex
	last *probe // the latest, nil before the first
}

// probe is one check.
type probe struct {
	done chan struct{} // closed when err and at are set
	err  error
	at   time.Time
}

const (
	// probeTimeout limits how long a page waits for the cluster's reachability.
	probeTimeout = time.Second
	// readyTimeout limits how long the server waits for it when a supervisor asks.
	readyTimeout = 200 * time.Millisecond
)

// probeTTL is how long a result is valid.
const probeTTL = 2 * time.Second

func newProber(by access.Dialer, servers []string) *prober {
	return &prober{ttl: probeTTL, check: func(ctx context.Context) error { return Reach(ctx, by, servers) }}
}

// reach returns the reason why the cluster is out of reach, nil if it isn't. Its caller may leave before that is known.
func (p *prober) reach(ctx context.Context) error {
	b, mine := p.newest()
	if mine {
		// Others share this check, even if this client leaves.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTimeout)
		defer cancel()
		b.err = p.check(ctx)
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
			if time.Since(b.at) < p.ttl {
				return b, false
			}
		default:
			return b, false
		}
	}
	p.last = &probe{done: make(chan struct{})}
	return p.last, true
}

// state reports whether the cluster can be reached, if that is known within readyWithin.
func (p *prober) state(ctx context.Context) string {
	known := make(chan error, 1)
	go func() { known <- p.reach(context.WithoutCancel(ctx)) }() // ends within lookTimeout
	soon := time.NewTimer(readyTimeout)
	defer soon.Stop()
	select {
	case err := <-known:
		if err != nil {
			return "unreachable"
		}
		return "reachable"
	case <-soon.C:
		return "not known yet"
	}
}

// Reach returns nil if one of the servers serves, otherwise the reason for each.
func Reach(ctx context.Context, by access.Dialer, servers []string) error {
	var all []error
	for _, addr := range servers {
		err := reachOne(ctx, by, addr)
		if err == nil {
			return nil
		}
		var op *net.OpError
		if errors.As(err, &op) && op.Err != nil {
			err = op.Err
		}
		all = append(all, sentence.Wrap(err, "failed.reach", sentence.Text(addr)))
	}
	return errors.Join(all...)
}

func reachOne(ctx context.Context, by access.Dialer, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, room.RetryEvery)
	defer cancel()
	return by.Reach(ctx, addr)
}
