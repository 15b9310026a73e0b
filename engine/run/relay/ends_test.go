package relay_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/packed"
	"github.com/zkviz/zkviz/engine/run/relay"
	"github.com/zkviz/zkviz/engine/run/shared"
	"github.com/zkviz/zkviz/engine/testing/natstest"
)

// stored is the stream of all logs.
type stored struct {
	t   *testing.T
	ctx context.Context
	js  jetstream.JetStream
}

func storedIn(t *testing.T, n *natstest.Server) stored {
	t.Helper()
	conn, err := nats.Connect(n.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	return stored{t, patient(t), js}
}

func (s stored) stream() jetstream.Stream {
	s.t.Helper()
	all, err := s.js.Stream(s.ctx, "zkviz-logs")
	if err != nil {
		s.t.Fatal(err)
	}
	return all
}

// await waits until there are so many logs, and so many of them with more than a mark.
func (s stored) await(logs, whole int) {
	s.t.Helper()
	for {
		info, err := s.stream().Info(s.ctx, jetstream.WithSubjectFilter(">"))
		if err != nil {
			s.t.Fatal(err)
		}
		n := 0
		for _, messages := range info.State.Subjects {
			if messages > 1 {
				n++
			}
		}
		if len(info.State.Subjects) == logs && n == whole {
			return
		}
		if s.ctx.Err() != nil {
			s.t.Fatalf("NATS has %v", info.State.Subjects)
		}
		time.Sleep(time.Millisecond)
	}
}

// TestLogsEnd checks that NATS keeps no log that nobody looks at, and none that was full.
func TestLogsEnd(t *testing.T) {
	n := natstest.Start(t)
	logs := storedIn(t, n)
	cfg := shared.Config{URL: n.URL(), Lease: unhurried}
	w := &world{facts: 2}
	a := serve(t, cfg, w.observation(3))
	a.sees("1 2")
	logs.await(1, 1)
	b := serve(t, cfg, w.observation(100))
	b.sees("1 2")
	a.stop()
	b.sees("1 2 D") // as another has it, it goes on
	logs.await(1, 1)
	b.stop()
	logs.await(0, 0)

	a = serve(t, cfg, w.observation(3))
	a.sees("1 2")
	a.o.Max = 100
	w.add(2)
	a.until(func() bool { return len(a.logs) > 1 && a.last() == "1 2 3 4" })
	logs.await(2, 1)
}

// TestStranger has somebody write what no owner writes. That ends the log, and another begins.
func TestStranger(t *testing.T) {
	n := natstest.Start(t)
	cfg := shared.Config{URL: n.URL(), Lease: unhurried}
	w := &world{facts: 2}
	stranger, ctx := open(t, cfg), patient(t)
	lease, err := stranger.Own(ctx, relay.NameOf(w.observation(100)))
	if err != nil {
		t.Fatal(err)
	}
	evil, err := stranger.LogOf(lease.Name(), "log-of-a-stranger")
	if err != nil {
		t.Fatal(err)
	}
	var gap packed.Encoder
	gap.Begin(7)
	gap.Append(event.Event{Kind: event.RecipeNote})
	if _, err := evil.Append(ctx, lease.Epoch(), 0, append([]byte("e"), gap.Block()...)); err != nil {
		t.Fatal(err)
	}
	err = lease.Answer(func(context.Context, []byte) []byte { return []byte(`{"log":"log-of-a-stranger"}`) })
	if err != nil {
		t.Fatal(err)
	}
	a := serve(t, cfg, w.observation(100))
	a.until(func() bool { return len(a.logs) > 0 && a.logs[0].end != nil })
	lease.Release(ctx)
	a.sees("1 2")
	for _, l := range a.all() {
		for i, e := range l.events {
			if e.Seq != event.Seq(i+1) {
				t.Errorf("a log has event %d at %d", e.Seq, i+1)
			}
		}
	}
}

// TestFullNATS has a NATS that takes no more: each server observes by itself.
func TestFullNATS(t *testing.T) {
	n := natstest.Start(t)
	cfg := shared.Config{URL: n.URL(), Lease: unhurried}
	open(t, cfg) // makes the stream
	logs := storedIn(t, n)
	full := logs.stream().CachedInfo().Config
	full.MaxBytes = 1
	if _, err := logs.js.UpdateStream(logs.ctx, full); err != nil {
		t.Fatal(err)
	}
	w := &world{facts: 2}
	observed, end := context.WithCancel(patient(t))
	defer end()
	a := &server{t: t, ctx: observed, bus: open(t, cfg), o: w.observation(100)}
	a.relay = relay.New(func() *shared.Bus { return a.bus }, slog.New(slog.DiscardHandler))
	if _, err := logs.js.UpdateStream(logs.ctx, full); err != nil { // Open has set it again
		t.Fatal(err)
	}
	a.look()
	a.sees("1 2")
	if err := a.all()[0].end; !errors.Is(err, shared.ErrFull) {
		t.Errorf("the first try ends with %v", err)
	}
}
