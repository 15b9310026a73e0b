package room

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run"
)

// endless computes until it is stopped.
func endless(ctx context.Context, _ int) (judged, error) {
	<-ctx.Done()
	return judged{}, ctx.Err()
}

func empty(context.Context, int) (judged, error) { return judged{}, nil }

// TestSlowComputations checks that computations end after computeTimeout and are refused for slowFor.
func TestSlowComputations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulations(newRooms(), slog.New(slog.DiscardHandler), 1)
		defer s.close()
		try := func(want time.Duration) {
			t.Helper()
			begin := time.Now()
			if _, err := s.get(t.Context(), "a", logKey{1}, endless); err != errTooSlow || time.Since(begin) != want {
				t.Errorf("it ends after %s, want %s: %v", time.Since(begin), want, err)
			}
		}
		try(computeTimeout)
		try(0)
		time.Sleep(slowFor - time.Second)
		try(0)
		time.Sleep(time.Second)
		try(computeTimeout)
	})
}

// TestLargeRuns checks that no run takes more than MaxRunBytes, and that a client with less memory left gets
// another error.
func TestLargeRuns(t *testing.T) {
	rs := newRooms()
	s := newSimulations(rs, slog.New(slog.DiscardHandler), 1)
	defer s.close()
	var most int
	tooLarge := func(_ context.Context, bytes int) (judged, error) {
		most = bytes
		return judged{}, run.ErrTooLarge
	}
	if _, err := s.get(t.Context(), "a", logKey{1}, tooLarge); err != errTooLarge || most != MaxRunBytes {
		t.Errorf("a run of more than %d bytes: %v", most, err)
	}
	rs.maxKeptEach = MaxRunBytes - 1
	var later Busy
	if _, err := s.get(t.Context(), "a", logKey{1}, tooLarge); !errors.As(err, &later) || most != MaxRunBytes-1 {
		t.Errorf("a run of more than %d bytes: %v", most, err)
	}
}

// TestFairTurn checks that a computation runs for fairTurn no matter who waits, and then until somebody waits who has
// computed less.
func TestFairTurn(t *testing.T) {
	for name, c := range map[string]struct{ comes, ends time.Duration }{
		"somebody waits from the beginning": {time.Nanosecond, fairTurn},
		"somebody comes at the last moment": {fairTurn - time.Nanosecond, fairTurn},
		"somebody comes between two looks":  {fairTurn + time.Nanosecond, fairTurn + lookEvery},
		"nobody comes":                      {time.Hour, computeTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSimulations(newRooms(), slog.New(slog.DiscardHandler), 1)
				defer s.close()
				begin := time.Now()
				done := make(chan bool)
				go func() {
					defer close(done)
					time.Sleep(c.comes)
					k, err := s.get(t.Context(), "b", logKey{2}, empty)
					if err != nil {
						t.Error(err)
						return
					}
					s.rooms.unpin(k)
				}()
				_, err := s.get(t.Context(), "a", logKey{1}, endless)
				if took := time.Since(begin); took != c.ends || (c.ends == computeTimeout) != (err == errTooSlow) {
					t.Errorf("it ends after %s with %v, want %s", took, err, c.ends)
				}
				<-done
			})
		})
	}
}

// TestWaitingForATurnIsNoComputing checks that waiting counts neither as computing time nor towards its limit.
func TestWaitingForATurnIsNoComputing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewTurns(1)
		leave, err := c.Enter(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		go func() { time.Sleep(time.Minute); leave() }()
		last, err := c.Enter(t.Context(), "b")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		last()
		if now := time.Now(); c.seconds("b", now) != 2 || c.seconds("a", now) < 55 {
			t.Errorf("a minute counts as %d seconds, two seconds as %d", c.seconds("a", now), c.seconds("b", now))
		}
	})
}

