package port_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/redis/port"
)

// log is an observation being recorded.
type log struct {
	mu     sync.Mutex
	events []event.Event
	more   chan struct{}
	done   chan error
}

func (l *log) Append(e event.Event) {
	l.mu.Lock()
	l.events = append(l.events, e)
	l.mu.Unlock()
	select {
	case l.more <- struct{}{}:
	default:
	}
}

// observe observes until the test ends.
func observe(t *testing.T, s *port.Server, most int) *log {
	t.Helper()
	l := &log{more: make(chan struct{}, 1), done: make(chan error, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	go func() { l.done <- s.Observe(ctx, port.Root, l, most, nil) }()
	t.Cleanup(func() {
		cancel()
		if err := <-l.done; !errors.Is(err, context.Canceled) && !errors.Is(err, event.ErrLogFull) {
			t.Error(err)
		}
	})
	l.until(t, event.RunStarted, "")
	return l
}

// until returns the events up to the first of that kind with that text.
func (l *log) until(t *testing.T, kind event.Kind, text string) []event.Event {
	t.Helper()
	end := time.After(10 * time.Minute)
	for {
		l.mu.Lock()
		for i, e := range l.events {
			if e.Kind == kind && (text == "" || e.Text == text) {
				defer l.mu.Unlock()
				return slices.Clone(l.events[:i+1])
			}
		}
		so := told(l.events)
		l.mu.Unlock()
		select {
		case <-l.more:
		case <-end:
			t.Fatalf("no %v %q in\n%s", kind, text, so)
		}
	}
}

// told returns events as text, one a line.
func told(events []event.Event) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "%d %s", e.Seq, e.Kind)
		for _, a := range []event.Actor{e.Actor, e.Peer} {
			if a != event.ZooKeeper {
				fmt.Fprintf(&b, " %v", a)
			}
		}
		if e.Path != "" {
			fmt.Fprintf(&b, " at %s", e.Path)
		}
		if e.Text != "" && (e.Kind != event.ClientStarted || !strings.Contains(e.Text, ":")) {
			fmt.Fprintf(&b, " %q", e.Text)
		}
		if e.N != 0 && e.Kind != event.RunStarted { // an absolute time
			b.WriteString(" ends")
		}
		if e.Reason != event.NoReason {
			fmt.Fprintf(&b, " %v", e.Reason)
		}
		if e.Cause != 0 {
			fmt.Fprintf(&b, " because of %d", e.Cause)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestObserve checks that an observation reports what existed before and what clients do, from their names to the
// effects.
func TestObserve(t *testing.T) {
	s, addr := start(t, port.Config{})
	old := dial(t, addr)
	old.ask(t, "HELLO", "2", "SETNAME", "old")
	old.ask(t, "SET", "kept", "x", "PX", "600000")
	old.ask(t, "SUBSCRIBE", "news")
	gone := dial(t, addr)
	gone.ask(t, "SET", "left", "y")
	gone.ask(t, "QUIT")
	for { // until the server has noticed
		if !strings.Contains(dialed(t, addr, "CLIENT", "LIST"), "id=2 ") {
			break
		}
	}
	l := observe(t, s, 0)
	a := dial(t, addr)
	a.ask(t, "CLIENT", "SETNAME", "a")
	a.ask(t, "set", "lock", "a", "NX", "PX", "40") // case doesn't matter
	for a.ask(t, "EXISTS", "lock") != "0" {
		time.Sleep(10 * time.Millisecond)
	}
	a.ask(t, "PUBLISH", "news", "hello")
	a.send(t, "BLPOP", "list", "0.01")
	a.read(t)
	a.ask(t, "CLIENT", "SETNAME", "b")
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	events := l.until(t, event.ClientExited, "")
	var kept []string
	for line := range strings.SplitSeq(told(events), "\n") {
		_, rest, _ := strings.Cut(line, " ")
		what, _, _ := strings.Cut(rest, " because of")
		// The number of times it asks whether the key exists depends on the machine.
		if !strings.Contains(what, "EXISTS") && !strings.HasSuffix(what, `lock "1"`) && !strings.HasSuffix(what, `lock "0"`) {
			kept = append(kept, what)
		}
	}
	want := `run.started at /
client.started client-1 "old"
conn.opened client-1 node-1
op.sent client-1 node-1 at news "SUBSCRIBE news"
op.done client-1 node-1 at news
entry.set node-1 client-1 at kept "x" ends
entry.set node-1 at left "y"
client.started client-2 "a"
conn.opened client-2 node-1
op.sent client-2 node-1 at lock "SET lock a NX PX 40"
entry.set node-1 client-2 at lock "a" ends
msg.sent node-1 client-2 at lock "OK"
op.done client-2 node-1 at lock "OK"
entry.gone node-1 at lock timer
op.sent client-2 node-1 at news "PUBLISH news hello"
push.sent node-1 client-1 at news "hello"
push.delivered client-1 node-1 at news "hello"
msg.sent node-1 client-2 at news "1"
op.done client-2 node-1 at news "1"
op.sent client-2 node-1 at list "BLPOP list 0.01"
request.waits node-1 client-2 at list
request.served node-1 client-2 at list timer
msg.sent node-1 client-2 at list "(nil)"
op.done client-2 node-1 at list "(nil)"
client.started client-2 "b"
conn.closed client-2 node-1 lost
client.exited client-2
`
	if got := strings.Join(kept, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if last := events[len(events)-1]; events[last.Cause-1].Kind != event.ConnClosed {
		t.Errorf("a client is gone because of %v, want the end of its connection", events[last.Cause-1])
	}
	for _, e := range events {
		if e.Kind == event.EntrySet && e.Path == "lock" {
			if ends := time.Duration(e.N) - e.At; ends < 30*time.Millisecond || ends > 50*time.Millisecond {
				t.Errorf("the key is to be there for another %v", ends)
			}
		}
	}
}

// dialed sends a command on a new connection.
func dialed(t *testing.T, addr string, words ...string) string {
	c := dial(t, addr)
	defer c.Close()
	return c.ask(t, words...)
}

// TestObserveLimits checks that no text or path in a log exceeds its limit, whatever clients send, and that a full log
// ends.
func TestObserveLimits(t *testing.T) {
	s, addr := start(t, port.Config{})
	a := dial(t, addr)
	long := strings.Repeat("\xff<b>\x1b[31m", 10_000)
	a.ask(t, "SET", long, long)
	a.ask(t, "CLIENT", "SETNAME", strings.Repeat("x", 65))
	a.ask(t, "RPUSH", "list", long[:1000], long)
	l := observe(t, s, capMin)
	for range capMin {
		a.ask(t, "SET", long, long)
		a.ask(t, "SET", "<b>"+long[:100], long)
		a.ask(t, long, long)
	}
	for _, e := range l.until(t, event.RunEnded, "") {
		if len(e.Text) > event.MaxText || len(e.Path) > 3*1024 {
			t.Errorf("%v has a text of %d and a path of %d bytes", e.Kind, len(e.Text), len(e.Path))
		}
	}
}

// capMin is the minimum length of a log.
const capMin = 100
