package room

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/packed"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run"
	_ "github.com/zkviz/zkviz/recipes" // the catalogue
)

func newTestSimulations(log *bytes.Buffer) *simulations {
	return newSimulations(newRooms(), slog.New(slog.NewTextHandler(log, nil)), 1)
}

// waitingFor returns when n requests wait for the log.
func (s *simulations) waitingFor(key logKey, n int) {
	for {
		s.rooms.mu.Lock()
		sim := s.pending[key]
		there := sim != nil && sim.waiting == n && sim.begun
		s.rooms.mu.Unlock()
		if there {
			return
		}
		runtime.Gosched()
	}
}

// TestEqualLogsAreComputedOnce lets thirty requests of three clients wait for one log. Some leave.
func TestEqualLogsAreComputedOnce(t *testing.T) {
	s := newTestSimulations(new(bytes.Buffer))
	defer s.close()
	key := logKey{1}
	goOn := make(chan struct{})
	calls := 0 // one call at a time
	f := func(ctx context.Context, _ int) (judged, error) {
		calls++
		select {
		case <-goOn:
			return judged{Branch: run.Branch{From: 1, Own: logOf(5)}}, nil
		case <-ctx.Done():
			return judged{}, ctx.Err()
		}
	}
	leaving, leave := context.WithCancel(t.Context())
	var mu sync.Mutex
	var got []*keptLog
	var wg sync.WaitGroup
	for i := range 30 {
		wg.Go(func() {
			ctx, who := t.Context(), ClientKey(rune('a'+i%3))
			if i < 10 {
				ctx = leaving // the first one among them
			}
			k, err := s.get(ctx, who, key, f)
			if gone := i < 10; gone != (err != nil) {
				t.Errorf("request %d: %v", i, err)
			}
			if err == nil {
				mu.Lock()
				got = append(got, k)
				mu.Unlock()
			}
		})
	}
	s.waitingFor(key, 30)
	leave()
	s.waitingFor(key, 20)
	close(goOn)
	wg.Wait()
	if calls != 1 {
		t.Errorf("it was computed %d times", calls)
	}
	for _, k := range got {
		if k != got[0] {
			t.Fatal("two requests got different logs")
		}
		s.rooms.unpin(k)
	}
	if s.rooms.accounting.total != 0 || len(s.pending) > 0 {
		t.Errorf("nobody holds the log, and %d bytes are kept", s.rooms.accounting.total)
	}
}

