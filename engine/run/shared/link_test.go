package shared_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/run/shared"
	"github.com/zkviz/zkviz/engine/testing/natstest"
)

// until waits for the link's state.
func until(t *testing.T, ctx context.Context, b *shared.Bus, want bool) {
	t.Helper()
	for {
		up, changed := b.Link()
		if up == want {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatalf("the link isn't %v", want)
		}
	}
}

// reading reads a log from its start, and sends what comes.
func reading(t *testing.T, ctx context.Context, log *shared.Log) <-chan string {
	t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	got, over := make(chan string), make(chan struct{})
	go func() {
		defer close(over)
		_ = log.Read(ctx, 1, func(n uint64, data []byte) error { // until the test ends
			select {
			case got <- fmt.Sprintf("%d %s", n, data):
			case <-ctx.Done():
			}
			return nil
		})
	}()
	t.Cleanup(func() { cancel(); <-over })
	return got
}

func next(t *testing.T, ctx context.Context, got <-chan string, want string) {
	t.Helper()
	select {
	case text := <-got:
		if text != want {
			t.Fatalf("got %q, not %q", text, want)
		}
	case <-ctx.Done():
		t.Fatalf("%q doesn't come", want)
	}
}

// TestReadThroughFaults cuts a reader's link and drops what NATS sends: it gets each entry once, in order.
func TestReadThroughFaults(t *testing.T) {
	ctx := patient(t)
	n := natstest.Start(t)
	relay := n.Relay(t)
	a := open(t, shared.Config{URL: n.URL(), Lease: unhurried})
	b := open(t, shared.Config{URL: relay.URL(), Lease: unhurried})
	lease, log := must(a.Own(ctx, "x")), must(a.Log("x"))
	got := reading(t, ctx, must(b.Log("x")))
	last := uint64(0)
	add := func() {
		t.Helper()
		last = must(log.Append(ctx, lease.Epoch(), last, []byte("entry")))
	}
	for round := range 4 {
		add()
		next(t, ctx, got, fmt.Sprintf("%d entry", last))
		if round%2 == 0 {
			relay.Mute() // NATS believes that it has sent what comes now
			add()
			add()
		}
		relay.Cut()
		until(t, ctx, b, false)
		add()
		relay.Heal()
		until(t, ctx, b, true)
		add()
		from := last - 1
		if round%2 == 0 {
			from -= 2
		}
		for ; from <= last; from++ {
			next(t, ctx, got, fmt.Sprintf("%d entry", from))
		}
	}
}

// TestLostAnswer has NATS store an entry, and loses its answer: the append finds the entry, and doesn't store it twice.
func TestLostAnswer(t *testing.T) {
	ctx := patient(t)
	n := natstest.Start(t)
	relay := n.Relay(t)
	a := open(t, shared.Config{URL: relay.URL(), Lease: unhurried})
	b := open(t, shared.Config{URL: n.URL(), Lease: unhurried})
	lease, log := must(a.Own(ctx, "x")), must(a.Log("x"))
	got := reading(t, ctx, must(b.Log("x")))
	must(log.Append(ctx, lease.Epoch(), 0, []byte("one")))
	next(t, ctx, got, "1 one")
	relay.Mute()
	done := make(chan error, 1)
	go func() {
		_, err := log.Append(ctx, lease.Epoch(), 1, []byte("two"))
		done <- err
	}()
	next(t, ctx, got, "2 two")
	relay.Cut()
	until(t, ctx, a, false)
	select {
	case err := <-done:
		t.Fatal("the append knows, without an answer: ", err)
	default:
	}
	relay.Heal()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	must(log.Append(ctx, lease.Epoch(), 2, []byte("three")))
	next(t, ctx, got, "3 three")
	all := must(shared.Everything(ctx, b, "x"))
	checkLog(t, all)
	if len(all) != 4 {
		t.Errorf("%+v", all)
	}
}

// TestSlowNATS makes an owner's link so slow that it can't renew its lease: it stops believing, another takes over, and
// what the first one had under way doesn't mix with the second one's entries.
func TestSlowNATS(t *testing.T) {
	ctx := patient(t)
	n := natstest.Start(t)
	relay := n.Relay(t)
	a := open(t, shared.Config{URL: relay.URL()})
	b := open(t, shared.Config{URL: n.URL()})
	log := must(a.Log("x"))
	relay.Delay(20 * time.Millisecond)
	first := must(a.Own(ctx, "x"))
	done := make(chan error, 1)
	go func() {
		var last uint64
		var err error
		for i := 0; err == nil; i++ {
			if i == 10 {
				relay.Delay(2 * time.Second)
			}
			last, err = log.Append(ctx, first.Epoch(), last, fmt.Append(nil, "a", i))
		}
		done <- err
	}()
	second := must(b.Own(ctx, "x"))
	if first.Held() {
		t.Error("two owners at once")
	}
	<-first.Lost()
	other := must(b.Log("x"))
	last := must(other.Take(ctx, second.Epoch()))
	for i := range 10 {
		var err error
		if last, err = other.Append(ctx, second.Epoch(), last, fmt.Append(nil, "b", i)); err != nil {
			t.Log("the machine stands still:", err)
			break
		}
	}
	relay.Delay(0)
	if err := <-done; !errors.Is(err, shared.ErrNotOwner) {
		t.Error(err)
	}
	checkLog(t, must(shared.Everything(ctx, b, "x")))
}

