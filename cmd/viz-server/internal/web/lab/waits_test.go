package lab

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run/compare"
	"github.com/zkviz/zkviz/engine/run/room"
)

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
		if err := <-g.ended; !errors.Is(err, context.Canceled) || time.Since(begin) != comparePatience+lingerTime {
			t.Errorf("the run ends after %s: %v", time.Since(begin), err)
		}
		for _, host := range []event.Host{event.Simulated, event.Cluster} {
			key.host = host
			f.results.Put(key, figure{compare.Row{}, time.Now()}, 1)
		}
		time.Sleep(liveFiguresTTL)
		if _, ok := f.find(key); !ok {
			t.Errorf("after %s they are too old", liveFiguresTTL)
		}
		time.Sleep(time.Nanosecond)
		if _, ok := f.find(key); ok {
			t.Errorf("after more than %s they are good", liveFiguresTTL)
		}
		key.host = event.Simulated
		if _, ok := f.find(key); !ok {
			t.Error("those of the simulator are forgotten")
		}
	})
}

// TestPagesDoNotWaitForFigures checks that pages and requests for figures stop waiting in time.
func TestPagesDoNotWaitForFigures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, stop, get := served(t)
		defer stop()
		s.figures.quick, s.figures.slow = room.NewTurns(0), room.NewTurns(0) // nobody ever gets a turn
		for _, c := range []struct {
			address, says string
			after         time.Duration
		}{
			{"/lab/compare?recipe=unique-lock&clients=2", "busy with other computations", comparePatience},
			{"/api/figures?recipe=unique-lock&clients=2", "busy with other computations", figuresTimeout},
			{"/api/figures?recipe=unique-lock&clients=1000", "busy with other computations", figuresTimeout},
		} {
			begin := time.Now()
			w := get(c.address)
			if took := time.Since(begin); took != c.after || w.Code != http.StatusServiceUnavailable ||
				!strings.Contains(w.Body.String(), c.says) {
				t.Errorf("%s: %d after %s, want %s", c.address, w.Code, took, c.after)
			}
		}
	})
}
