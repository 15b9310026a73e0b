package panes_test

import (
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/stage/panes"
)

// TestInspectTheZoo checks that the inspector distinguishes our contenders from outside programs, whose beliefs are
// unknown.
func TestInspectTheZoo(t *testing.T) {
	f := view.NewHistoryFor(event.Header{Recipe: "zoo", Host: "zoo", Root: "/q"})
	for i, from := range []string{"127.0.0.1:40000", "contender"} {
		who, at := event.Actor(i+1), time.Duration(i+1)*time.Second
		session := int64(100 + i)
		f.AppendAll([]event.Event{
			{At: at, Kind: event.ClientStarted, Actor: who, Text: from},
			{At: at, Kind: event.SessionCreated, Peer: who, Session: session, N: int64(10 * time.Second)},
			{At: at, Kind: event.ConnOpened, Actor: who, Session: session},
			{At: at, Kind: event.ZnodeCreated, Peer: who, Session: session, Mode: uint8(zoo.EphemeralSequential),
				Path: "/q/x-lock-000000000" + string(rune('0'+i))},
		})
	}
	s, said := f.StateAtSeq(event.Seq(f.Len())), say(t)
	for who, want := range map[string]string{
		"client-1": "127.0.0.1:40000 only it knows is first in the queue",
		"client-2": "zkviz: a contender nothing yet waits, 1 ahead",
	} {
		var values []string
		for _, fact := range panes.Inspect(s, 3*time.Second, who, "", said).Facts {
			values = append(values, fact.Value)
		}
		if got := strings.Join(values[:3], " "); got != want {
			t.Errorf("%s: %q, want %q", who, got, want)
		}
	}
	counts := panes.ZooCounts(s, said)
	if counts[0].Value != "2" || counts[1].Value != "2" {
		t.Errorf("there are %s clients, and %s in the queue", counts[0].Value, counts[1].Value)
	}
	f.AppendAll([]event.Event{
		{At: 3 * time.Second, Kind: event.ConnClosed, Actor: 1},
		{At: 3 * time.Second, Kind: event.ClientStarted, Actor: 3},
		{At: 3 * time.Second, Kind: event.SessionCreated, Peer: 3, Session: 103, N: int64(10 * time.Second)},
		{At: 3 * time.Second, Kind: event.ConnClosed, Actor: 3},
	})
	s = f.StateAtSeq(event.Seq(f.Len()))
	if here := panes.ZooCounts(s, said)[0].Value; here != "1" {
		t.Errorf("one of three has a connection, and %s are there", here)
	}
	for _, fact := range panes.Inspect(s, 3*time.Second, "client-3", "", said).Facts {
		if fact.Value == "" {
			t.Errorf("it says nothing: %v", fact)
		}
	}
}
