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

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run/compare"
	"github.com/zkviz/zkviz/engine/run/room"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
)

// TestALookAtTheCluster checks that a look lasts at most lookTimeout, and that its result is valid for probeFresh.
func TestALookAtTheCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		p := newProber(access.Dialer{}, nil)
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

// TestFiguresGoOn checks that a run goes on for lingerFor, and a cluster's figures expire after liveFigures.
func TestFiguresGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, g, stop := figuresOn(t)
		defer stop()
		key := figuresKey{recipe: "unique-lock", clients: 3, host: event.Cluster}
		patience, cancel := context.WithTimeout(t.Context(), comparePatience)
		defer cancel()
		begin := time.Now()
		if _, err := f.row(t.Context(), patience, "a", key); !errors.As(err, new(room.Busy)) ||
			time.Since(begin) != comparePatience {
			t.Errorf("after %s: %v", time.Since(begin), err)
		}
		if err := <-g.ended; !errors.Is(err, context.Canceled) || time.Since(begin) != comparePatience+lingerFor {
			t.Errorf("the run ends after %s: %v", time.Since(begin), err)
		}
		for _, host := range []event.Host{event.Simulated, event.Cluster} {
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
		key.host = event.Simulated
		if _, ok := f.find(key); !ok {
			t.Error("those of the simulator are forgotten")
		}
	})
}

// TestPagesDoNotWaitForFigures checks that pages and requests for figures stop waiting in time.
func TestPagesDoNotWaitForFigures(t *testing.T) {
	book := theBook(t)
	synctest.Test(t, func(t *testing.T) {
		s, err := New(t.Context(), Config{Book: book})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		s.site.figures.quick, s.site.figures.slow = room.NewTurns(0), room.NewTurns(0) // nobody ever gets a turn
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
			if took := time.Since(begin); took != c.after || w.Code != http.StatusServiceUnavailable ||
				!strings.Contains(w.Body.String(), c.says) {
				t.Errorf("%s: %d after %s, want %s", c.address, w.Code, took, c.after)
			}
		}
	})
}

// TestGoodbyesAreShort checks that a page which reads nothing delays the server's end by at most goodbyeTimeout.
func TestGoodbyesAreShort(t *testing.T) {
	book := theBook(t)
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
