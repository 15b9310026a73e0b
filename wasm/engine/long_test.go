package main

import (
	"testing"

	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/run/room"
)

// herd is a run of four million events, and tooLarge one with more than the engine keeps.
const (
	herd     = "recipe=children-lock&clients=1000"
	tooLarge = "recipe=publish-subscribe&clients=1000&rounds=20"
)

// mostTurns is how many turns of all computations may pass before a request is answered that takes a moment.
const mostTurns = 20

func opens(query string) message { return asked(protocol.Request{Do: protocol.Open, Query: query}) }

// on returns a message of another connection.
func (m message) on(id int) message {
	m.ID = id
	return m
}

// answer returns the next message on a connection that isn't progress, and what it says. Progress before it must grow.
func (w *inNode) answer(id int) (m message, said protocol.Message) {
	w.t.Helper()
	for events := 0; ; {
		if m = w.next(); m.ID != id || m.Kind != "text" {
			continue
		}
		said, err := protocol.ParseMessage([]byte(m.Data))
		if err != nil {
			w.t.Fatal(err)
		}
		far, ok := said.(*protocol.Progress)
		if !ok {
			return m, said
		}
		if far.Do == protocol.Explore {
			continue
		}
		if far.Do != protocol.Open || far.Events < events || far.Events%64 > 0 {
			w.t.Errorf("after %d events it says %+v", events, far)
		}
		events = far.Events
	}
}

// reaches waits until a computation of connection 1 has that many events.
func (w *inNode) reaches(events int) {
	w.t.Helper()
	for {
		m := w.next()
		if m.ID != 1 {
			continue
		}
		switch said, _ := protocol.ParseMessage([]byte(m.Data)); said := said.(type) {
		case *protocol.Progress:
			if said.Events >= events {
				return
			}
		default:
			w.t.Fatalf("before %d events the engine says %+v", events, said)
		}
	}
}

// TestLongRun checks that another connection's short run waits only for some turns of a long one, and that the long one
// can be stopped at once. Afterwards the engine goes on.
func TestLongRun(t *testing.T) {
	w := newInNode(t)
	nothing := asked(protocol.Request{Do: protocol.Contend}) // is refused at once
	w.sendAll(opens(herd), message{Kind: "open", ID: 2})
	for i, short := range []string{"recipe=unique-lock&clients=3", "recipe=semaphore&clients=5"} {
		w.reaches(room.QuickEvents + 1024<<i)
		w.sendAll(nothing.on(2), opens(short).on(2))
		from, _ := w.answer(2)
		to, said := w.answer(2)
		if _, ok := said.(*protocol.Run); !ok || to.Turn-from.Turn > mostTurns {
			t.Errorf("after %d turns beside a long run the engine says %+v", to.Turn-from.Turn, said)
		}
	}
	w.sendAll(nothing.on(2), asked(protocol.Request{Do: protocol.Stop}))
	from, _ := w.answer(2)
	to, said := w.answer(1)
	if r, ok := said.(*protocol.Refusal); !ok || r.Why.Key != "refused.stopped" || to.Turn-from.Turn > mostTurns {
		t.Errorf("after %d turns a run that is stopped says %+v", to.Turn-from.Turn, said)
	}
	w.send(opens("recipe=unique-lock&clients=4"))
	from = to
	if to, said := w.answer(1); to.Turn-from.Turn > mostTurns {
		t.Errorf("the run after it takes %d turns", to.Turn-from.Turn)
	} else if _, ok := said.(*protocol.Run); !ok {
		t.Errorf("after it the engine says %+v", said)
	}
}

// TestLongExploration checks the same of an exploration, and that what it has found by then comes when it's stopped.
func TestLongExploration(t *testing.T) {
	w := newInNode(t)
	slow := protocol.Request{Do: protocol.Explore, Query: "recipe=predecessor-lock&clients=12&servers=5"}
	nothing := asked(protocol.Request{Do: protocol.Contend}) // is refused at once
	w.sendAll(asked(slow), message{Kind: "open", ID: 2})
	w.tries(1)
	w.sendAll(nothing.on(2), opens("recipe=unique-lock&clients=3").on(2))
	from, _ := w.answer(2)
	to, said := w.answer(2)
	if _, ok := said.(*protocol.Run); !ok || to.Turn-from.Turn > mostTurns {
		t.Errorf("after %d turns beside an exploration the engine says %+v", to.Turn-from.Turn, said)
	}
	w.sendAll(nothing.on(2), asked(protocol.Request{Do: protocol.Stop}))
	from, _ = w.answer(2)
	to, said = w.answer(1)
	x, ok := said.(*protocol.Explored)
	if !ok || !x.Held || x.Tried == 0 || x.Tried == x.Of || to.Turn-from.Turn > mostTurns {
		t.Errorf("after %d turns an exploration that is stopped says %+v", to.Turn-from.Turn, said)
	}
}

// tries waits until an exploration of connection 1 has tried that many schedules.
func (w *inNode) tries(schedules int) {
	w.t.Helper()
	for far := new(protocol.Progress); far.Tried < schedules; {
		m := w.next()
		said, _ := protocol.ParseMessage([]byte(m.Data))
		var ok bool
		if far, ok = said.(*protocol.Progress); !ok {
			w.t.Fatalf("before it has tried %d schedules the engine says %+v", schedules, said)
		}
	}
}

// mostMB is how much memory the engine may have with a herd of a thousand. TestBrowser bounds the stage's.
const mostMB = 70

// TestLimits checks that a herd of a thousand is computed within the engine's memory, and what is said of a run that
// takes more memory than there is: nothing to try again.
func TestLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short no run of millions of events is computed")
	}
	w := newInNode(t)
	w.send(opens(herd))
	m, said := w.answer(1)
	if r, ok := said.(*protocol.Run); !ok || r.Branches[0].Events < 4_000_000 || !r.Branches[0].Ended || m.MB > mostMB {
		t.Errorf("with %d MB the engine says %+v", m.MB, said)
	}
	w.send(message{Kind: "close"})
	w.sendAll(message{Kind: "open", ID: 2}, opens(tooLarge).on(2))
	m, said = w.answer(2)
	if r, ok := said.(*protocol.Refusal); !ok || r.Why.Key != "refused.large.page" || r.AgainMS > 0 {
		t.Errorf("with %d MB the engine says of a larger run %+v", m.MB, said)
	}
}
