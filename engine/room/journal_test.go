package room

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// TestJournal puts what contenders say between what the server saw: everything has a number, in order of time, and a
// cause where one is known.
func TestJournal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const client, session = event.Actor(3), 77
		var log event.Log
		j := &journal{now: func(s int64) []event.Event {
			if s != session {
				t.Errorf("session %d is asked what it says", s)
			}
			return []event.Event{{Kind: event.RecipePhase, Text: string(zoo.Waiting)}}
		}}
		j.begin(&log)
		cause := func(what string, want event.Kind) {
			t.Helper()
			last := log.Events[len(log.Events)-1]
			if want == event.Kind(0) && last.Cause != 0 || want != event.Kind(0) && (last.Cause == 0 || log.Events[last.Cause-1].Kind != want) {
				t.Errorf("%s has the cause %d, want %v", what, last.Cause, want)
			}
		}
		seen := event.Seq(0)
		server := func(e event.Event) {
			seen++
			e.Seq = seen
			j.Append(e)
		}
		if seq := j.tell(session, event.Event{Kind: event.ClientPaused}); seq != 0 {
			t.Errorf("of a session that is not known it says event %d", seq)
		}
		server(event.Event{Kind: event.RunStarted, At: time.Second})
		server(event.Event{Kind: event.SessionCreated, Peer: client, Session: session, At: time.Second})
		if last := log.Events[len(log.Events)-1]; last.Kind != event.RecipePhase || last.Actor != client {
			t.Errorf("after its session the contender says %+v", last)
		}
		if s, ok := j.sessionOf(client); !ok || s != session {
			t.Errorf("client %d has the session %d, %v", client, s, ok)
		}
		server(event.Event{Kind: event.OpSent, Actor: client, At: time.Second})
		cause("a request at once", event.RecipePhase)
		server(event.Event{Kind: event.OpDone, Actor: client, Cause: seen, At: 2 * time.Second})
		cause("its answer", event.OpSent)
		server(event.Event{Kind: event.OpSent, Actor: client, At: 2*time.Second + soon - 1})
		cause("a request soon after what it has learnt", event.OpDone)
		server(event.Event{Kind: event.OpSent, Actor: client, At: 2*time.Second + soon})
		cause("a later one", event.Kind(0))
		server(event.Event{Kind: event.OpSent, Actor: client + 1, At: 2 * time.Second})
		cause("another client's", event.Kind(0))
		if last := log.Events[len(log.Events)-1]; last.At != 2*time.Second+soon {
			t.Errorf("time goes back to %s", last.At)
		}
		time.Sleep(10 * time.Second)
		if seq := j.tell(session, event.Event{Kind: event.ClientPaused}); int(seq) != len(log.Events) {
			t.Errorf("what it says is event %d of %d", seq, len(log.Events))
		}
		if last := log.Events[len(log.Events)-1]; last.At != 11*time.Second || last.Actor != client {
			t.Errorf("it is paused as %+v", last)
		}
		server(event.Event{Kind: event.SessionExpired, Peer: client, Session: session, Cause: 1, At: 12 * time.Second})
		cause("the end of the session", event.ClientPaused)
		j.tell(session, event.Event{Kind: event.ClientResumed})
		server(event.Event{Kind: event.SessionExpired, Peer: client, Session: session, Cause: 1, At: 12 * time.Second})
		cause("the end of one that is not paused", event.RunStarted)
		for i, e := range log.Events {
			if e.Seq != event.Seq(i+1) || i > 0 && e.At < log.Events[i-1].At {
				t.Errorf("event %d is %+v", i+1, e)
			}
		}
		var again event.Log
		j.begin(&again)
		if _, ok := j.sessionOf(client); ok {
			t.Error("a new log knows the old one's sessions")
		}
		j.Append(event.Event{Kind: event.RunStarted})
		if len(again.Events) != 1 || again.Events[0].Seq != 1 {
			t.Errorf("the new log begins as %+v", again.Events)
		}
	})
}
