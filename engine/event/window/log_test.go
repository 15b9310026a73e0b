package window_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/window"
)

// begun returns a log without its first event.
func begun(root string, most int) *window.Log {
	l := window.NewLog(root, most, 0, time.UnixMilli(0), 0)
	l.Who = func(event.Actor) string { return "somewhere" }
	l.Events()
	return l
}

// TestLogLength fills logs.
func TestLogLength(t *testing.T) {
	for asked, want := range map[int]int{
		-1: window.MaxEvents, 0: window.MaxEvents, 1: window.MinEvents, window.MinEvents: window.MinEvents,
		window.MinEvents + 1: window.MinEvents + 1, window.MaxEvents + 1: window.MaxEvents,
	} {
		if l := begun("/", asked); l.Room() != want {
			t.Errorf("asked for %d, a log has %d", asked, l.Room())
		}
	}
	l := begun("/", window.MinEvents)
	for i := range 2 * window.MinEvents {
		l.Say(0, event.Event{Kind: event.RecipeNote})
		if full := i >= window.MinEvents-2; l.Full() != full { // reserve room for the last event
			t.Fatalf("after %d more events it is full: %v", i+1, l.Full())
		}
	}
	if n := len(l.Events()); n != window.MinEvents-2 {
		t.Errorf("%d events", n)
	}
	if last := l.End(7, event.EndEvents); last.Seq != window.MinEvents || last.At != 7 || last.Kind != event.RunEnded {
		t.Errorf("it ends with %v", last)
	}
	l = begun("/", 0)
	if l.End(0, event.EndCancelled); l.Say(0, event.Event{Kind: event.RecipeNote}) != 0 {
		t.Error("it goes on after its end")
	}
}

// TestLogPaths leaves out other znodes and long paths.
func TestLogPaths(t *testing.T) {
	l := begun("/", 0)
	fits := "/" + strings.Repeat("x", window.MaxPath-1)
	for range 2 {
		l.Take(0, 1, event.Event{Kind: event.ZnodeCreated, Path: fits})
		l.Take(0, 2, event.Event{Kind: event.ZnodeCreated, Path: fits + "x"})
	}
	if e := l.Events(); len(e) != 3 || e[0].Path != fits || e[1].Kind != event.RecipeNote || e[2].Path != fits {
		t.Errorf("it says %v", e)
	}
	for path, below := range map[string]bool{"/a": true, "/a/b": true, "/ab": false, "/": false, "/b/a": false} {
		l := begun("/a", 0)
		if l.Take(0, 1, event.Event{Kind: event.ZnodeCreated, Path: path}); len(l.Events()) > 0 != below {
			t.Errorf("%q is below: %v", path, !below)
		}
	}
}

// TestLogClients numbers clients in order of arrival, as many as there is room for.
func TestLogClients(t *testing.T) {
	arrive := func(l *window.Log, n event.Actor) []event.Event {
		l.Take(0, event.Seq(n), event.Event{Kind: event.OpSent, Actor: n})
		l.Take(0, event.Seq(n), event.Event{Kind: event.ZnodeCreated, Path: "/x", Peer: n})
		return l.Events()
	}
	for most, room := range map[int]event.Actor{200: 25, 0: window.MaxClients} {
		l := begun("/", most)
		for n := event.Actor(1); n <= room; n++ {
			e := arrive(l, 1000+n)
			if len(e) != 3 || e[0].Kind != event.ClientStarted || e[0].Text != "somewhere" ||
				e[1].Actor != n || e[2].Peer != n {
				t.Fatalf("the client %d comes as %v", n, e)
			}
		}
		e := arrive(l, 5000)
		if len(e) != 2 || e[0].Kind != event.RecipeNote || e[1].Kind != event.ZnodeCreated ||
			e[1].Peer != event.ZooKeeper || l.Full() {
			t.Errorf("one more comes as %v; the log is full: %v", e, l.Full())
		}
		l.Take(0, 1, event.Event{Kind: event.SessionExpired, Peer: 1001})
		if arrive(l, 5001); !l.Full() {
			t.Error("when one has gone no new log begins")
		}
	}
}