// TestComputationEndsWithItsClient checks that a computation without waiters ends and returns its slot, and so does
// one that panics.
func TestComputationEndsWithItsClient(t *testing.T) {
	var log bytes.Buffer
	s := newTestSimulations(&log)
	ended := make(chan error, 1)
	ctx, leave := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		_, _ = s.get(ctx, "a", logKey{1}, func(ctx context.Context, _ int) (judged, error) {
			<-ctx.Done()
			ended <- ctx.Err()
			return judged{}, ctx.Err()
		})
	})
	s.waitingFor(logKey{1}, 1)
	leave()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v, not because its Asker left", err)
	}
	wg.Wait()
	_, err := s.get(t.Context(), "a", logKey{2}, func(context.Context, int) (judged, error) { panic("a bug") })
	if err == nil || !strings.Contains(words(sentence.From(err)), "report") {
		t.Errorf("a panic is told as %v", err)
	}
	k, err := s.get(t.Context(), "a", logKey{3}, func(context.Context, int) (judged, error) {
		return judged{},
			nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s.rooms.unpin(k)
	s.close()
	if s.turns.used != 0 || !strings.Contains(log.String(), "a bug") {
		t.Errorf("%d slots are used; the operator was told %q", s.turns.used, log.String())
	}
}

// TestComputedForWhoeverHasATurnFirst checks a client that waits for a log which a greedy client requested earlier.
// It doesn't have to wait for the greedy one's other computations.
func TestComputedForWhoeverHasATurnFirst(t *testing.T) {
	s := newTestSimulations(new(bytes.Buffer))
	defer s.close()
	var mu sync.Mutex
	var order []byte
	goOn := make(chan struct{})
	f := func(n byte) compute {
		return func(context.Context, int) (judged, error) {
			<-goOn
			mu.Lock()
			defer mu.Unlock()
			order = append(order, n)
			return judged{}, nil
		}
	}
	var wg sync.WaitGroup
	ask := func(who ClientKey, n byte) {
		wg.Go(func() {
			k, err := s.get(t.Context(), who, logKey{n}, f(n))
			if err != nil {
				t.Error(err)
				return
			}
			s.rooms.unpin(k)
		})
	}
	ask("greedy", 1)
	s.waitingFor(logKey{1}, 1)
	for n := byte(2); n < 10; n++ {
		ask("greedy", n)
		untilWaiting(s.turns, int(n)-1)
	}
	ask("learner", 9)
	untilWaiting(s.turns, 9)
	close(goOn)
	wg.Wait()
	if order[1] != 9 {
		t.Errorf("computed in the order %v: what the learner waits for must come second", order)
	}
}

// TestLongComputationGivesWay lets a client compute that has computed a lot recently, when another comes.
func TestLongComputationGivesWay(t *testing.T) {
	s := newTestSimulations(new(bytes.Buffer))
	defer s.close()
	s.fairTurn = time.Millisecond
	s.turns.spent["greedy"] = spending{time.Hour, time.Now()}
	refused := make(chan error)
	go func() {
		_, err := s.get(t.Context(), "greedy", logKey{1}, func(ctx context.Context, _ int) (judged, error) {
			<-ctx.Done()
			return judged{}, ctx.Err()
		})
		refused <- err
	}()
	s.waitingFor(logKey{1}, 1)
	k, err := s.get(t.Context(), "learner", logKey{2}, func(context.Context, int) (judged,
		error) {
		return judged{}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s.rooms.unpin(k)
	var b Busy
	if err := <-refused; !errors.As(err, &b) {
		t.Errorf("what gave way ended with %v, want busy", err)
	}
}

// TestTooSlowIsNotTriedAgain checks that a slow computation is refused at once the next time.
func TestTooSlowIsNotTriedAgain(t *testing.T) {
	s := newTestSimulations(new(bytes.Buffer))
	defer s.close()
	calls := 0
	for range 3 {
		_, err := s.get(t.Context(), "a", logKey{1}, func(context.Context, int) (judged, error) {
			calls++
			return judged{}, context.DeadlineExceeded
		})
		if !errors.Is(err, errTooSlow) {
			t.Errorf("it is refused with %v", err)
		}
	}
	if calls != 1 {
		t.Errorf("it was tried %d times", calls)
	}
}

// TestLongWork checks that work whose log is cut off is repeated in a turn for long work, and leaves the other
// turns to short work.
func TestLongWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		s := newTestSimulations(&log)
		defer s.close()
		cut := func(context.Context, int) (judged, error) { return ending(event.EndEvents), nil }
		long := make(chan bool)
		whole := func(context.Context, int) (judged, error) {
			<-long
			return ending(event.EndAllDone), nil
		}
		got := make(chan event.Reason)
		ask := func(key byte, w work) {
			k, err := s.do(t.Context(), "a", logKey{key}, w)
			if err != nil {
				t.Error(err)
			}
			for e := range k.branch.Own.From(1) {
				got <- e.Reason
			}
		}
		go ask(1, work{quick: cut, long: whole})
		go ask(2, work{long: whole})
		synctest.Wait()
		for key, w := range []work{{quick: cut}, {quick: whole, long: whole}} { // there is one slot, and it is free
			if key == 1 {
				w.quick = func(context.Context, int) (judged, error) { return ending(event.EndAllDone), nil }
			}
			go ask(byte(3+key), w)
			if r, want := <-got, []event.Reason{event.EndEvents, event.EndAllDone}[key]; r != want {
				t.Errorf("quick work %d ends with %v", key, r)
			}
		}
		for range 2 {
			long <- true
			if r := <-got; r != event.EndAllDone {
				t.Errorf("long work ends with %v", r)
			}
		}
	})
}

// ending returns a branch of one event.
func ending(why event.Reason) judged {
	var b packed.Builder
	b.Append(event.Event{Seq: 1, Kind: event.RunEnded, Reason: why})
	return judged{Branch: run.Branch{Own: b.Log()}}
}
