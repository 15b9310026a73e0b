package bridge_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/stage/panes"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	_ "github.com/zkviz/zkviz/recipes" // the catalogue
	"github.com/zkviz/zkviz/static/strings/words"
	"github.com/zkviz/zkviz/wasm/bridge"
)

// say returns the key and its arguments.
func say(key string, args ...string) string { return words.Words{}.Say(key) + fmt.Sprint(args) }

// inShort returns a menu as one line.
func inShort(m bridge.Menu) string {
	var all []string
	for _, d := range m.Actions {
		s := d.Kind.String() + " " + d.To()
		if d.Opens > 0 {
			s = strconv.Itoa(int(d.Opens))
		}
		if d.At != "" {
			s += " at " + d.At
		}
		all = append(all, s)
	}
	return strings.Join(all, ", ")
}

func TestMenuOf(t *testing.T) {
	state := func(h event.Host, role string) *view.State {
		s := view.New()
		s.Header.Host = h
		s.Clients = []view.Client{{Name: "client-1", Session: 7, Role: role}, {Name: "client-2", Session: 8}}
		s.Tree.Nodes = []view.Node{{Path: "/a"}, {Path: "/a/gone", Owner: 7, Gone: true}, {Path: "/a/lock", Owner: 7},
			{Path: "/a/other", Owner: 99}}
		s.Flights.List = []view.Flight{{Seq: 3, From: 1, Op: event.Create, Sent: time.Second},
			{Seq: 4, To: 1, Op: event.Create, Reply: true, Sent: 1500 * time.Millisecond},
			{Seq: 5, From: 1, Op: event.Get, Sent: time.Second}, {Seq: 6, To: 2, Op: event.Connect, Reply: true}}
		return s
	}
	ensemble := func(h event.Host, down bool) *view.State {
		s := state(h, "")
		s.Ensemble.Servers = []view.Server{{Up: true}, {Up: !down}, {Up: true}}
		s.Clients[0].Server = event.Server(3)
		return s
	}
	server := display.Hit{ID: "server-2"}
	client, link := display.Hit{ID: "client-1"}, display.Hit{ID: "client-1", Part: display.LinkPart}
	request := display.Hit{ID: "client-1", Part: display.MessagePart, Message: 3}
	handshake := display.Hit{ID: "client-2", Part: display.MessagePart, Message: 6}
	reply := display.Hit{ID: "client-1", Part: display.MessagePart, Message: 4}
	for _, c := range []struct {
		name string
		s    *view.State
		hit  display.Hit
		want string
	}{
		{"a client whose messages are on their way", state(event.Simulated, ""), client, "crash client-1 at 1.601s, " +
			"pause client-1 at 1.601s, cut client-1 at 1.601s, expire client-1 at 1.601s, drop client-1 at 1.601s, " +
			"delay client-1 at 1.601s, 3, 4, 5"},
		{"a client on a cluster", state(event.Cluster, ""), client, "crash client-1, pause client-1, cut client-1, " +
			"expire client-1, drop client-1, delay client-1"},
		{"its link", state(event.Simulated, ""), link, "cut client-1 at 1.601s, delay client-1 at 1.601s"},
		{"a request", state(event.Simulated, ""), request, "drop client-1 at 1.601s, delay client-1 at 1.601s, " +
			"cut client-1 at 1.601s"},
		{"a reply", state(event.Simulated, ""), reply, "drop client-1 at 1.601s, " +
			"delay client-1 at 1.601s, cut client-1 at 1.601s"},
		{"a reply on a cluster", state(event.Cluster, ""), reply, "drop client-1, delay client-1, cut client-1"},
		{"a handshake", state(event.Cluster, ""), handshake, "delay client-2, cut client-2"},
		{"a message that is over", state(event.Simulated, ""), display.Hit{ID: "client-1", Part: display.MessagePart}, ""},
		{"its znode", state(event.Simulated, ""), display.Hit{ID: "/a/lock"}, "expire client-1 at 1.601s"},
		{"a znode that has gone", state(event.Simulated, ""), display.Hit{ID: "/a/gone"}, ""},
		{"a znode of nobody", state(event.Simulated, ""), display.Hit{ID: "/a"}, ""},
		{"a znode of a stranger", state(event.Simulated, ""), display.Hit{ID: "/a/other"}, ""},
		{"a znode that is unknown", state(event.Simulated, ""), display.Hit{ID: "/b"}, ""},
		{"a client that is unknown", state(event.Simulated, ""), display.Hit{ID: "client-9"}, ""},
		{"nothing", state(event.Simulated, ""), display.Hit{}, ""},
		{"a visitor", state(event.Embedded, "127.0.0.1"), client, ""},
		{"a visitor's znode", state(event.Embedded, "127.0.0.1"), display.Hit{ID: "/a/lock"}, ""},
		{"a contender", state(event.Embedded, program.Contender), link, "cut client-1, delay client-1"},
		{"a server", ensemble(event.Simulated, false), server, "crash server-2 at 1.601s, restart server-2 at 1.601s, " +
			"pause server-2 at 1.601s, power server-2 at 1.601s, slow server-2 at 1.601s, " +
			"partition server-2 | server-1 server-3 at 1.601s, jump server-2 at 1.601s"},
		{"the only server", state(event.Simulated, ""), display.Hit{Part: display.ServerPart},
			"restart server at 1.601s, jump server at 1.601s"},
		{"the only server of a cluster", state(event.Cluster, ""), display.Hit{Part: display.ServerPart}, ""},
		{"one that is down", ensemble(event.Simulated, true), server, "partition server-2 | server-1 server-3 at 1.601s, " +
			"start server-2 at 1.601s, jump server-2 at 1.601s"},
		{"one in the zoo", ensemble(event.Embedded, true), server, "partition server-2 | server-1 server-3, start server-2"},
		{"one that there is not", state(event.Simulated, ""), server, ""},
		{"one of a cluster", ensemble(event.Cluster, false), server, ""},
		{"the link to a server", ensemble(event.Simulated, false), link,
			"cut client-1 at 1.601s, delay client-1 at 1.601s, cut client-1 from server-3 at 1.601s"},
		{"an owner", state(event.Observed, ""), client, ""},
	} {
		m := bridge.MenuOf(c.s, nil, 1600500*time.Microsecond, c.hit, panes.Say(say))
		if got := inShort(m); got != c.want || (m.Title == "") != (c.want == "") {
			t.Errorf("%s: %q offers %q, want %q", c.name, m.Title, got, c.want)
		}
	}
}

