package embed

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// nowhere is a listener without clients. Clients of a server in a synctest bubble dial it within the process.
type nowhere struct {
	failures atomic.Int32 // how many accepts still fail before one waits
	closed   chan struct{}
}

func (n *nowhere) Accept() (net.Conn, error) {
	if n.failures.Add(-1) >= 0 {
		return nil, syscall.EMFILE
	}
	<-n.closed
	return nil, net.ErrClosed
}

func (n *nowhere) Close() error { close(n.closed); return nil }

func (n *nowhere) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 2181} }

// bubble runs a test with a server in virtual time.
func bubble(t *testing.T, c Config, ln *nowhere, test func(t *testing.T, s *Server)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ln.closed = make(chan struct{})
		c.Seed = 1
		s, err := serve(c.withDefaults(), ln)
		if err != nil {
			t.Fatal(err)
		}
		test(t, s)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// pipe returns a connection to the server, before the handshake.
func pipe(t *testing.T, s *Server) net.Conn {
	t.Helper()
	conn, err := s.Dial()
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// join opens a session with that timeout.
func join(t *testing.T, s *Server, timeout time.Duration) *peer.Peer {
	t.Helper()
	p, err := peer.New(pipe(t, s), wire.ConnectRequest{TimeoutMS: int32(timeout / time.Millisecond)})
	if err != nil {
		t.Fatal(err)
	}
	p.Timeout = -1 // a minute passes at once in the bubble
	if err := p.Conn().SetDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	return p
}

// closes returns how long the server takes to close the connection.
func closes(conn net.Conn) time.Duration {
	begun := time.Now()
	_, _ = io.Copy(io.Discard, conn)
	return time.Since(begun)
}

func TestGreetWithin(t *testing.T) {
	const minute = time.Minute
	for asked, within := range map[time.Duration]time.Duration{0: DefaultGreet, -1: DefaultGreet, minute: minute} {
		bubble(t, Config{GreetWithin: asked, MaxTimeout: time.Hour}, &nowhere{}, func(t *testing.T, s *Server) {
			silent := pipe(t, s)
			p := join(t, s, time.Hour)
			if took := closes(silent); took != within {
				t.Errorf("a silent connection is closed after %v, not %v", took, within)
			}
			if err := p.Ping(); err != nil {
				t.Error("who has shaken hands:", err)
			}
		})
	}
}

// TestTimeouts checks that sessions get the requested timeout within the server's bounds, and expire no earlier
// than that and at most a tick later.
func TestTimeouts(t *testing.T) {
	const tick = DefaultTick
	for _, c := range []struct{ most, asked, got time.Duration }{
		{0, 0, 2 * tick}, {0, 2*tick - 1, 2 * tick}, {0, 5 * tick, 5 * tick}, {0, time.Hour, 20 * tick},
		{time.Hour, 2 * time.Hour, time.Hour}, {time.Hour, 21 * tick, 21 * tick},
	} {
		bubble(t, Config{MaxTimeout: c.most}, &nowhere{}, func(t *testing.T, s *Server) {
			p := join(t, s, c.asked)
			if got := time.Duration(p.Welcome.TimeoutMS) * time.Millisecond; got != c.got {
				t.Errorf("asked for %v it gives %v, not %v", c.asked, got, c.got)
			}
			if took := closes(p.Conn()); took < c.got || took > c.got+tick {
				t.Errorf("a silent session of %v ends after %v", c.got, took)
			}
		})
	}
}

// TestUnreadFarewell ends a session whose client doesn't read the answer. The server waits for a while.
func TestUnreadFarewell(t *testing.T) {
	bubble(t, Config{}, &nowhere{}, func(t *testing.T, s *Server) {
		p := join(t, s, 0)
		if err := p.Send(wire.Request{Op: wire.OpCloseSession}); err != nil {
			t.Fatal(err)
		}
		there := func() int {
			synctest.Wait()
			s.mu.Lock()
			defer s.mu.Unlock()
			return len(s.conns.all)
		}
		if time.Sleep(partWithin - 1); there() != 1 {
			t.Error("the connection has gone already")
		}
		if time.Sleep(1); there() != 0 {
			t.Error("the connection is still there")
		}
	})
}

// TestLongFarewell reads a long answer to a four-letter word in pieces. It arrives whole as long as the client
// reads on.
func TestLongFarewell(t *testing.T) {
	bubble(t, Config{}, &nowhere{}, func(t *testing.T, s *Server) {
		p := join(t, s, time.Hour)
		watches := wire.Request{Op: wire.OpSetWatches}
		for i := range 1000 {
			watches.ExistWatches = append(watches.ExistWatches, fmt.Sprintf("/%0900d", i))
		}
		if _, _, err := p.Do(watches); err != nil {
			t.Fatal(err)
		}
		asker := pipe(t, s)
		if _, err := asker.Write([]byte("wchp")); err != nil {
			t.Fatal(err)
		}
		var text []byte
		for {
			bit := make([]byte, 64<<10)
			n, err := io.ReadFull(asker, bit)
			text = append(text, bit[:n]...)
			if err != nil {
				break
			}
			time.Sleep(partWithin - 1)
		}
		if n := bytes.Count(text, []byte("/")); n != 1000 {
			t.Errorf("of 1000 watches it tells of %d", n)
		}
	})
}

// TestSnapshotEvery checks that the data file is written on schedule if something changed, and at the end.
func TestSnapshotEvery(t *testing.T) {
	for asked, every := range map[time.Duration]time.Duration{0: DefaultSnapshot, time.Second: time.Second} {
		path := filepath.Join(t.TempDir(), "data")
		bubble(t, Config{Data: path, SnapshotEvery: asked, MaxTimeout: time.Hour}, &nowhere{}, func(t *testing.T, s *Server) {
			saved := func(want int64) {
				t.Helper()
				synctest.Wait()
				if s.mu.Lock(); s.stats.saved != want {
					t.Errorf("after %v it was written %d times, not %d", time.Since(s.start), s.stats.saved, want)
				}
				s.mu.Unlock()
			}
			saved(1) // at once
			time.Sleep(every)
			saved(1)
			time.Sleep(every - time.Millisecond)
			defer join(t, s, time.Hour).Abort()
			saved(1)
			time.Sleep(time.Millisecond)
			saved(2)
			time.Sleep(every)
			saved(2)
		})
	}
}

// TestAcceptPauses checks that the pause grows with each failure, up to a limit.
func TestAcceptPauses(t *testing.T) {
	ln := &nowhere{}
	ln.failures.Store(12)
	bubble(t, Config{}, ln, func(t *testing.T, s *Server) {
		last := int32(12)
		pause := shortPause
		for i := range 12 {
			synctest.Wait()
			if left := ln.failures.Load(); left != last-1 {
				t.Fatalf("after %d pauses it has tried %d times", i, 12-left)
			}
			last--
			if time.Sleep(pause - 1); ln.failures.Load() != last {
				t.Errorf("pause %d is shorter than %v", i+1, pause)
			}
			time.Sleep(1)
			pause = min(2*pause, time.Second)
		}
	})
}

// TestStalled finds clients that hold room and make no progress, or too little, while others wait.
func TestStalled(t *testing.T) {
	const stall = time.Second
	const bytes = 3 << 20 // three seconds' worth of bytes
	for name, c := range map[string]struct {
		queue bool
		waits bool          // for the client
		moves time.Duration // how often it makes progress; 0 for never
		cut   time.Duration // 0 for never
	}{
		"nobody waits":      {false, true, 0, 0},
		"stands still":      {true, true, 0, stall},
		"moves":             {true, true, stall / 2, stall + 3*time.Second},
		"nearly stands":     {true, true, stall - stall/4, stall + 3*time.Second},
		"the server's turn": {true, false, 0, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newBudget(bytes, stall, "test", new(atomic.Int64))
			holder := &conn{s: &Server{}, gone: make(chan struct{})}
			waits := &atomic.Bool{}
			waits.Store(c.waits)
			if _, err := b.claim(holder, bytes, nil, waits); err != nil {
				t.Fatal(err)
			}
			if c.queue {
				b.queue = append(b.queue, &claim{b: b, bytes: 1})
			}
			cut := time.Duration(0)
			for at := time.Duration(0); at < 10*time.Second && cut == 0; at += stall / 4 {
				if c.moves > 0 && at%c.moves == 0 {
					holder.moved.Add(1)
				}
				if len(b.stalled(time.Now())) > 0 {
					cut = at
				}
				time.Sleep(stall / 4)
			}
			if cut != c.cut {
				t.Errorf("%s: it is cut off after %v, not %v", name, cut, c.cut)
			}
		})
	}
}

// TestTurnsOfWaiting checks that a client gets back the time for which the server made it wait.
func TestTurnsOfWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBudget(10, time.Second, "test", new(atomic.Int64))
		holder, waits := &conn{s: &Server{}, gone: make(chan struct{})}, &atomic.Bool{}
		if _, err := b.claim(holder, 10, nil, waits); err != nil {
			t.Fatal(err)
		}
		b.queue = append(b.queue, &claim{b: b, bytes: 1})
		for range 10 {
			time.Sleep(time.Second)
			if len(b.stalled(time.Now())) > 0 {
				t.Fatal("it is cut off while the server does not wait for it")
			}
		}
		waits.Store(true)
		if time.Sleep(time.Second - 1); len(b.stalled(time.Now())) > 0 {
			t.Error("it is cut off too early")
		}
		if time.Sleep(time.Second); len(b.stalled(time.Now())) != 1 {
			t.Error("it is not cut off")
		}
	})
}

