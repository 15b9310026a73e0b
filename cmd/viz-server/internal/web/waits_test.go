package web

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/compare"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/lessons"
)

// endless computes until it is stopped.
func endless(ctx context.Context, _ int) (run.Branch, error) {
	<-ctx.Done()
	return run.Branch{}, ctx.Err()
}

func empty(context.Context, int) (run.Branch, error) { return run.Branch{}, nil }

// TestSlowComputations end after computeTimeout, and are not tried again for slowFor.
func TestSlowComputations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulations(newRooms(), io.Discard, 1)
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

// TestFairTurn: what is computed goes on for fairTurn whoever waits, and from then on until somebody does who has
// computed for less.
func TestFairTurn(t *testing.T) {
	for name, c := range map[string]struct{ comes, ends time.Duration }{
		"somebody waits from the beginning": {time.Nanosecond, fairTurn},
		"somebody comes at the last moment": {fairTurn - time.Nanosecond, fairTurn},
		"somebody comes between two looks":  {fairTurn + time.Nanosecond, fairTurn + lookEvery},
		"nobody comes":                      {time.Hour, computeTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSimulations(newRooms(), io.Discard, 1)
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

// TestWaitingForATurnIsNoComputing: it counts for neither how long it may take nor what its asker has had.
func TestWaitingForATurnIsNoComputing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newComputing(1)
		leave, err := c.enter(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		go func() { time.Sleep(time.Minute); leave() }()
		last, err := c.enter(t.Context(), "b")
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

// TestRoomsAreSweptInTime: KeepIdle after the last has left, or KeepLiveIdle if a cluster is kept busy, and at the next
// look after that.
func TestRoomsAreSweptInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Server{rooms: newRooms()}
		s.stop, s.close = context.WithCancel(context.Background())
		s.background.Go(s.sweep)
		sim, live := mustOpen(t, s.rooms, "a"), mustOpen(t, s.rooms, "a")
		live.host, live.done = hostLive, make(chan struct{})
		time.Sleep(time.Second)
		now := time.Now()
		s.rooms.leave(sim, "a", now)
		s.rooms.leave(live, "a", now)
		for _, c := range []struct {
			after     time.Duration
			sim, live bool
		}{
			{KeepLiveIdle - 2*time.Second, true, true},
			{KeepLiveIdle + sweepEvery, true, false},
			{KeepIdle - 2*time.Second, true, false},
			{KeepIdle + sweepEvery, false, false},
		} {
			time.Sleep(time.Until(now.Add(c.after)))
			synctest.Wait()
			if isKept(s.rooms, sim) != c.sim || isKept(s.rooms, live) != c.live {
				t.Errorf("after %s kept: %v and %v", c.after, isKept(s.rooms, sim), isKept(s.rooms, live))
			}
		}
		s.close()
		s.background.Wait()
	})
}

// TestAClusterOutOfReachIsTriedAgain, a run as an observation, each retryEvery.
func TestAClusterOutOfReachIsTriedAgain(t *testing.T) {
	for _, what := range []string{"run", "observe"} {
		synctest.Test(t, func(t *testing.T) {
			tries := 0
			try := func() error { tries++; return errors.New("connection refused") }
			zk := &observable{stuckCluster{run: func(context.Context, event.Sink) error { return try() }}, try}
			l, rs := newLive(Config{Cluster: zk}), newRooms()
			var err error
			if what == "run" {
				_, err = l.open(rs, "a", run.Scenario{Recipe: "unique-lock", Clients: 2}.WithDefaults(), nil)
			} else {
				_, err = l.observe(rs, "a", "/a")
			}
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(10*retryEvery - time.Nanosecond)
			synctest.Wait()
			if tries != 10 {
				t.Errorf("%s: %d tries in %s", what, tries, 10*retryEvery)
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

func (o *observable) Observe(context.Context, string, event.Sink) error { return o.try() }

// TestTheEndWaitsForCleanUp, but no longer than closeTimeout.
func TestTheEndWaitsForCleanUp(t *testing.T) {
	for takes, want := range map[time.Duration]time.Duration{closeTimeout - 1: closeTimeout - 1, time.Hour: closeTimeout} {
		synctest.Test(t, func(t *testing.T) {
			zk := &stuckCluster{run: func(ctx context.Context, _ event.Sink) error {
				<-ctx.Done()
				time.Sleep(takes)
				return ctx.Err()
			}}
			rs := newRooms()
			r, err := newLive(Config{Cluster: zk}).open(rs, "a", run.Scenario{Recipe: "unique-lock", Clients: 2}.WithDefaults(), nil)
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

// TestALookAtTheCluster takes lookTimeout at most, and is good for probeFresh.
func TestALookAtTheCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		p := newProber(nil)
		p.look = func(ctx context.Context) error { looks++; <-ctx.Done(); return ctx.Err() }
		look := func(takes time.Duration, want int) {
			t.Helper()
			begin := time.Now()
			if err := p.reach(t.Context()); err == nil || time.Since(begin) != takes || looks != want {
				t.Errorf("look %d, want %d, takes %s, want %s: %v", looks, want, time.Since(begin), takes, err)
			}
		}
		look(lookTimeout, 1)
		time.Sleep(probeFresh - time.Nanosecond)
		look(0, 1)
		time.Sleep(time.Nanosecond)
		look(lookTimeout, 2)
	})
}

// TestFiguresGoOn for lingerFor when their page was sent without them, and those of a cluster are good for liveFigures.
func TestFiguresGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, g, stop := figuresOn(t)
		defer stop()
		key := figuresKey{"unique-lock", 3, hostLive}
		patience, cancel := context.WithTimeout(t.Context(), comparePatience)
		defer cancel()
		begin := time.Now()
		if _, err := f.row(t.Context(), patience, "a", key); !isBusy(err) || time.Since(begin) != comparePatience {
			t.Errorf("after %s: %v", time.Since(begin), err)
		}
		if err := <-g.ended; !errors.Is(err, context.Canceled) || time.Since(begin) != comparePatience+lingerFor {
			t.Errorf("the run ends after %s: %v", time.Since(begin), err)
		}
		for _, host := range []event.Host{hostSim, hostLive} {
			key.host = host
			f.known.put(key, figure{compare.Row{}, time.Now()}, 1)
		}
		time.Sleep(liveFigures)
		if _, ok := f.find(key); !ok {
			t.Errorf("after %s they are too old", liveFigures)
		}
		time.Sleep(time.Nanosecond)
		if _, ok := f.find(key); ok {
			t.Errorf("after more than %s they are good", liveFigures)
		}
		key.host = hostSim
		if _, ok := f.find(key); !ok {
			t.Error("those of the simulator are forgotten")
		}
	})
}

// TestPagesDoNotWaitForFigures that take long, and neither does whoever asks for some.
func TestPagesDoNotWaitForFigures(t *testing.T) {
	book, err := lessons.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		s, err := New(t.Context(), Config{Book: book})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		s.site.figures.quick, s.site.figures.slow = newComputing(0), newComputing(0) // nobody ever gets a turn
		for _, c := range []struct {
			address, says string
			after         time.Duration
		}{
			{"/lab/compare?recipe=unique-lock&clients=2", "busy with other computations", comparePatience},
			{"/api/figures?recipe=unique-lock&clients=2", "busy with other computations", figuresTimeout},
			{"/api/figures?recipe=unique-lock&clients=1000", "busy with other computations", figuresTimeout},
		} {
			begin, w := time.Now(), httptest.NewRecorder()
			s.ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1"+c.address, nil))
			if took := time.Since(begin); took != c.after || w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), c.says) {
				t.Errorf("%s: %d after %s, want %s", c.address, w.Code, took, c.after)
			}
		}
	})
}

