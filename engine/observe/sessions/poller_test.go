package sessions

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/zookeeper/admin"
)

// told is a server with prepared answers. It counts the questions.
type told struct {
	conns []connection
	dump_ dumped
	err   error
	takes time.Duration
	asks  int
	busy  bool
	up    time.Duration // its clock is ahead by this
	from  time.Time
}

func (s *told) answer(ctx context.Context) error {
	if s.busy {
		panic("it is asked two things at once")
	}
	s.busy = true
	defer func() { s.busy = false }()
	s.asks++
	select {
	case <-time.After(s.takes):
		return s.err
	case <-ctx.Done():
		return fmt.Errorf("asked in vain: %w", ctx.Err())
	}
}

func (s *told) connections(ctx context.Context) ([]connection, error) {
	if err := s.answer(ctx); err != nil {
		return nil, err
	}
	return append([]connection(nil), s.conns...), nil
}

func (s *told) dump(ctx context.Context) (dumped, error) { return s.dump_, s.answer(ctx) }

func (s *told) summary(ctx context.Context) (summary, error) { return summary{}, s.answer(ctx) }

func (s *told) watches(ctx context.Context, _ int) ([]Watch, bool, error) {
	return []Watch{{1, "/a"}}, false, s.answer(ctx)
}

func (s *told) Figures(ctx context.Context) (admin.Figures, error) {
	return admin.Figures{Told: true, Watches: 3}, s.answer(ctx)
}

// now returns the time on its clock.
func (s *told) now() time.Duration { return time.Since(s.from) + s.up }

// hears records that a client sent something and got an answer.
func (s *told) hears(i int) {
	s.conns[i].answered = s.now()
	s.conns[i].received++
}

// world returns a poller of two servers: a leader and a follower.
func world() (p *Poller, leader, follower *told) {
	from := time.Now()
	leader, follower = &told{up: 5 * time.Hour, from: from}, &told{up: 9 * time.Hour, from: from}
	p = New(Config{Servers: []string{"a:1", "b:1"}})
	p.servers[0].asked, p.servers[1].asked = leader, follower
	return p, leader, follower
}

// next returns the next report, with ages, as text.
func next(t *testing.T, p *Poller) string {
	t.Helper()
	r, err := p.Next(t.Context(), p.Latest().Number)
	if err != nil {
		t.Fatal(err)
	}
	var text []string
	for _, s := range r.Sessions {
		left := "never"
		if !s.Expires.IsZero() {
			left = s.Expires.Sub(r.At).Round(time.Second).String()
		}
		at := s.Server
		if s.Unconnected {
			at = "none"
		}
		line := fmt.Sprintf("%d %s at %s quiet %v of %v, left %s", s.ID, s.Client, at,
			s.Quiet(r.At).Round(time.Second), s.Timeout, left)
		if s.Silent(r.At) {
			line += ", silent"
		}
		text = append(text, line)
	}
	return strings.Join(text, "\n")
}

func check(t *testing.T, got string, want ...string) {
	t.Helper()
	if got != strings.Join(want, "\n") {
		t.Errorf("the report is\n%s\nnot\n%s", got, strings.Join(want, "\n"))
	}
}

// TestSilence follows a client that pings, falls silent, and connects to another server. While that one doesn't
// answer, nobody knows whom it hears.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, leader, follower := world()
		const timeout = 12 * time.Second
		leader.conns = []connection{{client: "h:1", session: 7, timeout: timeout}}
		follower.conns = []connection{{client: "h:2", session: 8, timeout: timeout, took: time.Second}}
		follower.dump_ = dumped{timeouts: map[int64]time.Duration{7: timeout, 8: timeout}}
		leader.hears(0)
		follower.hears(0)
		check(t, next(t, p), "7 h:1 at a:1 quiet 0s of 12s, left 12s", "8 h:2 at b:1 quiet 1s of 12s, left 11s")
		time.Sleep(2 * time.Second)
		follower.hears(0)
		check(t, next(t, p), "7 h:1 at a:1 quiet 3s of 12s, left 9s", "8 h:2 at b:1 quiet 2s of 12s, left 10s")
		leader.conns[0].received++ // a request without an answer
		check(t, next(t, p), "7 h:1 at a:1 quiet 3s of 12s, left 9s", "8 h:2 at b:1 quiet 5s of 12s, left 7s")
		check(t, next(t, p), "7 h:1 at a:1 quiet 9s of 12s, left 3s, silent", "8 h:2 at b:1 quiet 8s of 12s, left 4s, silent")
		leader.conns = nil
		check(t, next(t, p), "7 h:1 at none quiet 12s of 12s, left 0s, silent",
			"8 h:2 at b:1 quiet 11s of 12s, left 1s, silent")
		follower.conns = append(follower.conns, connection{client: "h:3", session: 7, timeout: timeout})
		follower.hears(1)
		follower.err = errors.New("gone for a moment")
		check(t, next(t, p), "7 h:1 at  quiet 0s of 12s, left never", "8 h:2 at b:1 quiet 0s of 12s, left never")
		follower.err = nil
		check(t, next(t, p), "7 h:3 at b:1 quiet 0s of 12s, left 12s", "8 h:2 at b:1 quiet 11s of 12s, left 1s, silent")
	})
}

