package relay_test

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/relay"
	"github.com/zkviz/zkviz/engine/run/shared"
	"github.com/zkviz/zkviz/engine/testing/natstest"
)

// offer has another server offer what it sees of a world, until stop.
func offer(t *testing.T, cfg shared.Config, w *world, most int, quietFor time.Duration) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(patient(t))
	bus := open(t, cfg)
	r := relay.New(func() *shared.Bus { return bus }, slog.New(slog.DiscardHandler))
	r.Hurry(time.Hour, quietFor)
	var offering sync.WaitGroup
	offering.Go(func() { r.Offer(ctx, w.observation(most)) })
	stop = sync.OnceFunc(func() { cancel(); offering.Wait() })
	t.Cleanup(stop)
	return stop
}

// seer is a server that can't look by itself.
func seer(t *testing.T, cfg shared.Config) *server {
	t.Helper()
	return serve(t, cfg, relay.Observation{Group: "the world"})
}

// count returns how many Sources run, and how many have run at once.
func (w *world) count() (now, most int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.looks, w.most
}

// TestOffer checks that who can't look sees what another server offers, which looks only then, and what comes when
// that one has stopped.
func TestOffer(t *testing.T) {
	cfg := shared.Config{URL: natstest.Start(t).URL(), Lease: unhurried}
	w, later := &world{facts: 2}, &world{facts: 5}
	stop := offer(t, cfg, w, 100, time.Hour)
	b, c := seer(t, cfg), seer(t, cfg)
	b.sees("1 2")
	c.sees("1 2")
	w.add(1)
	b.sees("1 2 3")
	c.sees("1 2 3")
	offer(t, cfg, later, 100, time.Hour)
	if now, _ := later.count(); now != 0 {
		t.Error("two offer the same")
	}
	stop()
	b.sees("1 2 3 4 5")
	c.sees("1 2 3 4 5")
	if now, most := w.count(); now != 0 || most != 1 {
		t.Errorf("%d look after the end, %d at once", now, most)
	}
	for _, s := range []*server{b, c} {
		if got := s.all(); len(got) != 2 || got[0].String() != "1 2 3 (error.text)" {
			t.Errorf("the logs are %v", got)
		}
	}
}

// TestOfferIsFull checks that a log which is full is followed by another one, with what is seen then.
func TestOfferIsFull(t *testing.T) {
	cfg := shared.Config{URL: natstest.Start(t).URL(), Lease: unhurried}
	w := &world{facts: 2}
	offer(t, cfg, w, 3, time.Hour)
	b := seer(t, cfg)
	b.sees("1 2")
	w.add(2)
	b.until(func() bool { return len(b.logs) > 2 })
	for _, l := range b.all()[:2] {
		if got := l.String(); got != "1 2 3 (error.text)" && got != "(error.text)" {
			t.Errorf("a full log is %s", got)
		}
	}
}

// TestOfferFails checks that readers are told why an observation has failed, and that it is made again for them.
func TestOfferFails(t *testing.T) {
	cfg := shared.Config{URL: natstest.Start(t).URL(), Lease: unhurried}
	w := &world{facts: 2, failure: sentence.Error("failed.observation")}
	offer(t, cfg, w, 100, time.Hour)
	b := seer(t, cfg)
	b.until(func() bool {
		return slices.ContainsFunc(b.logs, func(l log) bool { return l.String() == "1 2 (failed.observation)" })
	})
	w.mu.Lock()
	w.failure = nil
	w.mu.Unlock()
	b.sees("1 2")
}

// TestNobodySees checks that a server looks only while others want to see.
func TestNobodySees(t *testing.T) {
	cfg := shared.Config{URL: natstest.Start(t).URL(), Lease: unhurried}
	w := &world{facts: 2}
	offer(t, cfg, w, 100, time.Millisecond)
	b := seer(t, cfg)
	b.until(func() bool { // some logs end before it has read them
		return slices.ContainsFunc(b.logs, func(l log) bool { return len(l.events) > 0 })
	})
	b.stop()
	for {
		if now, _ := w.count(); now == 0 {
			return
		}
		select {
		case <-b.ctx.Done():
			t.Fatal("it still looks, though nobody sees that")
		case <-time.After(time.Millisecond):
		}
	}
}

// TestNobodyOffers checks that who wants to see what nobody offers is told so, and sees it once somebody does.
func TestNobodyOffers(t *testing.T) {
	cfg := shared.Config{URL: natstest.Start(t).URL(), Lease: unhurried}
	b := seer(t, cfg)
	b.stop()
	b.relay.Hurry(time.Millisecond, time.Hour)
	if err := b.observe(b.ctx); err != relay.ErrGone {
		t.Errorf("it ends with %v", err)
	}
	b.relay.Hurry(time.Hour, time.Hour)
	b.look()
	offer(t, cfg, &world{facts: 2}, 100, time.Hour)
	b.sees("1 2")
	without := relay.New(func() *shared.Bus { return nil }, slog.New(slog.DiscardHandler))
	if err := without.See(b.ctx, "the world", "", b); err != relay.ErrApart {
		t.Errorf("without others it ends with %v", err)
	}
}
