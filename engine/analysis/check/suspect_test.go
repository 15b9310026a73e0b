package check_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// TestSuspectsAreBounded: on a live host at most as many violations as a report lists wait for their proof. A
// decision makes room for others.
func TestSuspectsAreBounded(t *testing.T) {
	c := check.New([]string{promise.Order}, event.Header{Host: "live"})
	seq := event.Seq(0)
	add := func(e event.Event) {
		seq++
		e.Seq, e.At = seq, time.Duration(seq)
		c.Append(e)
	}
	enter := func(a event.Actor, path string) {
		add(event.Event{Kind: event.RecipePhase, Actor: a, Text: string(program.Holding), Path: path})
	}
	closes := func(a event.Actor, want int) {
		t.Helper()
		add(event.Event{Kind: event.SessionClosed, Peer: a})
		if n := len(c.Report().Violations); n != want {
			t.Errorf("client %d proves that its session lived: %d violations, want %d", a, n, want)
		}
	}
	enter(1, "/l/n-0000000009")
	for a := range event.Actor(promise.MaxViolations + 2) {
		enter(a+2, "/l/n-0000000005")
	}
	last := event.Actor(promise.MaxViolations + 1)
	closes(last+2, 0)
	closes(last+1, 0)
	enter(last+3, "/l/n-0000000005") // there is no room for it
	closes(last, 1)
	enter(last+4, "/l/n-0000000005")
	add(event.Event{Kind: event.SessionExpired, Peer: 2})
	enter(last+5, "/l/n-0000000005")
	enter(last+6, "/l/n-0000000005") // nor for this one
	closes(last+3, 1)
	closes(last+4, 2)
	closes(last+6, 2)
	closes(last+5, 3)
	closes(last+5, 3)
}

// TestOldSuspects: however many accusations of a client fail, those that wait for their proof are kept.
func TestOldSuspects(t *testing.T) {
	var l log
	enter := func(a event.Actor) {
		l.at++
		l.add(event.Event{Kind: event.RecipePhase, Actor: a, Text: string(program.Began), Path: "/t"})
	}
	enter(1)
	enter(2)
	l.add(event.Event{Kind: event.RecipePhase, Actor: 2, Text: string(program.Done), Path: "/t"})
	for a := range event.Actor(5 * promise.MaxViolations) {
		enter(a + 3)
		l.add(event.Event{Kind: event.SessionExpired, Peer: a + 3})
	}
	enter(9999)
	l.at++
	for _, a := range []event.Actor{1, 2, 9999} {
		l.add(event.Event{Kind: event.SessionClosed, Peer: a})
	}
	v := judgeClause(promise.OneWorker, onLive, l.events)
	if len(v) != 2 || v[0].Clients[0] != 2 || v[1].Clients[0] != 9999 {
		t.Errorf("%+v", v)
	}
}