// TestMenuSaysWhatIsLost checks that only a certain loss is named: that of the reply to the request answered next.
func TestMenuSaysWhatIsLost(t *testing.T) {
	s := view.New()
	s.Header.Host = event.Simulated
	s.Clients = []view.Client{{Name: "client-1"}}
	s.Flights.List = []view.Flight{{Seq: 3, From: 1, Op: event.Ping}, {Seq: 4, From: 1, Op: event.Create, Over: true},
		{Seq: 5, From: 1, Op: event.Get}, {Seq: 6, From: 1, Op: event.Set}, {Seq: 7, To: 1, Op: event.Create, Reply: true}}
	for seq, want := range map[event.Seq]string{5: "menu.lose.answer", 6: "", 7: ""} {
		m := bridge.MenuOf(s, nil, 0, display.Hit{ID: "client-1", Part: display.MessagePart, Message: seq}, panes.Say(say))
		if got, _, _ := strings.Cut(m.Actions[0].Label, "["); got != want {
			t.Errorf("for event %d it says %q, want %q", seq, got, want)
		}
	}
}

func play(t *testing.T, sc run.Scenario) []event.Event {
	t.Helper()
	var log event.Log
	if err := run.Sim(context.Background(), sc, &log); err != nil {
		t.Fatal(err)
	}
	return log.Events
}

// dropped returns when the first lost message was sent, and its operation.
func dropped(log []event.Event) (time.Duration, event.Op) {
	for _, e := range log {
		if e.Kind == event.MsgDropped {
			for _, sent := range log {
				if sent.Seq == e.Cause {
					return sent.At, sent.Op
				}
			}
		}
	}
	return -1, event.NoOp
}

// TestMenuOfANode checks the menus of nodes, and of clients in a system without ZooKeeper.
func TestMenuOfANode(t *testing.T) {
	kinds := func(m bridge.Menu) (list []fault.Kind) {
		for _, d := range m.Actions {
			list = append(list, d.Kind)
		}
		return list
	}
	for _, c := range []struct {
		system event.System
		id     string
		want   []fault.Kind
	}{
		{event.System{Kind: event.RedisSystem, Servers: 2}, "node-1",
			[]fault.Kind{fault.RestartNode, fault.Lag, fault.Failover, fault.Jump}},
		{event.System{Kind: event.RedisSystem, Servers: 1}, "node-1", []fault.Kind{fault.RestartNode, fault.Jump}},
		{event.System{Kind: event.RedisSystem, Servers: 5, Apart: true}, "node-3 /r/lock",
			[]fault.Kind{fault.RestartNode, fault.Jump}},
		{event.System{Kind: event.RedisSystem, Servers: 1}, "node-2", nil},
		{event.System{Kind: event.RedisSystem, Servers: 1}, "client-1", []fault.Kind{fault.Crash, fault.Pause, fault.Cut,
			fault.Drop, fault.Delay, fault.Stall, fault.Vanish}},
	} {
		s := view.NewFor(event.Header{Host: event.Simulated, Clients: 1, Systems: []event.System{c.system}})
		m := bridge.MenuOf(s, nil, time.Second, display.Hit{ID: c.id}, say)
		if got := kinds(m); !slices.Equal(got, c.want) {
			t.Errorf("%s of %+v: %v, want %v", c.id, c.system, got, c.want)
		}
		for _, d := range m.Actions {
			if d.Target != "" && (d.At != "1s" || d.Label == "") {
				t.Errorf("%s: %+v", c.id, d)
			}
		}
	}
}
