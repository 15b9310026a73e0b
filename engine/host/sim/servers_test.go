package sim_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/testing/golden"
)

// on puts the trial on that many servers, with short ticks.
func (tr trial) on(servers int) trial {
	tr.cfg.Servers, tr.cfg.Tick = servers, 500*time.Millisecond
	return tr
}

// quietly leaves out heartbeats between servers and clients.
func quietly(events []event.Event) []event.Event {
	return slices.DeleteFunc(slices.Clone(events), func(e event.Event) bool {
		return (e.Op == event.ServerPing || e.Op == event.Ping) && (e.Kind == event.MsgSent || e.Kind == event.MsgReceived)
	})
}

// TestGoldenServers keeps whole logs of small runs on three servers, to be read like a story.
func TestGoldenServers(t *testing.T) {
	holding := calm("predecessor-lock", 2).on(3)
	holding.hold = 2 * time.Second
	for name, tr := range map[string]trial{
		// A write goes through the leader; its client's own server answers.
		"servers": calm("unique-lock", 1).on(3),
		// The leader crashes while a client holds the lock. Another one leads, and the sessions move.
		"servers-crash": holding.with(t, "crash server-3 at 1s"),
		// One server is cut off, and its client notices when it hears nothing more.
		"servers-partition": holding.with(t, "partition server-1 | server-2 server-3 at 1s for 20s"),
	} {
		t.Run(name, func(t *testing.T) {
			tr.lines = false
			golden.Compare(t, filepath.Join("testdata", name+".txt"), text(quietly(tr.log(t))))
		})
	}
}

// TestSameLogOnServers checks that one seed gives one log, natively and in a browser.
func TestSameLogOnServers(t *testing.T) {
	const want = "4180 events, 833af3bdfc546cd0"
	tr := calm("predecessor-lock", 5).on(5).with(t, "power server-5 at 300ms for 2s", "pause server-4 at 1s for 4s",
		"partition server-1 server-2 | server-3 server-4 server-5 at 3s for 5s")
	tr.hold, tr.cfg.Observers = time.Second, 1
	got := tr.hash(t)
	if again := tr.hash(t); again != got || got != want {
		t.Errorf("the logs are %s and %s, want %s", got, again, want)
	}
}

// TestClientsMove checks that clients move to another server with their session when their server is down.
func TestClientsMove(t *testing.T) {
	tr := calm("predecessor-lock", 6).on(3).with(t, "crash server-3 at 1s")
	tr.hold = time.Second
	sessions, moved := map[event.Actor]int64{}, 0
	for _, e := range kinds(tr.log(t), event.ConnOpened) {
		if e.Peer.Kind() != event.AServer {
			t.Errorf("%v is connected to %v", e.Actor, e.Peer)
		}
		if before := sessions[e.Actor]; before != 0 {
			if moved++; before != e.Session || e.At > time.Second && e.Peer == event.Server(3) {
				t.Errorf("%v comes to %v with session %#x, and had %#x", e.Actor, e.Peer, e.Session, before)
			}
		}
		sessions[e.Actor] = e.Session
	}
	if moved == 0 {
		t.Error("nobody has moved")
	}
}

// TestLateWelcome checks a server that was paused and welcomes clients late. They have since been at another one and
// have seen more. A client takes only the welcome to its running attempt.
func TestLateWelcome(t *testing.T) {
	tr := calm("unique-lock", 1).on(3).with(t, "pause server-3 at 1s for 20s", "crash server-2 at 12s")
	tr.cfg.Tick, tr.cfg.SessionTimeout = 2*time.Second, 4*time.Second
	tr.hold, tr.rounds = time.Second, 2
	events := tr.log(t)
	causeOf := func(e event.Event) event.Event { return events[e.Cause-1] }
	var asked, late event.Seq
	for _, e := range events {
		switch {
		case e.Kind == event.MsgSent && e.Op == event.Connect && e.Actor == 1:
			asked = e.Seq
		case e.Kind == event.MsgSent && e.Op == event.Connect && causeOf(e).Kind == event.MsgReceived &&
			causeOf(e).Cause < asked:
			late = e.Seq
		case e.Kind == event.ConnOpened && e.Cause == late:
			t.Errorf("%v comes in at %v by an attempt that it has given up", e.Actor, e.At)
		}
	}
	if late == 0 {
		t.Error("nobody is welcomed too late")
	}
}

// TestFaultsOnServersKeepThePast checks that events before a fault are the same as without it.
func TestFaultsOnServersKeepThePast(t *testing.T) {
	calmly := calm("predecessor-lock", 3).on(3)
	calmly.hold = time.Second
	without := calmly.log(t)
	for _, f := range []string{"crash server-3 at 1s", "power server-1 at 1s for 1s", "pause server-2 at 1s for 1s",
		"slow server-3 at 1s for 1s", "partition server-1 | server-2 server-3 at 1s for 1s",
		"cut client-1 from server-2 at 1s for 1s", "restart server at 1s for 1s"} {
		with := calmly.with(t, f).log(t)
		for i := range with {
			if with[i].At >= time.Second {
				break
			}
			if with[i] != without[i] {
				t.Fatalf("%s: event %d is %v, and without it %v", f, i, with[i], without[i])
			}
		}
	}
}

// BenchmarkServers runs a hundred clients on three servers, with no reader.
func BenchmarkServers(b *testing.B) {
	tr := calm("predecessor-lock", 100).on(3)
	var n counter
	for b.Loop() {
		tr.run(b, &n)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
}