// TestGoodbyesAreShort: a page that takes nothing keeps the server from its end for goodbyeTimeout.
func TestGoodbyesAreShort(t *testing.T) {
	book, err := lessons.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		s, err := New(t.Context(), Config{Book: book})
		if err != nil {
			t.Fatal(err)
		}
		p, srv := serveInMemory(s)
		defer srv.Close()
		conn := p.dial()
		defer conn.Close()
		go io.WriteString(conn, "GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
			"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
		if _, err := io.ReadAtLeast(conn, make([]byte, 4096), 50); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		begin := time.Now()
		if s.Close(); time.Since(begin) != goodbyeTimeout {
			t.Errorf("the end takes %s", time.Since(begin))
		}
		_ = conn.Close()
		time.Sleep(time.Minute) // until the connection is given up
	})
}

// TestEachAddressHasItsPartOfTheCluster of runs and observations together.
func TestEachAddressHasItsPartOfTheCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		zk := &stuckCluster{run: func(ctx context.Context, _ event.Sink) error { <-ctx.Done(); return ctx.Err() }}
		l, rs := newLive(Config{Cluster: zk}), newRooms()
		defer rs.close()
		open := func(who asker) error {
			_, err := l.open(rs, who, run.Scenario{Recipe: "unique-lock", Clients: 2}.WithDefaults(), nil)
			return err
		}
		for range MaxLiveOfAsker {
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
