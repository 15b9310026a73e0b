package sim_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// asking makes requests for twelve seconds, ten times a second.
func asking(c zoo.Client) error {
	for c.Now() < 12*time.Second {
		if _, _, err := c.Exists("/x"); err != nil && !strings.Contains(err.Error(), "connection loss") {
			return err
		}
		if err := c.Sleep(100 * time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// closings lists the reasons why a client lost its connection.
var closings = map[event.Reason]string{
	event.ConnSilent: "gives up", event.ConnHungUp: "hung up", event.BySessionExpired: "told of the end",
}

// story lists what is unusual in a log, and when: the events of a fault, slow answers, and the first lost ones.
func story(events []event.Event) []string {
	var list []string
	slow, lost := false, false
	add := func(e event.Event, what string) { list = append(list, fmt.Sprintf("%.1f %s", e.At.Seconds(), what)) }
	for _, e := range events {
		switch e.Kind {
		case event.ClientPaused, event.ClientResumed, event.ClientCrashed, event.SessionExpired, event.ServerStopped,
			event.ServerStarted, event.ClockJumped:
			add(e, e.Kind.String())
		case event.ConnClosed:
			add(e, closings[e.Reason])
		case event.ConnOpened:
			if e.At > 100*time.Millisecond {
				add(e, "opened")
			}
		case event.MsgDropped:
			if !lost {
				add(e, "lost")
			}
			lost = true
		case event.MsgSent:
			if is := e.N > int64(5*time.Millisecond); is != slow {
				add(e, "answers take "+time.Duration(e.N).String())
				slow = is
			}
			lost = lost && e.Op != event.Exists
		}
	}
	return list
}

// TestEachFault checks what each kind does alone, on top of itself, and to a client that has ended.
func TestEachFault(t *testing.T) {
	shown := map[fault.Kind]bool{}
	for _, c := range []struct{ faults, story string }{
		{"", ""},
		{"pause client-1 at 1s for 1s", "1.0 client.paused; 2.0 client.resumed"},
		{"pause client-1 at 1s for 2s, pause client-1 at 2s for 2s",
			"1.0 client.paused; 2.0 client.paused; 4.0 client.resumed; 4.0 gives up; 4.0 opened"},
		{"pause client-1 at 1s for 3s, pause client-1 at 2s for 1s",
			"1.0 client.paused; 2.0 client.paused; 4.0 client.resumed; 4.0 gives up; 4.0 opened"},
		{"pause client-1 at 1s for 8s",
			"1.0 client.paused; 6.0 session.expired; 9.0 client.resumed; 9.0 gives up; 9.0 lost; 9.0 told of the end"},
		{"crash client-1 at 1s", "1.0 client.crashed; 6.0 session.expired"},
		{"pause client-1 at 1s for 3s, crash client-1 at 2s",
			"1.0 client.paused; 2.0 client.crashed; 6.0 session.expired"},
		{"crash client-1 at 1s, pause client-1 at 2s for 1s, cut client-1 at 2s for 1s, crash client-1 at 3s",
			"1.0 client.crashed; 6.0 session.expired"},
		{"crash client-1 at 1s, expire client-1 at 2s", "1.0 client.crashed; 6.0 session.expired"},
		{"crash client-1 at 1s, restart server at 2s for 1s",
			"1.0 client.crashed; 2.0 server.stopped; 3.0 server.started; 8.0 session.expired"},
		{"expire client-1 at 1s", "1.0 session.expired; 1.0 hung up; 1.0 told of the end"},
		{"drop client-1 at 1s", "1.0 lost; 1.0 hung up; 1.1 opened"},
		{"cut client-1 at 1s for 1s", "1.0 lost; 3.6 gives up; 3.6 opened"},
		{"cut client-1 at 1010ms for 10ms", ""},
		{"cut client-1 at 1s for 8s", "1.0 lost; 3.6 gives up; 6.0 session.expired; 9.2 told of the end"},
		{"cut client-1 at 1s for 2s, cut client-1 at 2s for 3s", "1.0 lost; 3.6 gives up; 5.2 opened"},
		{"cut client-1 at 1s for 4s, cut client-1 at 2s for 1s", "1.0 lost; 3.6 gives up; 5.2 opened"},
		{"delay client-1 at 1s for 1s", "1.1 answers take 20ms; 2.0 answers take 2ms"},
		{"delay client-1 at 1s for 2s, delay client-1 at 2s for 2s", "1.1 answers take 20ms; 4.0 answers take 2ms"},
		{"delay client-1 at 1s for 3s, delay client-1 at 2s for 1s", "1.1 answers take 20ms; 4.0 answers take 2ms"},
		{"restart server at 1s for 1s", "1.0 server.stopped; 1.0 hung up; 1.0 lost; 2.0 server.started; 2.2 opened"},
		{"restart server at 1s for 2s, restart server at 2s for 2s",
			"1.0 server.stopped; 1.0 hung up; 1.0 lost; 4.0 server.started; 4.2 opened"},
		{"restart server at 1s for 3s, restart server at 2s for 1s",
			"1.0 server.stopped; 1.0 hung up; 1.0 lost; 4.0 server.started; 4.2 opened"},
		{"restart server at 1s for 9s",
			"1.0 server.stopped; 1.0 hung up; 1.0 lost; 10.0 server.started; 10.2 opened"},
		{"jump server at 1s by -300ms", "1.0 clock.jumped"},
		{"jump server at 1s by 24h, pause client-1 at 2s for 1s", "1.0 clock.jumped; 2.0 client.paused; 3.0 client.resumed"},
		{"crash client-1 at 1s, jump server at 2s by -24h, jump server at 3s by 24h",
			"1.0 client.crashed; 2.0 clock.jumped; 3.0 clock.jumped; 6.0 session.expired"},
		{"jump server at 0s by -1s", ""}, // it shows the time since the run began
		{"expire client-1 at 1ms", ""},   // it has no session yet
		{"crash client-1 at 0s", "0.0 client.crashed"},
		{"crash client-1 at 3ms", "0.0 client.crashed; 6.0 session.expired"},
		{"pause client-1 at 0s for 1s", "0.0 client.paused; 1.0 client.resumed; 1.0 opened"},
		{"cut client-1 at 0s for 1s", "0.0 lost; 1.2 opened"},
		{"restart server at 0s for 1s", "0.0 server.stopped; 0.0 lost; 1.0 server.started; 1.2 opened; 1.2 opened"},
		{"drop exists 11 from client-1 to server at 1045ms", "1.0 lost; 1.0 hung up; 1.1 opened"},
		{"drop exists 11 from server to client-1 at 1047ms", "1.0 lost; 1.0 hung up; 1.1 opened"},
		{"delay exists 11 from client-1 to server at 1045ms for 500ms", ""},
		{"delay exists 11 from client-1 to server at 1045ms for 3s",
			"2.4 answers take 1.668666667s; 3.6 gives up; 3.6 answers take 2ms; 3.6 opened; 4.0 lost"},
		{"delay exists 11 from server to client-1 at 1047ms for 8s",
			"2.4 answers take 6.668666667s; 3.6 gives up; 3.6 answers take 2ms; 3.6 opened"},
		{"deliver exists 11 from client-1 to server at 1045ms", ""},
		{"delay exists 11 from client-1 to server at 1045ms for 2s, deliver exists 11 from client-1 to server at 2s", ""},
		{"delay exists 11 from server to client-1 at 1047ms for 8s, deliver exists 11 from server to client-1 at 3s",
			"2.4 answers take 6.668666667s; 3.1 answers take 2ms"},
		{"delay exists 11 from client-1 to server at 1045ms for 2s, drop exists 11 from client-1 to server at 2s",
			"2.0 lost; 2.0 hung up; 2.0 opened"},
		{"delay exists 11 from client-1 to server at 1045ms for 2s, crash client-1 at 2s",
			"2.0 client.crashed; 8.0 session.expired"},
		{"delay exists 11 from client-1 to server at 1045ms for 2s, restart server at 2s for 500ms",
			"2.0 server.stopped; 2.0 hung up; 2.0 lost; 2.5 server.started; 2.8 opened; 3.0 lost"},
		{"delay exists 11 from client-1 to server at 1045ms for 2s, cut client-1 at 2s for 500ms",
			"2.4 answers take 668.666667ms; 3.0 lost; 3.6 gives up; 3.6 answers take 2ms; 3.6 opened"},
		{"drop exists 11 from client-1 to server at 1s", ""}, // it isn't on its way
		{"crash client-2 at 1s, pause client-2 at 1s for 1s, cut client-2 at 1s for 1s, expire client-2 at 1s, " +
			"drop client-2 at 1s, delay client-2 at 1s for 1s",
			""},
	} {
		var tr trial
		if c.faults != "" {
			tr = tr.with(t, strings.Split(c.faults, ", ")...)
		}
		if len(tr.cfg.Faults) == 1 && c.story != "" {
			shown[tr.cfg.Faults[0].Kind] = true
		}
		tr.cfg.SessionTimeout, tr.cfg.Latency = 4*time.Second, 2*time.Millisecond
		log := play(t, tr.cfg, asking, func(zoo.Client) error { return nil })
		if got := strings.Join(story(log), "; "); got != c.story {
			t.Errorf("%q:\ngot  %s\nwant %s", c.faults, got, c.story)
		}
		if got := len(kinds(log, event.FaultInjected)); got != len(tr.cfg.Faults) || ending(log) != event.EndAllDone {
			t.Errorf("%q: %d faults happen; it ended because %s", c.faults, got, ending(log))
		}
	}
	for _, k := range fault.Kinds() {
		if !shown[k] {
			t.Errorf("no row of this test has %s alone, with the story that it makes", k)
		}
	}
}
