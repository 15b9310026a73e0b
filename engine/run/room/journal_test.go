package room

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// TestJournal lets contenders report what the server cannot know, under the log's number for their session.
func TestJournal(t *testing.T) {
	const client, session = event.Actor(3), 77
	var log event.Log
	var said []string
	j := &journal{}
	j.now = func(s int64) []event.Event {
		if as := j.actors[s]; s != session || as != client {
			t.Errorf("session %d is asked what it says, as client %d", s, as)
		}
		return []event.Event{{Kind: event.RecipePhase, Text: string(program.Waiting)}}
	}
	say := func(e event.Event) event.Seq {
		said = append(said, fmt.Sprintf("%v %d %d %s", e.Kind, e.Actor, e.Peer, e.Text))
		return event.Seq(len(said))
	}
	j.begin()
	sink := event.Tee{&log, j}
	if seq := j.Tell(session, event.Event{Kind: event.ClientPaused}); seq != 0 {
		t.Errorf("before the server speaks it says event %d", seq)
	}
	j.speak(say)
	if seq := j.Tell(session, event.Event{Kind: event.ClientPaused}); seq != 0 {
		t.Errorf("of a session that is not known it says event %d", seq)
	}
	sink.Append(event.Event{Seq: 1, Kind: event.RunStarted})
	sink.Append(event.Event{Seq: 2, Kind: event.SessionCreated, Peer: client, Session: session})
	for i, e := range []event.Event{{Kind: event.FaultInjected}, {Kind: event.ClientPaused}} {
		if seq := j.Tell(session, e); seq != event.Seq(2+i) {
			t.Errorf("%v is event %d", e.Kind, seq)
		}
	}
	want := []string{"recipe.phase 3 0 waiting", "fault.injected 0 3 ", "client.paused 3 0 "}
	if !slices.Equal(said, want) {
		t.Errorf("it says %q", said)
	}
	if e := log.Events; len(e) != 2 || e[0].Seq != 1 || e[1].Kind != event.SessionCreated {
		t.Errorf("the log is %v", e)
	}
	if s, ok := j.sessionOf(client); !ok || s != session {
		t.Errorf("client %d has the session %d, %v", client, s, ok)
	}
	j.begin()
	if _, ok := j.sessionOf(client); ok || j.Tell(session, event.Event{Kind: event.ClientPaused}) != 0 {
		t.Error("a new log knows the old one's sessions")
	}
}