// TestRoomsAreSweptInTime checks when rooms go after their last follower: at the first check after KeepIdle, or
// KeepLiveIdle for runs on a cluster, or KeepSeenIdle for observations.
func TestRoomsAreSweptInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Config{})
		defer s.Close()
		sim, live, seen := mustOpen(t, s.rooms, "a"), mustOpen(t, s.rooms, "a"), mustOpen(t, s.rooms, "a")
		live.growing, live.done = &keptLog{}, make(chan struct{})
		seen.growing, seen.done, seen.observes = &keptLog{}, make(chan struct{}), true
		time.Sleep(time.Second)
		now := time.Now()
		s.rooms.leave(sim, "a", now)
		s.rooms.leave(live, "a", now)
		s.rooms.leave(seen, "a", now)
		for _, c := range []struct {
			after           time.Duration
			sim, live, seen bool
		}{
			{KeepSeenIdle - 2*time.Second, true, true, true},
			{KeepSeenIdle + sweepEvery, true, true, false},
			{KeepLiveIdle - 2*time.Second, true, true, false},
			{KeepLiveIdle + sweepEvery, true, false, false},
			{KeepIdle - 2*time.Second, true, false, false},
			{KeepIdle + sweepEvery, false, false, false},
		} {
			time.Sleep(time.Until(now.Add(c.after)))
			synctest.Wait()
			if isKept(s.rooms, sim) != c.sim || isKept(s.rooms, live) != c.live || isKept(s.rooms, seen) != c.seen {
				t.Errorf("after %s kept: %v, %v and %v", c.after, isKept(s.rooms, sim), isKept(s.rooms, live),
					isKept(s.rooms, seen))
			}
		}
	})
}

// TestAClusterOutOfReachIsTriedAgain checks that a run and an observation retry each RetryEvery.
func TestAClusterOutOfReachIsTriedAgain(t *testing.T) {
	for _, what := range []string{"run", "observe"} {
		synctest.Test(t, func(t *testing.T) {
			tries := 0
			try := func() error { tries++; return errors.New("connection refused") }
			zk := &observable{stuckCluster{run: func(context.Context, run.Scenario, event.Sink) error { return try() }}, try}
			rs := newRooms()
			l := newCluster(rs, Config{ZooKeeper: zk})
			var err error
			if what == "run" {
				_, err = l.open("a", run.Scenario{Recipe: "unique-lock", Clients: 2}.WithDefaults(), nil)
			} else {
				_, err = l.observe("a", "/a")
			}
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(10*RetryEvery - time.Nanosecond)
			synctest.Wait()
			if tries != 10 {
				t.Errorf("%s: %d tries in %s", what, tries, 10*RetryEvery)
			}
			rs.close()
			if l.sessions.taken != 0 {
				t.Errorf("%s: %d sessions are still counted", what, l.sessions.taken)
			}
		})
	}
}

// observable is a cluster whose observation ends at once.
type observable struct {
	stuckCluster
	try func() error
}

func (o *observable) Observed(path string) event.Header {
	return event.Header{Host: event.Observed, Root: path}
}
func (o *observable) Observe(context.Context, event.Header, event.Sink) error { return o.try() }
func (o *observable) AskWatches(context.Context) error                        { return nil }

// TestTheEndWaitsForCleanUp checks that closing waits for clean-up, but no longer than CloseTimeout.
func TestTheEndWaitsForCleanUp(t *testing.T) {
	for takes, want := range map[time.Duration]time.Duration{CloseTimeout - 1: CloseTimeout - 1, time.Hour: CloseTimeout} {
		synctest.Test(t, func(t *testing.T) {
			zk := &stuckCluster{run: func(ctx context.Context, _ run.Scenario, _ event.Sink) error {
				<-ctx.Done()
				time.Sleep(takes)
				return ctx.Err()
			}}
			rs := newRooms()
			r, err := newCluster(rs, Config{ZooKeeper: zk}).open("a",
				run.Scenario{Recipe: "unique-lock", Clients: 2}.WithDefaults(), nil)
			if err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			if rs.close(); time.Since(begin) != want {
				t.Errorf("with a clean-up of %s the end takes %s, want %s", takes, time.Since(begin), want)
			}
			<-r.done
		})
	}
}

// TestEachAddressHasItsPartOfTheCluster checks that runs and observations count together.
func TestEachAddressHasItsPartOfTheCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		zk := &stuckCluster{run: func(ctx context.Context, _ run.Scenario,
			_ event.Sink) error {
			<-ctx.Done()
			return ctx.Err()
		}}
		rs := newRooms()
		l := newCluster(rs, Config{ZooKeeper: zk})
		defer rs.close()
		open := func(who ClientKey) error {
			_, err := l.open(who, run.Scenario{Recipe: "unique-lock", Clients: 2}.WithDefaults(), nil)
			return err
		}
		for range MaxLivePerClient {
			if err := open("a"); err != nil {
				t.Fatal(err)
			}
		}
		if err := open("a"); !isBusy(err) {
			t.Errorf("one more than an address may have: %v", err)
		}
		if err := open("b"); err != nil {
			t.Errorf("another address: %v", err)
		}
	})
}
