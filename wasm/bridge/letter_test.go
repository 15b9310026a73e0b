package bridge_test

import (
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/stage/panes"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/wasm/bridge"
)

// TestMenuStrikesTheMessageThatWasChosen checks that what is chosen in the menu of a message strikes that message,
// however short its way is.
func TestMenuStrikesTheMessageThatWasChosen(t *testing.T) {
	for _, sc := range []run.Scenario{
		{Recipe: "predecessor-lock", Clients: 2, Servers: 3, Latency: 700 * time.Microsecond},
		{Recipe: "predecessor-lock", Clients: 3}, {Recipe: "redis-fenced", Clients: 3}, {Recipe: "etcd-mutex", Clients: 3},
	} {
		sc = sc.WithDefaults()
		log := play(t, sc)
		h := &view.History{}
		h.AppendAll(log)
		tried := 0
		for _, e := range log {
			if _, ok := fault.Of(e); ok {
				strikes(t, sc, h, e, tried)
				tried++
			}
		}
		if tried < 15 {
			t.Errorf("%s: only %d messages were tried", sc.Recipe, tried)
		}
	}
}

// strikes chooses an action on the message that an event sends, and runs it.
func strikes(t *testing.T, sc run.Scenario, h *view.History, sent event.Event, nth int) {
	t.Helper()
	at := sent.At + time.Duration(sent.N)*time.Duration(nth%10)/10
	s := h.StateAtSeq(max(h.SeqAt(at), sent.Seq))
	s.Header.Host = event.Simulated
	hit := display.Hit{ID: sent.Actor.String(), Part: display.MessagePart, Message: sent.Seq}
	if who, _ := fault.Of(sent); who.Client() != 0 {
		hit.ID = who.Client().String()
	}
	m := bridge.MenuOf(s, h, at, hit, panes.Say(say))
	kinds := fault.ToMessages()
	if len(m.Actions) < len(kinds) {
		t.Fatalf("event %d, %s, at %v: the menu is %+v", sent.Seq, sent.Op, at, m)
	}
	a := m.Actions[nth%len(kinds)]
	text := a.Kind.String() + " " + a.To() + " at " + a.At
	if a.Kind.Lasts() {
		text += " for 2s"
	}
	f, err := fault.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	sc.Faults = []fault.Fault{f}
	struck := play(t, sc)
	i := slices.IndexFunc(struck, func(e event.Event) bool { return e.Kind == event.FaultInjected })
	if i < 0 || struck[i].Cause != sent.Seq || f.At < at || f.At > at+time.Millisecond || f.Kind != kinds[nth%len(kinds)] {
		t.Errorf("%s: it doesn't strike event %d, %s, at %v", f, sent.Seq, sent.Op, at)
	}
}

// TestMenuOfAServerListsItsMessages checks that a message can be reached without a pointer.
func TestMenuOfAServerListsItsMessages(t *testing.T) {
	s := view.New()
	s.Header.Host = event.Simulated
	s.Ensemble.Servers = []view.Server{{Up: true}, {Up: true}}
	s.Flights.List = []view.Flight{{Seq: 3, From: event.Server(1), To: event.Server(2), Op: event.Proposal},
		{Seq: 4, From: event.Server(2), To: event.Server(1), Op: event.Ack},
		{Seq: 5, From: event.Server(1), To: event.Server(2), Op: event.Commit, Over: true},
		{Seq: 6, From: event.Server(1), To: event.Server(2), Op: event.ServerPing}}
	for server, want := range map[string]event.Seq{"server-1": 3, "server-2": 4} {
		var opens []event.Seq
		for _, a := range bridge.MenuOf(s, nil, 0, display.Hit{ID: server}, panes.Say(say)).Actions {
			if a.Opens > 0 {
				opens = append(opens, a.Opens)
			}
		}
		if !slices.Equal(opens, []event.Seq{want}) {
			t.Errorf("%s: its menu leads to the messages %v, want %d", server, opens, want)
		}
	}
	s.Header.Host = event.Embedded
	for _, a := range bridge.MenuOf(s, nil, 0, display.Hit{ID: "server-1"}, panes.Say(say)).Actions {
		if a.Opens > 0 {
			t.Error("a message in real time can be chosen")
		}
	}
}
