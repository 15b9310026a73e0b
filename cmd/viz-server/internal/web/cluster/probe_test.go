package cluster

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/zookeeper/access"
)

// TestOneLooksForAll checks that simultaneous and closely following requests share one look at the cluster.
func TestOneLooksForAll(t *testing.T) {
	var looks atomic.Int32
	looking, answer := make(chan struct{}), make(chan error)
	p := &prober{ttl: time.Hour, check: func(context.Context) error {
		looks.Add(1)
		looking <- struct{}{}
		return <-answer
	}}
	away := errors.New("nobody is there")
	var wg sync.WaitGroup
	ask := func() {
		if err := p.reach(t.Context()); err != away {
			t.Errorf("it says %v", err)
		}
	}
	wg.Go(ask)
	<-looking
	for range 50 {
		wg.Go(ask)
	}
	left, leave := context.WithCancel(t.Context())
	leave()
	if err := p.reach(left); !errors.Is(err, context.Canceled) {
		t.Errorf("who has left gets %v", err)
	}
	answer <- away
	wg.Wait()
	ask()
	if n := looks.Load(); n != 1 {
		t.Errorf("the cluster was looked at %d times, want once", n)
	}
	p.ttl = 0 // the result has expired
	wg.Go(ask)
	<-looking
	answer <- away
	wg.Wait()
}

// TestALookAtTheCluster checks that a look lasts at most lookTimeout, and that its result is valid for probeFresh.
func TestALookAtTheCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		p := newProber(access.Dialer{}, nil)
		p.check = func(ctx context.Context) error { looks++; <-ctx.Done(); return ctx.Err() }
		look := func(takes time.Duration, want int) {
			t.Helper()
			begin := time.Now()
			if err := p.reach(t.Context()); err == nil || time.Since(begin) != takes || looks != want {
				t.Errorf("look %d, want %d, takes %s, want %s: %v", looks, want, time.Since(begin), takes, err)
			}
		}
		look(probeTimeout, 1)
		time.Sleep(probeTTL - time.Nanosecond)
		look(0, 1)
		time.Sleep(time.Nanosecond)
		look(probeTimeout, 2)
	})
}
