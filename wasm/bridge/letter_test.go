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

// TestMenuStrikesTheMessageThatWasChosen checks that what is chosen in the menu of a message between servers strikes
// that message, however short its way is.
func TestMenuStrikesTheMessageThatWasChosen(t *testing.T) {
	sc := run.Scenario{Recipe: "predecessor-lock", Clients: 2, Servers: 3, Latency: 700 * time.Microsecond}.WithDefaults()
	log := play(t, sc)
	h := &view.History{}
	h.AppendAll(log)
	tried := 0
	for _, e := range log {
		if e.Kind != event.MsgSent || !fault.Named(e.Op) {
			continue
		}
		at := e.At + time.Duration(e.N)*time.Duration(tried%10)/10
		s := h.StateAtSeq(h.SeqAt(at))
		s.Header.Host = event.Simulated
		hit := display.Hit{ID: e.Actor.String(), Part: display.MessagePart, Message: e.Seq}
		m := bridge.MenuOf(s, h, at, hit, panes.Say(say))
		if len(m.Actions) != len(fault.ToMessages()) {
			t.Fatalf("event %d, %s, at %v: the menu is %+v", e.Seq, e.Op, at, m)
		}
		a := m.Actions[tried%len(m.Actions)]
		text := a.Kind.String() + " " + a.To() + " at " + a.At
		if a.Kind.Lasts() {
			text += " for 2s"
		}
		f, err := fault.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		with := sc
		with.Faults = []fault.Fault{f}
		struck := play(t, with)
		i := slices.IndexFunc(struck, func(e event.Event) bool { return e.Kind == event.FaultInjected })
		if i < 0 || struck[i].Cause != e.Seq || f.At < at || f.At > at+time.Millisecond {
			t.Errorf("%s: it doesn't strike event %d, %s, at %v", f, e.Seq, e.Op, at)
		}
		tried++
	}
	if tried < 40 {
		t.Errorf("only %d messages were tried", tried)
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
