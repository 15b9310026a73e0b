package scene_test

import (
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
)

// TestTicketsLeft checks that a row of tickets says in large letters how many are left, and its version only once.
func TestTicketsLeft(t *testing.T) {
	f := farRun(2, onePostgre).named("stock/tickets").at(time.Second).
		put(event.Event{Kind: event.EntrySet, Actor: event.Node(1), Peer: 1, Path: "stock/tickets", Text: "n=3, version 2",
			Zxid: 2})
	if said := drawn(f.end()); !slices.Contains(said, "3 left") || !slices.Contains(said, "A · v2") {
		t.Errorf("it says %q", said)
	}
	if got := values(f, mark.Data); got != "n=3, version 2" {
		t.Errorf("its mark has the value %q", got)
	}
}

// TestEmptiedList checks that a list whose last element is gone is empty, not deleted, to those who wait for another.
func TestEmptiedList(t *testing.T) {
	list := root + "/signal"
	f := keyHeld(3, 10*time.Second).at(now-200*time.Millisecond).set(1, 1, list, "1", 0).gone(1, list, event.ByOp)
	if said := drawn(f.end()); !slices.Contains(said, "deleted") {
		t.Errorf("with nobody waiting, it says %q", said)
	}
	if said := drawn(f.keeps(1, 3, list).end()); !slices.Contains(said, "empty") || slices.Contains(said, "deleted") {
		t.Errorf("with C waiting, it says %q", said)
	}
}

// TestKeepAliveHasNoWord checks that what only keeps a lease alive is as quiet as a heartbeat.
func TestKeepAliveHasNoWord(t *testing.T) {
	f := farRun(2, oneEtcd).named("").at(now-100*time.Millisecond).asks(1, 1, "", "lease keep-alive 3").
		answers(1, 2, "lease 4 keepalived with TTL(8)", 0)
	if got := values(f, mark.Message) + values(f, mark.Reply); got != "" {
		t.Errorf("there are the words %q", got)
	}
	if got := values(f.asks(2, 1, "", "lease grant 8"), mark.Message); got == "" {
		t.Error("a request for a lease has no word")
	}
}

// TestNodesOfOneWhoBelieves checks that the squares for the nodes stay clear of what a client wrongly believes, and are
// there for one that has none left. They are all nodes, also where not all are drawn.
func TestNodesOfOneWhoBelieves(t *testing.T) {
	f := farRun(2, fiveRedis).at(8*time.Second).set(1, 1, root+"/lock", "client-1#1", 5*time.Second).
		says(1, program.Holding, root+"/lock")
	for node := 2; node <= 4; node++ {
		f.set(node, 2, root+"/lock", "client-2#1", 5*time.Second)
	}
	f.says(2, program.Holding, root+"/lock")
	for _, nodes := range []string{"1 of 5", "0 of 5"} {
		for _, width := range []float64{120, 191, 390, 560, 700, 1024} {
			if squares, belief := pips(f, nodes, width); squares.W == 0 || belief.W == 0 || squares.Y < belief.Bottom()+2 {
				t.Errorf("%s, %.0f px: the squares are at %v, and what A believes at %v", nodes, width, squares, belief)
			}
		}
		f.gone(1, root+"/lock", event.ByTimer)
	}
}

// pips returns where a picture has A's squares with that value, and what A wrongly believes.
func pips(f *farLog, nodes string, width float64) (squares, belief geom.Rect) {
	var layout scene.Layout
	f.s.At = f.now
	for _, m := range layout.Plan(f.s, f.now, scene.Options{Words: english, Width: width, Height: 630}).Marks() {
		switch {
		case m.Kind == mark.Nodes && m.Subject == "A" && m.Value == nodes:
			squares = geom.R(m.X, m.Y, m.W, m.H)
		case m.Kind == mark.Believes:
			belief = geom.R(m.X, m.Y, m.W, m.H)
		}
	}
	return squares, belief
}

// TestNarrowHasAllNodes checks that half of a phone has five nodes beside each other.
func TestNarrowHasAllNodes(t *testing.T) {
	n := 0
	for _, m := range planOf(majority(2), scene.Options{Words: english, Width: 191, Height: 312}).Marks() {
		if m.Kind == mark.Remote {
			n++
		}
	}
	if n != 5 {
		t.Errorf("there are %d nodes, not 5", n)
	}
}
