package room

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

func TestShareLeavesSomeForOthers(t *testing.T) {
	s := newShare(sentence.Text("zk:2181"), 10, 6)
	if err := s.take("a", 6); err != nil {
		t.Fatal(err)
	}
	var b Busy
	if err := s.take("a", 1); !errors.As(err, &b) || b.Again <= 0 {
		t.Errorf("beyond its part a client gets %v, want busy with a time to wait", err)
	}
	if err := s.take("b", 4); err != nil {
		t.Errorf("another client: %v", err)
	}
	if err := s.take("c", 1); err == nil {
		t.Error("more was taken than there is")
	}
	s.give("a", 6)
	if err := s.take("c", 6); err != nil {
		t.Errorf("after it was given back: %v", err)
	}
	s.give("b", 4)
	s.give("c", 6)
	if s.taken != 0 || len(s.by) > 0 {
		t.Errorf("when all is free %d are taken, and %d clients are kept", s.taken, len(s.by))
	}
}

// TestClientsTakeTurns lets one client queue ten computations before two others queue one each. Theirs come second
// and third.
func TestClientsTakeTurns(t *testing.T) {
	c := NewTurns(1)
	first, err := c.Enter(t.Context(), "greedy")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var order []ClientKey
	var wg sync.WaitGroup
	for i, who := range slices.Concat(slices.Repeat([]ClientKey{"greedy"}, 10), []ClientKey{"b", "a"}) {
		wg.Go(func() {
			leave, err := c.Enter(t.Context(), who)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			order = append(order, who)
			mu.Unlock()
			leave()
		})
		untilWaiting(c, i+1)
	}
	first()
	wg.Wait()
	if got := order[:3]; !slices.Equal(got, []ClientKey{"b", "a", "greedy"}) {
		t.Errorf("the first turns are %v", order)
	}
	if c.used != 0 || len(c.running) > 0 || len(c.granted) > 0 || len(c.waiting) > 0 {
		t.Errorf("when all is over %d slots are used, %v run, %v are known", c.used, c.running, c.granted)
	}
}

// TestWhoHasComputedLessComesFirst orders clients by their recent computing time.
func TestWhoHasComputedLessComesFirst(t *testing.T) {
	c := NewTurns(1)
	now := time.Now()
	c.spend("much", now.Add(-time.Minute), now)
	c.spend("little", now.Add(-10*time.Second), now)
	for _, x := range []struct {
		a, b ClientKey
		at   time.Time
		want bool
	}{
		{"little", "much", now, true},
		{"much", "little", now, false},
		{"new", "little", now, true},
		{"much", "little", now.Add(20 * forgetIn), false}, // everything is forgotten: neither is before the other
		{"little", "much", now.Add(20 * forgetIn), false},
	} {
		if got := c.before(x.a, x.b, x.at); got != x.want {
			t.Errorf("%s before %s after %s: %v", x.a, x.b, x.at.Sub(now), got)
		}
	}
}

// untilWaiting returns when n computations wait.
func untilWaiting(c *Turns, n int) {
	for c.Waiting() != n {
		runtime.Gosched()
	}
}

func TestWhoLeavesGivesItsTurnBack(t *testing.T) {
	c := NewTurns(1)
	leave, err := c.Enter(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		_, err := c.Enter(ctx, "b")
		failed <- err
	}()
	untilWaiting(c, 1)
	cancel()
	var b Busy
	if err := <-failed; !errors.As(err, &b) {
		t.Errorf("who stops waiting gets %v, want busy", err)
	}
	leave()
	leave() // a second call does no harm
	if leave, err = c.Enter(t.Context(), "c"); err != nil {
		t.Fatal(err)
	}
	leave()
	if c.used != 0 {
		t.Errorf("%d slots are used, want none", c.used)
	}
}

func TestTooManyComputationsAreRefused(t *testing.T) {
	c := NewTurns(0) // no turn is ever granted
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for i := range maxWaiting {
		wg.Go(func() { _, _ = c.Enter(ctx, ClientKey(fmt.Sprint(i))) })
	}
	untilWaiting(c, maxWaiting)
	var b Busy
	if _, err := c.Enter(ctx, "late"); !errors.As(err, &b) {
		t.Errorf("one more than may wait: %v, want busy", err)
	}
	cancel()
	wg.Wait()
	for range MaxWaitingPerClient {
		wg.Go(func() { _, _ = c.Enter(t.Context(), "a") })
	}
	untilWaiting(c, MaxWaitingPerClient)
	if _, err := c.Enter(t.Context(), "a"); !errors.As(err, &b) {
		t.Errorf("one more than a client may have waiting: %v, want busy", err)
	}
	c.mu.Lock()
	c.slots = MaxWaitingPerClient
	c.grant()
	c.mu.Unlock()
	wg.Wait()
}

// TestTheGreedyMakeWay lets some clients fill the queue. Another still gets a place, and they lose one.
func TestTheGreedyMakeWay(t *testing.T) {
	c := NewTurns(0)
	ctx, cancel := context.WithCancel(t.Context())
	refused := make(chan ClientKey, maxWaiting)
	var wg sync.WaitGroup
	enter := func(who ClientKey) {
		wg.Go(func() {
			_, err := c.Enter(ctx, who)
			if ctx.Err() == nil && errors.As(err, new(Busy)) {
				refused <- who
			}
		})
	}
	for i := range maxWaiting - 1 {
		who := ClientKey(fmt.Sprint(i / MaxWaitingPerClient))
		if i < MaxWaitingPerClient {
			who = "greedy"
		}
		enter(who)
	}
	untilWaiting(c, maxWaiting-1)
	for i := range MaxWaitingPerClient / 2 {
		enter("polite")
		if i > 0 { // the first found an empty place
			<-refused
		}
		for c.waitingOf("polite") != i+1 {
			runtime.Gosched()
		}
	}
	if n := c.waitingOf("greedy"); n >= MaxWaitingPerClient || n < MaxWaitingPerClient/2 {
		t.Errorf("the greedy one has %d waiting, want some less", n)
	}
	cancel()
	wg.Wait()
	if len(c.waiting) > 0 || len(c.granted) > 0 || c.used != 0 {
		t.Errorf("when all have left %d wait, %d slots are used", len(c.waiting), c.used)
	}
}

func (c *Turns) waitingOf(who ClientKey) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.waiting {
		if t.who == who {
			n++
		}
	}
	return n
}
