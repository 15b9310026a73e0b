package window_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/window"
)

// TestVisitors uses up all numbers several times. In a round none comes twice, and none that is still in use.
func TestVisitors(t *testing.T) {
	v := window.Visitors{Most: 5}
	rounds, last := 0, map[event.Actor]bool{}
	stays, who := event.Actor(0), map[event.Actor]bool{}
	for i := range 50 {
		a := v.Next(func(keep func(event.Actor)) {
			rounds++
			if last = who; len(last) != 5 && len(last) != 4 {
				t.Fatalf("it begins again after %d", len(last))
			}
			who = map[event.Actor]bool{}
			keep(stays)
		})
		switch {
		case a.Kind() != event.NoActor:
			t.Fatalf("%d stands for somebody in a log", a)
		case who[a], a == stays:
			t.Fatalf("%d comes again in a round", a)
		}
		who[a] = true
		if i == 2 {
			stays = a
		}
	}
	if rounds != 12 { // five, and then four at a time
		t.Errorf("it has begun again %d times", rounds)
	}
}

// TestLogVisitors checks that a log renumbers visitors, and is full once their numbers are reused.
func TestLogVisitors(t *testing.T) {
	l, v := begun("/", 0), window.Visitors{Most: 30_000}
	next := func() event.Actor { return v.Next(func(func(event.Actor)) { l.Renew() }) }
	for i := range 30_000 {
		a := next()
		if i%1000 != 0 {
			continue
		}
		mine := event.Actor(i/1000 + 1)
		l.Take(0, 1, event.Event{Kind: event.SessionCreated, Peer: a, Session: int64(i)})
		l.Take(0, 2, event.Event{Kind: event.ConnOpened, Actor: a})
		e := l.Events()
		if len(e) != 3 || e[0].Actor != mine || e[1].Peer != mine || e[2].Actor != mine {
			t.Fatalf("the visitor %d is told of as %v", i, e)
		}
		for _, e := range e {
			if err := e.Valid(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if l.Full() {
		t.Fatal("it is full too early")
	}
	if next(); !l.Full() {
		t.Error("a number comes again, and the log goes on")
	}
}
