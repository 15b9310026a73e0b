package scene_test

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/program"
	"github.com/zkviz/zkviz/engine/view"
)

// database is a run on a database: one client has a row locked and has written it, two wait for it, and the clock
// of the node was set.
func database() *view.State {
	s := view.NewFor(event.Header{Host: event.Simulated, Clients: 4, Root: "/run",
		Systems: []event.System{{Kind: event.PostgresSystem, Servers: 2}}})
	const row = "/run/rows/1"
	node := event.Node(1)
	seq := event.Seq(0)
	apply := func(at time.Duration, e event.Event) {
		seq++
		e.Seq, e.At = seq, at
		s.Apply(e)
	}
	apply(0, event.Event{Kind: event.EntrySet, Actor: node, Path: row, Text: "7", Zxid: 3})
	for i := range 4 {
		a := event.Actor(i + 1)
		apply(time.Second, event.Event{Kind: event.ClientStarted, Actor: a})
		apply(time.Second, event.Event{Kind: event.ConnOpened, Actor: a, Peer: node})
	}
	apply(2*time.Second, event.Event{Kind: event.TxBegan, Actor: node, Peer: 1, Session: 5})
	apply(2*time.Second, event.Event{Kind: event.LockTaken, Actor: node, Peer: 1, Path: row, Session: 5})
	apply(3*time.Second, event.Event{Kind: event.RecipePhase, Actor: 1, Text: string(program.Holding), Path: row})
	apply(3*time.Second, event.Event{Kind: event.EntrySet, Actor: node, Peer: 1, Path: row, Text: "8", Zxid: 4,
		Session: 5})
	for _, a := range []event.Actor{3, 2} {
		apply(4*time.Second, event.Event{Kind: event.RecipePhase, Actor: a, Text: string(program.Waiting)})
		apply(4*time.Second, event.Event{Kind: event.OpSent, Actor: a, Peer: node, Op: event.Command, Path: row,
			Text: "SELECT n FROM rows WHERE id = 1 FOR UPDATE"})
		apply(4*time.Second, event.Event{Kind: event.RequestWaits, Actor: node, Peer: a, Path: row, Op: event.Command})
	}
	apply(5*time.Second, event.Event{Kind: event.ClockJumped, Actor: node, N: int64(30 * time.Second)})
	apply(6*time.Second, event.Event{Kind: event.ProcessStalled, Actor: 4, N: int64(20 * time.Second)})
	return s
}
