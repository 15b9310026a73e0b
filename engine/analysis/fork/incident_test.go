package fork

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/recipes"
)

// incident returns a lock whose second holder is paused until its session has expired, while others wait.
func incident(t *testing.T) []event.Event {
	t.Helper()
	s := run.Scenario{Recipe: "children-lock", Clients: 5, Hold: time.Second, Stagger: 300 * time.Millisecond,
		SessionTimeout: 6 * time.Second,
		Faults:         []fault.Fault{{Kind: fault.Pause, Client: 2, At: 1500 * time.Millisecond, For: 20 * time.Second}}}
	return simulate(t, s.WithDefaults())
}

// waited returns the total wait of a run's clients.
func waited(t *testing.T, log []event.Event) (all time.Duration) {
	t.Helper()
	l, _ := Read(event.Header{Host: event.Joined}, joined(log)).findLine("")
	for _, p := range l.places {
		all += min(p.in, p.left) - p.came
	}
	return all
}

// TestPausedHolder: the fork of an incident has the same holders, one after the other, and the same wait; without
// the pause the wait is gone. If the session timeout is longer than the pause, nobody loses its session.
func TestPausedHolder(t *testing.T) {
	log := incident(t)
	h := event.Header{Host: event.Joined}
	f, err := Read(h, joined(log)).Fork(Config{})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Faults) != 1 || f.Faults[0].Kind != fault.Pause || f.Faults[0].Client != 2 || f.Timeout != 6*time.Second {
		t.Errorf("what was seen is %v with %v", f.Faults, f.Timeout)
	}
	s := of(t, f, "predecessor-lock")
	again := simulate(t, s)
	if a, b := order(t, h, joined(log)), order(t, h, joined(again)); !slices.Equal(a, b) {
		t.Errorf("they got in in the order %v, and in the fork %v", a, b)
	}
	if a, b := waited(t, log), waited(t, again); (a-b).Abs() > 4*4*time.Second || b < 20*time.Second {
		t.Errorf("they waited for %v, and in the fork for %v", a, b)
	}
	s.Faults = nil
	calm := simulate(t, s)
	if w := waited(t, calm); 2*w > waited(t, log) {
		t.Errorf("without the pause they wait for %v", w)
	}
	said := ""
	for _, x := range f.Compare(s.Header(event.Simulated), slices.Values(calm)) {
		said += told(x) + "\n"
	}
	if !strings.HasPrefix(said, "Played again, it differs: 1 session expired while holding it, and here 0 "+
		"do. The first difference is the session of client-2, in its hold 1.\n") ||
		!strings.Contains(said, "the longest hold was ") || !strings.Contains(said, "the longest wait was ") {
		t.Errorf("without the pause it says\n%s", said)
	}
	patient := of(t, f, "predecessor-lock")
	patient.SessionTimeout = 30 * time.Second
	if slices.ContainsFunc(simulate(t, patient), func(e event.Event) bool { return e.Kind == event.SessionExpired }) {
		t.Error("a session of 30 s expires in a pause of 14 s")
	}
}

// keys returns the keys of what is said about a fork.
func keys(f Fork) string {
	var list []string
	for _, s := range f.Said {
		list = append(list, strings.TrimPrefix(s.Key, "fork."))
	}
	return strings.Join(list, " ")
}

// logOf makes a log of a few events.
func logOf(list ...event.Event) []event.Event {
	for i := range list {
		list[i].Seq = event.Seq(i + 1)
	}
	return list
}

const second = time.Second

func made(at time.Duration, who event.Actor, path string, session int64) event.Event {
	return event.Event{Kind: event.ZnodeCreated, At: at, Peer: who, Path: path, Session: session, Zxid: 1}
}

func gone(at time.Duration, who event.Actor, path string, why event.Reason) event.Event {
	return event.Event{Kind: event.ZnodeDeleted, At: at, Peer: who, Path: path, Reason: why}
}

// mutex returns one of Curator's: the second client has a permit's znode at 1 s, gets it at 3 s, and has it at the
// end, at 6 s. The third is at the door.
func mutex() []event.Event {
	name := func(folder string, n int) string {
		return fmt.Sprintf("/m/%ss/_c_0c5d7c0e-1f0e-4b8e-9f43-1f2c5a1a00%02d-%s-%010d", folder, n, folder, n)
	}
	return logOf(made(0, 1, name("lock", 1), 1), made(0, 1, name("lease", 1), 1),
		gone(0, 1, name("lock", 1), event.ByOp), made(second, 2, name("lock", 2), 2), made(second, 2, name("lease", 2), 2),
		gone(3*second, 1, name("lease", 1), event.ByOp), gone(3*second, 2, name("lock", 2), event.ByOp),
		made(4*second, 3, name("lock", 3), 3), made(4*second, 3, name("lease", 3), 3),
		made(5*second, 4, name("lock", 4), 4), gone(6*second, 2, name("lease", 2), event.ByOp))
}