// TestLogCauses follows causes across events that were left out, as far back as they are known.
func TestLogCauses(t *testing.T) {
	const recent = 1 << 12
	l := begun("/a", 0)
	l.Take(0, 7, event.Event{Kind: event.ZnodeCreated, Path: "/a"})
	l.Take(0, 8, event.Event{Kind: event.ZnodeCreated, Path: "/elsewhere", Cause: 7})
	for i, c := range []struct{ theirs, mine event.Seq }{{7, 2}, {8, 2}, {9, 0}, {0, 0}, {7 + recent, 0}} {
		l.Take(0, event.Seq(100+i), event.Event{Kind: event.ZnodeChanged, Path: "/a", Cause: c.theirs})
		if e := l.Events(); e[len(e)-1].Cause != c.mine {
			t.Errorf("the cause %d is %d, not %d", c.theirs, e[len(e)-1].Cause, c.mine)
		}
	}
	for i, want := range []event.Seq{2, 2, 0} {
		l.Take(0, event.Seq(7+recent-1+i), event.Event{Kind: event.ZnodeChanged, Path: "/a", Cause: 7})
		if e := l.Events(); e[0].Cause != want {
			t.Errorf("of the change %d the cause is %d, not %d", i, e[0].Cause, want)
		}
	}
}

// TestLogSays mixes programs' reports with the server's events. Each has a number, a time and, if known, a cause.
func TestLogSays(t *testing.T) {
	const session = 77
	l := window.NewLog("/", 0, time.Second, time.UnixMilli(0), 0)
	take := func(at time.Duration, seq event.Seq, e event.Event) { l.Take(time.Second+at, seq, e) }
	say := func(at time.Duration, e event.Event) { l.Say(time.Second+at, e) }
	take(0, 20, event.Event{Kind: event.SessionCreated, Peer: 9, Session: session})
	say(0, event.Event{Kind: event.RecipePhase, Actor: 1, Text: string(program.Waiting)})
	take(0, 21, event.Event{Kind: event.OpSent, Actor: 9, Op: event.Get, Path: "/soon"})
	take(time.Second, 22, event.Event{Kind: event.OpDone, Actor: 9, Op: event.Get, Path: "/soon", Cause: 21})
	take(3*time.Second-1, 23, event.Event{Kind: event.OpSent, Actor: 9, Op: event.Get, Path: "/just"})
	take(3*time.Second, 24, event.Event{Kind: event.OpSent, Actor: 9, Op: event.Get, Path: "/late"})
	take(3*time.Second, 25, event.Event{Kind: event.OpSent, Actor: 8, Op: event.Get, Path: "/other"})
	say(4*time.Second, event.Event{Kind: event.ClientPaused, Actor: 1})
	take(5*time.Second, 26, event.Event{Kind: event.SessionExpired, Peer: 9, Cause: 20})
	say(6*time.Second, event.Event{Kind: event.ClientResumed, Actor: 1})
	take(7*time.Second, 27, event.Event{Kind: event.SessionExpired, Peer: 9, Cause: 20})
	say(8*time.Second, event.Event{Kind: event.FaultInjected, Peer: 1})
	take(9*time.Second, 28, event.Event{Kind: event.SessionExpired, Peer: 9})
	say(9*time.Second, event.Event{Kind: event.RecipePhase, Actor: 1, Text: string(program.Waiting)})
	take(9*time.Second, 29, event.Event{Kind: event.SessionExpired, Peer: 9})
	take(9*time.Second, 30, event.Event{Kind: event.SessionClosed, Peer: 8})
	take(9*time.Second, 0, event.Event{Kind: event.ConnOpened, Actor: 9})
	take(9*time.Second, 31, event.Event{Kind: event.OpSent, Actor: 9, Op: event.Get, Path: "/old"})
	const want = `1 0s run.started 0 0 "/" because of 0
2 0s client.started 1 0 "" because of 0
3 0s session.created 0 1 "" because of 0
4 0s recipe.phase 1 0 "" because of 0
5 0s op.sent 1 0 "/soon" because of 4
6 1s op.done 1 0 "/soon" because of 5
7 2.999999999s op.sent 1 0 "/just" because of 6
8 3s op.sent 1 0 "/late" because of 0
9 3s client.started 2 0 "" because of 0
10 3s op.sent 2 0 "/other" because of 0
11 4s client.paused 1 0 "" because of 0
12 5s session.expired 0 1 "" because of 11
13 6s client.resumed 1 0 "" because of 0
14 7s session.expired 0 1 "" because of 3
15 8s fault.injected 0 1 "" because of 0
16 9s session.expired 0 1 "" because of 15
17 9s recipe.phase 1 0 "" because of 0
18 9s session.expired 0 1 "" because of 0
19 9s session.closed 0 2 "" because of 0
20 9s client.exited 2 0 "" because of 19
21 9s conn.opened 1 0 "" because of 0
22 9s op.sent 1 0 "/old" because of 0
`
	var text strings.Builder
	for _, e := range l.Events() {
		fmt.Fprintf(&text, "%d %v %v %d %d %q because of %d\n", e.Seq, e.At, e.Kind, e.Actor, e.Peer, e.Path, e.Cause)
	}
	if text.String() != want {
		t.Errorf("it says\n%s", text.String())
	}
}
