package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/trace"
)

// worst is a trace with 90,000 of something, or with the maximum number of clients.
type worst struct {
	recipe string
	log    []event.Event
}

func worstTraces() map[string]worst {
	watch := func(i int) event.Event {
		return event.Event{Kind: event.WatchSet, Peer: 1, Path: fmt.Sprintf("/r/n-%d", i), Watch: event.DataWatch}
	}
	reader := func(i int) event.Event {
		return event.Event{Kind: event.RecipePhase, Actor: event.Actor(i%event.MaxActor + 1), Text: string(program.Reading),
			Path: fmt.Sprintf("/r/read-%010d", i)}
	}
	return map[string]worst{
		"watches": {"predecessor-lock", several(90_000, watch)},
		"znodes": {"predecessor-lock", append(several(90_000, falling(event.ZnodeCreated)),
			several(90_000, falling(event.ZnodeDeleted))...)},
		"readers": {"read-write-lock", several(90_000, reader)},
	}
}

func several(n int, one func(i int) event.Event) (log []event.Event) {
	for i := range n {
		log = append(log, one(i))
	}
	return log
}

// falling returns events about one client's ephemeral znodes. Each one sorts before the earlier ones.
func falling(kind event.Kind) func(i int) event.Event {
	return func(i int) event.Event {
		e := event.Event{Kind: kind, Peer: 1, Path: fmt.Sprintf("/r/n-%010d", 100_000-i), Session: 1, Zxid: int64(i)}
		if kind == event.ZnodeDeleted {
			e.Reason, e.Session = event.BySessionExpired, 0
		}
		return e
	}
}

// TestWorstTraces reads traces that would take minutes if an event's cost depended on the state's size.
func TestWorstTraces(t *testing.T) {
	for name, c := range worstTraces() {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "worst.trace")
			saveTrace(t, file, event.Header{Recipe: c.recipe, Host: "sim", Root: "/r", Clients: 10}, c.log)
			var said bytes.Buffer
			term := &terminal{ctx: t.Context(), out: io.Discard, err: &said}
			if code := execute([]string{"check", file}, term); code != 0 {
				t.Errorf("check says %d: %s", code, said.String())
			}
			if code := execute([]string{"render", file}, term); code != 0 {
				t.Errorf("render says %d: %s", code, said.String())
			}
		})
	}
}

func saveTrace(t *testing.T, file string, h event.Header, log []event.Event) {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := trace.NewWriter(f, h)
	end := event.Event{Kind: event.RunEnded, Reason: event.EndAllDone}
	for i, e := range append(log, end) {
		e.Seq, e.At = event.Seq(i+1), time.Duration(i)*time.Microsecond
		w.Append(e)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
}