// TestSaid: for each kind, how it is read, what becomes of it, and what is said.
func TestSaid(t *testing.T) {
	const kazoo = "0123456789abcdef0123456789abcdef"
	for _, c := range []struct {
		name string
		host event.Host
		cfg  Config
		log  []event.Event
		said string
		has  string // in the query
	}{
		{"a lock by its names", event.Joined, Config{}, logOf(
			event.Event{Kind: event.SessionCreated, Peer: 1, Session: 1, N: int64(8 * second)},
			event.Event{Kind: event.SessionCreated, Peer: 2, Session: 2, N: int64(30 * second)},
			made(second, 1, "/l/"+kazoo+"__lock__0000000001", 1), made(2*second, 2, "/l/"+kazoo+"__lock__0000000002", 2),
			gone(4*second, 1, "/l/"+kazoo+"__lock__0000000001", event.ByOp),
			gone(5*second, 2, "/l/"+kazoo+"__lock__0000000002", event.ByOp)),
			"use.lock", "client-2+at+2.0085s+for+998ms+timeout+30s"},
		{"by numbers, of which nobody told why they went", event.Observed, Config{}, logOf(
			made(second, 1, "/l/a-0000000001", 1), made(second, 2, "/l/a-0000000002", 2),
			gone(4*second, 1, "/l/a-0000000001", event.ByUnknown)),
			"use.lock.numbers open blind timeouts", "clients=2"},
		{"one that gives up, and one whose session has two places", event.Joined, Config{}, logOf(
			made(0, 1, "/l/lock-0000000001", 1), made(second, 2, "/l/lock-0000000002", 2),
			made(second, 1, "/l/lock-0000000003", 1), gone(2*second, 2, "/l/lock-0000000002", event.BySessionClosed),
			gone(3*second, 1, "/l/lock-0000000001", event.ByOp), gone(4*second, 1, "/l/lock-0000000003", event.ByOp)),
			"use.lock leavers shared timeouts", "fault=expire+client-2+at+2.01s"},
		{"a single znode", event.Joined, Config{Path: "/app/leader"}, logOf(
			made(0, 1, "/app/leader", 1), gone(second, 1, "/app/leader", event.ByOp),
			made(second, 2, "/app/leader", 2), gone(2*second, 2, "/app/leader", event.ByOp)),
			"single timeouts single.since", "clients=2"},
		{"readers and writers", event.Joined, Config{}, logOf(
			made(0, 1, "/l/read-0000000001", 1), made(0, 2, "/l/write-0000000002", 2),
			made(0, 3, "/l/read-0000000003", 3), gone(second, 1, "/l/read-0000000001", event.ByOp),
			gone(2*second, 2, "/l/write-0000000002", event.ByOp), gone(3*second, 3, "/l/read-0000000003", event.ByOp)),
			"use.read-write timeouts writers", "for+998ms+as+writer"},
		{"a semaphore", event.Joined, Config{}, logOf(made(0, 1, "/s-__lock__", 0), made(0, 1, "/s/"+kazoo, 1),
			gone(second, 1, "/s/"+kazoo, event.ByOp)),
			"use.permits timeouts semaphore", "clients=3"},
		{"a semaphore whose door is elsewhere", event.Joined, Config{Path: "/s"}, logOf(
			event.Event{Kind: event.ZnodeCreated, Peer: 1, Path: "/s", Text: "2"}, made(0, 1, "/s/"+kazoo, 1),
			gone(second, 1, "/s/"+kazoo, event.ByOp)),
			"use.permits timeouts semaphore", "clients=3"},
		{"one of Curator's, with a client at the door", event.Joined, Config{Path: "/m"}, mutex(), // and one left
			"use.permits open timeouts semaphore", "client-2+at+1.0085s+for+2.998s"},
		{"likewise, and nobody says which", event.Joined, Config{}, mutex(), "use.permits open timeouts semaphore",
			"clients=3"},
		{"likewise, by the door", event.Joined, Config{Path: "/m/locks"}, mutex(), "use.permits open timeouts semaphore",
			"clients=3"},
		{"a lock of no session's znode", event.Joined, Config{}, logOf(
			made(0, 1, "/l/"+kazoo+"__lock__0000000001", 0), made(second, 2, "/l/"+kazoo+"__lock__0000000002", 2),
			gone(4*second, 2, "/l/"+kazoo+"__lock__0000000001", event.ByOp),
			gone(5*second, 2, "/l/"+kazoo+"__lock__0000000002", event.ByOp)),
			"use.lock unowned timeouts", "client-1+at+8.5ms+for+3.998s"},
		{"one that lets go at once", event.Joined, Config{}, logOf(
			made(0, 1, "/l/lock-0000000001", 1), made(second, 2, "/l/lock-0000000002", 2),
			gone(2*second, 1, "/l/lock-0000000001", event.ByOp), gone(2*second, 2, "/l/lock-0000000002", event.ByOp)),
			"use.lock timeouts", "client-2+at+1.0085s+for+1ms"},
		{"a queue", event.Joined, Config{}, logOf(made(second, 1, "/q/item-0000000001", 0),
			made(second, 1, "/q/item-0000000002", 0), gone(2*second, 2, "/q/item-0000000001", event.ByOp),
			gone(3*second, 2, "/q/item-0000000002", event.ByOp)),
			"use.queue takers", "as+consumer"},
		{"more than there is room for", event.Joined, Config{Clients: 1}, logOf(made(0, 1, "/l/lock-0000000001", 1),
			made(0, 2, "/l/lock-0000000002", 2), gone(second, 1, "/l/lock-0000000001", event.ByOp)),
			"use.lock window cut open timeouts", "clients=1"},
		{"a server that was away", event.Tapped, Config{}, logOf(made(0, 1, "/l/lock-0000000001", 1),
			event.Event{Kind: event.ServerStopped, At: second}, event.Event{Kind: event.ServerStarted, At: 3 * second},
			gone(4*second, 1, "/l/lock-0000000001", event.ByOp)),
			"use.lock timeouts", "restart+server+at+1.01s+for+2s"},
		{"a client that was cut off and never came back", event.Tapped, Config{}, logOf(
			made(0, 1, "/l/lock-0000000001", 1), event.Event{Kind: event.ConnClosed, At: 2 * second, Actor: 1},
			event.Event{Kind: event.SessionExpired, At: 12 * second, Peer: 1, Session: 1},
			gone(12*second, 1, "/l/lock-0000000001", event.BySessionExpired)),
			"use.lock expired timeouts", "crash+client-1+in+hold+1+at+2s"},
	} {
		f, err := Read(event.Header{Host: c.host}, slices.Values(c.log)).Fork(c.cfg)
		if err != nil {
			t.Error(c.name, err)
			continue
		}
		if got := keys(f); got != c.said || !strings.Contains(f.Query("x"), c.has) {
			t.Errorf("%s: it says %q\n%s", c.name, got, f.Query("x"))
		}
		for _, r := range recipes.Using(f.Use) {
			if f.fewest() < r.MinClients && r.Kind == "recipe" && r.Name == recipes.Using(f.Use)[0].Name {
				t.Errorf("%s: %s takes %d clients", c.name, r.Name, r.MinClients)
			}
		}
		of(t, f, recipes.Using(f.Use)[0].Name)
	}
}