// TestMoved checks that the newer of a session's two connections counts, and that a session that no server knows is
// dropped.
func TestMoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, leader, follower := world()
		leader.conns = []connection{{client: "h:1", session: 7, timeout: time.Minute, established: 5}}
		follower.conns = []connection{{client: "h:2", session: 7, timeout: time.Minute, established: 4}}
		leader.hears(0)
		follower.hears(0)
		check(t, next(t, p), "7 h:1 at a:1 quiet 0s of 1m0s, left 1m0s")
		follower.conns[0].established = 6
		check(t, next(t, p), "7 h:2 at b:1 quiet 3s of 1m0s, left 57s")
		leader.conns, follower.conns = nil, nil
		follower.dump_ = dumped{timeouts: map[int64]time.Duration{7: time.Minute}}
		check(t, next(t, p), "7 h:2 at none quiet 6s of 1m0s, left 54s")
		follower.dump_ = dumped{timeouts: map[int64]time.Duration{9: time.Minute}}
		check(t, next(t, p), "9  at none quiet 0s of 1m0s, left never")
	})
}

// TestExpires checks that a leader's dump gives the expiry of a session that is connected to no server asked.
func TestExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, leader, _ := world()
		for range 3 {
			time.Sleep(askEvery) // so that the prepared answer is true when it is asked for
			next := leader.now().Truncate(2*time.Second) + 2*time.Second
			leader.dump_ = dumped{buckets: []bucket{{next, nil}, {9*time.Hour + 30*time.Second, []int64{7}}}}
			if _, err := p.Next(t.Context(), p.Latest().Number); err != nil {
				t.Fatal(err)
			}
		}
		s, ok := p.Latest().Of(7)
		if in := s.Expires.Sub(leader.from); !ok || in > 4*time.Hour+30*time.Second || in < 4*time.Hour+28*time.Second {
			t.Errorf("it expires after %v: %+v", in, s)
		}
		if _, ok := p.Latest().Of(6); ok {
			t.Error("it knows a session that is not there")
		}
	})
}

// TestOnlyWhileLooked checks that one poll serves all viewers, and that nothing is asked without any.
func TestOnlyWhileLooked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, leader, _ := world()
		leader.takes = time.Second
		const words = 3
		look := func(ctx context.Context, n int, saw chan<- int) {
			number := 0
			for range n {
				r, err := p.Next(ctx, number)
				if err != nil {
					break
				}
				number = r.Number
			}
			saw <- number
		}
		saw := make(chan int, 3)
		impatient, stop := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer stop()
		go look(impatient, 5, saw) // it asks first, and leaves during the poll
		synctest.Wait()
		go look(t.Context(), 2, saw)
		go look(t.Context(), 2, saw)
		if a, b, c := <-saw, <-saw, <-saw; a != 0 || b != 2 || c != 2 {
			t.Errorf("they saw reports %d, %d and %d", a, b, c)
		}
		if want := 2 + 2*words; leader.asks != want {
			t.Errorf("it was asked %d words, not %d", leader.asks, want)
		}
		time.Sleep(time.Hour)
		if want := 2 + 2*words; leader.asks != want {
			t.Errorf("nobody looks, and it was asked %d words, not %d", leader.asks, want)
		}
		from := time.Now()
		for range 2 {
			if _, err := p.Next(t.Context(), p.Latest().Number); err != nil {
				t.Error(err)
			}
		}
		if took := time.Since(from); took != words*time.Second*(2+askShare) {
			t.Errorf("answers take %v, and the second comes after %v", words*time.Second, took)
		}
	})
}

// TestWaitsForNobody waits for the next report. Until that is due, the last one and the watches are available.
func TestWaitsForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _, _ := world()
		next(t, p)
		late := make(chan Report)
		go func() { r, _ := p.Next(t.Context(), 1); late <- r }()
		synctest.Wait()
		from := time.Now()
		if r, err := p.Next(t.Context(), 0); err != nil || r.Number != 1 {
			t.Error(r.Number, err)
		}
		if _, err := p.Watches(t.Context()); err != nil {
			t.Error(err)
		}
		if took := time.Since(from); took > 0 {
			t.Errorf("it waits for %v", took)
		}
		if r := <-late; r.Number != 2 || time.Since(from) != askEvery {
			t.Errorf("report %d after %v", r.Number, time.Since(from))
		}
	})
}

// TestWatchesSeldom checks that watches are polled no more often than allowed, and that nothing else is asked
// meanwhile.
func TestWatchesSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, leader, follower := world()
		follower.err = errors.New("gone for a moment")
		leader.takes = 2 * time.Second
		go func() { _, _ = p.Next(t.Context(), 0) }() // in parallel
		for range 10 {                                // asking took 6 s, so it's asked again after 2 minutes
			w, err := p.Watches(t.Context())
			if err != nil || w.Whole || len(w.Troubles) != 1 || len(w.All) != 1 || w.All[0] != (Watch{1, "/a"}) {
				t.Errorf("the watches are %+v, %v", w, err)
			}
			time.Sleep(WatchesEvery)
		}
		if leader.asks != 3+2*3 {
			t.Errorf("it was asked %d words", leader.asks)
		}
	})
}
