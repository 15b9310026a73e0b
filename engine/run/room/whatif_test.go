package room

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/trace"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// traced returns a run's trace file.
func traced(t *testing.T, s run.Scenario) []byte {
	t.Helper()
	var text bytes.Buffer
	s = s.WithDefaults()
	w := trace.NewWriter(&text, s.Header(event.Simulated))
	if err := errors.Join(run.Sim(t.Context(), s, w), w.Flush()); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// forking serves a viewer of the file, which asks for forks.
func forking(t *testing.T, file []byte) *talk {
	t.Helper()
	s := New(Config{File: func(string) ([]byte, bool) { return file, true }})
	conn, err := s.Connect("a", func() {})
	if err != nil {
		t.Fatal(err)
	}
	p := newTalk()
	go func() {
		defer close(p.served)
		s.Serve(context.Background(), context.Background(), conn, p)
	}()
	t.Cleanup(func() { p.over(); s.Close() })
	return p
}

// TestWhatIf checks that a file that is shown becomes a scenario, also of znodes that can't be forked alone, and that
// bad requests are refused.
func TestWhatIf(t *testing.T) {
	p := forking(t, traced(t, run.Scenario{Recipe: "children-lock", Clients: 3, Hold: time.Second}))
	p.send(`{"do":"fork"}`)
	if got := words(p.refused(t).Why); !strings.Contains(got, "no run") {
		t.Errorf("without a run it says %q", got)
	}
	p.send(`{"do":"file","name":"1"}`)
	if _, ok := p.next().(*protocol.Run); !ok {
		t.Fatal("the file is no run")
	}
	for _, ask := range []string{`{"do":"fork","at_ms":2500}`, `{"do":"fork","at_ms":2500,"path":"/zkviz"}`} {
		p.send(ask)
		m, ok := p.next().(*protocol.Fork)
		if !ok || m.Use != "lock" || !strings.Contains(m.Query, "clients=3&") || m.Whole != "" || len(m.Said) == 0 ||
			!strings.HasPrefix(m.Seen, "lock_") {
			t.Errorf("%s gets %+v", ask, m)
		}
	}
	for ask, want := range map[string]string{
		`{"do":"fork","branch":7}`:        "7",
		`{"do":"fork","branch":-1}`:       "-1",
		`{"do":"fork","at_ms":-1}`:        "at_ms",
		`{"do":"fork","path":"zkviz"}`:    "zkviz",
		`{"do":"fork","at_ms":1e30}`:      "",
		`{"do":"fork","moment":"sooner"}`: "moment",
	} {
		p.send(ask)
		if got := words(p.refused(t).Why); !strings.Contains(got, want) {
			t.Errorf("%s is refused with %q", ask, got)
		}
	}
}

// TestWhatIfOfMuch checks that a fork that is too long for an address comes whole and in part.
func TestWhatIfOfMuch(t *testing.T) {
	p := forking(t, traced(t, run.Scenario{Recipe: "unique-lock", Clients: 90, Hold: 300 * time.Millisecond}))
	p.send(`{"do":"file","name":"1"}`)
	p.next()
	p.send(`{"do":"fork","at_ms":5000}`)
	m, ok := p.next().(*protocol.Fork)
	if !ok || len(m.Query) > longestFork || len(m.Whole) <= longestFork || !strings.Contains(m.Whole, "clients=90&") {
		t.Errorf("it gets %+v", m)
	}
}

// TestWhatIfNobodyWaits checks that reading a log for a fork ends with its request.
func TestWhatIfNobodyWaits(t *testing.T) {
	s := New(Config{})
	t.Cleanup(s.Close)
	r, err := s.openRoom(t.Context(), "a", protocol.Request{Query: "recipe=unique-lock&clients=20"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.factsOf(ctx, r, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 0)
	defer cancel()
	if _, err := s.factsOf(ctx, r, 0); words(sentence.From(err)) == "" || !errors.As(err, new(Busy)) {
		t.Errorf("out of time it ends with %v", err)
	}
}