// TestNothing: where nobody stands in line, nothing can be forked.
func TestNothing(t *testing.T) {
	for _, log := range [][]event.Event{nil, logOf(made(0, 1, "/a", 0)), logOf(made(0, 1, "/m/host:8983_solr", 1))} {
		if f, err := Read(event.Header{}, slices.Values(log)).Fork(Config{}); sentence.From(err).Key != "fork.none" {
			t.Errorf("%+v, %v", f, err)
		}
	}
}

// TestFitting: a scenario that is too long for an address is cut to what was about that moment.
func TestFitting(t *testing.T) {
	var log []event.Event
	for i := range 300 {
		path := "/l/lock-" + string([]byte{'0', '0', '0', '0', '0', '0', '0', byte('0' + i/100), byte('0' + i/10%10),
			byte('0' + i%10)})
		at := time.Duration(i) * second
		log = append(log, made(at, event.Actor(i+1), path, int64(i+1)), gone(at+second, event.Actor(i+1), path, event.ByOp))
	}
	facts := Read(event.Header{Host: event.Joined}, slices.Values(logOf(log...)))
	f, err := facts.Fitting(Config{At: 200 * second}, func(f *Fork) bool { return len(f.Query("")) <= run.MaxQuery-96 })
	if err != nil || f.From > 200*second || f.To < 200*second || f.Clients < 20 || f.Clients > 100 {
		t.Errorf("%d clients from %v to %v, %v", f.Clients, f.From, f.To, err)
	}
	if q := of(t, f, "lowest-with-a-look").Query(); len(q) > run.MaxQuery {
		t.Errorf("the lab makes %d bytes of its address", len(q))
	}
	if !strings.Contains(keys(f), "window") {
		t.Errorf("it says %s", keys(f))
	}
}