// TestCachedWords checks that a slow answer is rebuilt no more often than allowed.
func TestToldAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ws, made := &words{}, 0
		answer := cached("test", func(_ *words, _ *conn, w *bytes.Buffer) {
			time.Sleep(time.Second)
			made++
			fmt.Fprint(w, made)
		})
		for _, c := range []struct {
			after time.Duration
			want  string
		}{{0, "1"}, {0, "1"}, {restFactor*time.Second - 1, "1"}, {1, "2"}, {time.Second, "2"}, {time.Hour, "3"}} {
			time.Sleep(c.after)
			var w bytes.Buffer
			if answer(ws, nil, &w); w.String() != c.want {
				t.Errorf("%v later it says %s, not %s", c.after, w.String(), c.want)
			}
		}
	})
}

// sink collects a log.
type sink []event.Event

func (s *sink) Append(e event.Event) { *s = append(*s, e) }

// watchOver observes until stop is called. stop returns the log as text, one event a line.
func watchOver(t *testing.T, s *Server, root string, most int) (stop func() (string, error)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var log sink
	done := make(chan error)
	go func() { done <- s.Observe(ctx, root, &log, most, nil) }()
	synctest.Wait()
	return func() (string, error) {
		synctest.Wait()
		cancel()
		err := <-done
		var text []byte
		for _, e := range log {
			text = append(text, eventtext.Of(e)+"\n"...)
		}
		return string(text), err
	}
}
