package scene_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
)

// full returns the picture that the budget is set for: 1,000 clients, znodes and watches, and 300 messages under way.
func full(recipe string) *view.State {
	s := queued(recipe, 1000)
	for i := range s.Tree.Nodes { // clients don't queue in the order of their numbers
		if n := &s.Tree.Nodes[i]; n.Number >= 0 {
			c := &s.Clients[n.Creator-1]
			n.Number = 7 + (int64(n.Creator)-1)*387%1000
			n.Path = lockPath(int(n.Creator)-1, int(n.Number))
			c.Belief.Path = n.Path
		}
	}
	for i := range s.Watches.List {
		if w := &s.Watches.List[i]; w.Path != root {
			w.Path = s.Clients[i].Belief.Path
		}
	}
	for i := range 300 {
		f := view.Flight{Seq: event.Seq(i), From: event.Actor(i*3 + 1), Op: event.Create, Sent: now - time.Millisecond,
			Takes: time.Hour}
		if i%2 == 1 {
			f.From, f.To, f.Reply = 0, f.From, true
		}
		s.Flights.List = append(s.Flights.List, f)
	}
	return s
}

// fullFar returns the same load for five nodes of another system, with 1,000 entries.
func fullFar() *view.State {
	s := farState(1000)
	for i := range 1000 {
		s.Remotes.Entries = append(s.Remotes.Entries, view.Entry{Node: event.Node(i%5 + 1), Path: path(i / 5), Text: "value",
			Owner: event.Actor(i + 1), Expires: time.Hour, Lasts: time.Hour})
	}
	for i := range 300 {
		s.Flights.List = append(s.Flights.List, view.Flight{Seq: event.Seq(i), From: event.Actor(i*3 + 1),
			To: event.Node(i%5 + 1), Op: event.Command, Text: "SET lock token NX PX 10000",
			Sent: now - time.Millisecond, Takes: time.Hour})
	}
	return s
}

func BenchmarkDraw(b *testing.B) {
	for name, s := range map[string]*view.State{
		"6": queued("children-lock", 6), "chain1000": full("predecessor-lock"), "fan1000": full("children-lock"),
		"far1000": fullFar(), "far6": keyHeld(6, 10*time.Second).end(), "herd1000": release(full("children-lock")),
		"servers1000": ensemble(full("predecessor-lock"), 3),
	} {
		b.Run(name, func(b *testing.B) {
			var f scene.Frame
			at := now
			b.ReportAllocs()
			for b.Loop() {
				at += time.Microsecond
				f.Draw(s, at, scene.Options{Words: english, Width: 1400, Height: 700, Theme: display.Light()})
			}
			b.ReportMetric(float64(len(f.Ops)), "ops")
		})
	}
}