// TestNoLink checks what fails without NATS, and that an owner stops believing.
func TestNoLink(t *testing.T) {
	ctx := patient(t)
	n := natstest.Start(t)
	relay := n.Relay(t)
	b := open(t, shared.Config{URL: relay.URL()})
	lease, log := must(b.Own(ctx, "x")), must(b.Log("x"))
	if !b.Connected() {
		t.Error("not connected at first")
	}
	relay.Cut()
	until(t, ctx, b, false)
	if _, err := b.Ask(ctx, "x", nil); !errors.Is(err, shared.ErrNoLink) {
		t.Error("ask:", err)
	}
	if err := lease.Tell(nil); !errors.Is(err, shared.ErrNoLink) && !errors.Is(err, shared.ErrNotOwner) {
		t.Error("tell:", err)
	}
	if _, err := log.Append(ctx, lease.Epoch(), 0, nil); !errors.Is(err, shared.ErrNotOwner) {
		t.Error("append:", err)
	}
	<-lease.Lost()
	short, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := b.Own(short, "x"); !errors.Is(err, context.Canceled) {
		t.Error("own:", err)
	}
	relay.Heal()
	if next := must(b.Own(ctx, "x")); next.Epoch() <= lease.Epoch() {
		t.Error("the epochs don't grow")
	}
}

// TestLate stores what a process sends that looked at its lease before it was stopped: the stream itself refuses it.
func TestLate(t *testing.T) {
	ctx := patient(t)
	n := natstest.Start(t)
	a := open(t, shared.Config{URL: n.URL(), Lease: unhurried})
	b := open(t, shared.Config{URL: n.URL(), Lease: unhurried})
	first, log := must(a.Own(ctx, "x")), must(a.Log("x"))
	must(log.Append(ctx, first.Epoch(), 0, []byte("one")))
	stored := must(shared.Everything(ctx, a, "x"))
	behind := stored[len(stored)-1].Seq
	first.Release(ctx)
	second, other := must(b.Own(ctx, "x")), must(b.Log("x"))
	if last := must(other.Take(ctx, second.Epoch())); last != 1 {
		t.Errorf("the last entry is %d", last)
	}
	late := func(what string, n, behind uint64, data string) {
		t.Helper()
		if err := shared.Late(ctx, log, first.Epoch(), n, behind, data); !errors.Is(err, shared.ErrMoved) {
			t.Errorf("%s: %v", what, err)
		}
	}
	late("an entry before the next owner's first", 2, behind, "two")
	must(other.Append(ctx, second.Epoch(), 1, []byte("two")))
	late("an entry", 2, behind, "two")
	late("the mark of an owner that saw no entry", 0, 0, "")
	if err := other.Delete(ctx, second.Epoch()); err != nil {
		t.Fatal(err)
	}
	late("an entry for a deleted log", 2, behind, "two")
	late("a mark for a deleted log", 0, 0, "")
	if left := must(shared.Everything(ctx, a, "x")); len(left) != 1 || left[0].Epoch != second.Epoch() {
		t.Errorf("%+v is left", left)
	}
}

// TestReadMore appends behind an entry that the Log hasn't written, but its caller has read. One who was the owner, and
// still believes in that, is refused.
func TestReadMore(t *testing.T) {
	ctx := patient(t)
	n := natstest.Start(t)
	a := open(t, shared.Config{URL: n.URL(), Lease: unhurried})
	lease, log, other := must(a.Own(ctx, "x")), must(a.Log("x")), must(a.Log("x"))
	must(log.Append(ctx, lease.Epoch(), 0, []byte("one")))
	must(other.Append(ctx, lease.Epoch(), 1, []byte("two")))
	if last := must(log.Append(ctx, lease.Epoch(), 2, []byte("three"))); last != 3 {
		t.Errorf("the third entry has number %d", last)
	}
	if err := shared.Expire(ctx, a, "x"); err != nil {
		t.Fatal(err)
	}
	b := open(t, shared.Config{URL: n.URL(), Lease: unhurried})
	next, third := must(b.Own(ctx, "x")), must(b.Log("x"))
	must(third.Append(ctx, next.Epoch(), 3, []byte("four")))
	for _, after := range []uint64{3, 4} {
		if _, err := log.Append(ctx, lease.Epoch(), after, []byte("four")); !errors.Is(err, shared.ErrNotOwner) {
			t.Errorf("the old owner appends after %d: %v", after, err)
		}
	}
}

// TestExpired reads a log whose beginning NATS has dropped.
func TestExpired(t *testing.T) {
	ctx := patient(t)
	b := open(t, shared.Config{Lease: unhurried})
	lease, log := must(b.Own(ctx, "x")), must(b.Log("x"))
	for n := range uint64(3) {
		must(log.Append(ctx, lease.Epoch(), n, []byte("entry")))
	}
	stored := must(shared.Everything(ctx, b, "x"))
	if err := shared.DropOldest(ctx, b, stored[2].Seq); err != nil { // the mark and the first entry
		t.Fatal(err)
	}
	all := func(uint64, []byte) error { return nil }
	if err := log.Read(ctx, 1, all); !errors.Is(err, shared.ErrExpired) {
		t.Error(err)
	}
	next(t, ctx, fromSecond(t, ctx, log), "2 entry")
}

func fromSecond(t *testing.T, ctx context.Context, log *shared.Log) <-chan string {
	t.Helper()
	got := make(chan string, 1)
	err := log.Read(ctx, 2, func(n uint64, data []byte) error {
		got <- fmt.Sprintf("%d %s", n, data)
		return errEnough
	})
	if !errors.Is(err, errEnough) {
		t.Error(err)
	}
	return got
}
