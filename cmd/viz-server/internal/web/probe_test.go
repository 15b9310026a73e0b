package web

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestOneLooksForAll checks that simultaneous and closely following requests share one look at the cluster.
func TestOneLooksForAll(t *testing.T) {
	var looks atomic.Int32
	looking, answer := make(chan struct{}), make(chan error)
	p := &prober{fresh: time.Hour, look: func(context.Context) error {
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
	p.fresh = 0 // the result has expired
	wg.Go(ask)
	<-looking
	answer <- away
	wg.Wait()
}
