package scene_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
)

// worst holds states with n elements in a list that some part of a picture is looked up in.
var worst = map[string]func(n int) *view.State{
	"missing": func(n int) *view.State { // znodes that one client waits for
		s := &view.State{Root: "/r"}
		clients(s, 1)
		for i := range n {
			s.Watches.List = append(s.Watches.List, view.Watch{Client: 1, Path: path(i)})
		}
		return s
	},
	"owned": func(n int) *view.State { // znodes of unknown creators with known sessions
		s := &view.State{Root: "/r"}
		clients(s, n)
		nodes(s, n)
		return s
	},
	"stray": func(n int) *view.State { // the same, with sessions of no client
		s := &view.State{Root: "/r"}
		clients(s, n)
		nodes(s, n)
		for i := range s.Tree.Nodes {
			s.Tree.Nodes[i].Owner += int64(n)
		}
		return s
	},
	"zoo": func(n int) *view.State { // everyone in a queue
		s := &view.State{Root: "/r", Header: headerOf("zoo")}
		clients(s, n)
		nodes(s, n)
		return s
	},
	"crowd": func(n int) *view.State { // the same, and they watch each other
		s := &view.State{Root: "/r", Header: headerOf("predecessor-lock")}
		clients(s, n)
		nodes(s, n)
		for i := range s.Clients {
			s.Watches.List = append(s.Watches.List, view.Watch{Client: event.Actor(i + 1), Path: path(i / 2)})
		}
		return s
	},
	"messages": func(n int) *view.State {
		s := &view.State{Root: "/r", Header: headerOf("unique-lock")}
		clients(s, n)
		for i := range n {
			s.Flights.List = append(s.Flights.List, view.Flight{Seq: event.Seq(i + 1), To: event.Actor(i%len(s.Clients) + 1),
				Notify: i%2 == 0, Path: path(i), Dropped: true})
		}
		return s
	},
	"entries": func(n int) *view.State { // at independent nodes
		s := farState(n)
		for i := range n {
			s.Remotes.Entries = append(s.Remotes.Entries, view.Entry{Node: event.Node(i%5 + 1), Path: path(i / 5), Text: "value",
				Owner: event.Actor(i%len(s.Clients) + 1), Expires: time.Hour, Lasts: time.Hour})
		}
		return s
	},
	"kept": func(n int) *view.State { // requests, half of them for the same key
		s := farState(n)
		for i := range n {
			s.Remotes.Kept = append(s.Remotes.Kept, view.Kept{Node: event.Node(1), Client: event.Actor(i%len(s.Clients) + 1),
				Path: path(i % 2 * i)})
		}
		return s
	},
	"held": func(n int) *view.State { // rows in transactions, and keys with leases
		s := farState(n)
		for i := range n {
			c := event.Actor(i%len(s.Clients) + 1)
			r, n := &s.Remotes, int64(i)
			r.Entries = append(r.Entries, view.Entry{Node: event.Node(1), Path: path(i), Owner: c, Session: n})
			r.Txs = append(r.Txs, view.Tx{Node: event.Node(1), Client: c, Session: n})
			r.Locks = append(r.Locks, view.Lock{Node: event.Node(1), Client: c, Path: path(i), Session: n})
			r.Leases = append(r.Leases, view.Lease{Node: event.Node(2), Client: c, Session: n, Until: time.Hour})
		}
		return s
	},
	"told": func(n int) *view.State { // messages to and between nodes
		s := farState(n)
		for i := range n {
			m := view.Flight{Seq: event.Seq(i + 1), From: event.Actor(i%len(s.Clients) + 1), To: event.Node(i%5 + 1),
				Op: event.Command, Text: "SET lock token NX PX 10000", Takes: time.Hour}
			if i%3 == 0 {
				m.From, m.Op = event.Node(1), event.Replicate
			}
			s.Flights.List = append(s.Flights.List, m)
		}
		return s
	},
}

// farState returns five nodes and n clients.
func farState(n int) *view.State {
	s := view.NewFor(event.Header{Host: event.Simulated, Root: "/r",
		Systems: []event.System{{Kind: event.EtcdSystem, Servers: 5, Apart: true}}})
	clients(s, n)
	return s
}

func path(i int) string { return fmt.Sprintf("/r/n-%010d", i) }

// clients adds n clients, or as many as there can be.
func clients(s *view.State, n int) {
	for i := range min(n, event.MaxActor) {
		s.Clients = append(s.Clients, view.Client{
			Name: event.Actor(i + 1).String(), Started: true, Linked: true, Session: int64(i + 1), Timeout: time.Hour,
			Blocked: true,
		})
	}
}

func nodes(s *view.State, n int) {
	for i := range n {
		s.Tree.Nodes = append(s.Tree.Nodes, view.Node{Path: path(i), Mode: zoo.Ephemeral, Owner: int64(i%len(s.Clients) + 1),
			Number: int64(i)})
	}
}

// TestWorstPictures draws each of the worst states. If a cost isn't linear, this takes minutes.
func TestWorstPictures(t *testing.T) {
	for name, state := range worst {
		t.Run(name, func(t *testing.T) {
			s := state(60_000)
			var f scene.Frame
			for i := range time.Duration(3) {
				f.Draw(s, i, scene.Options{Words: english, Width: 1400, Height: 700, Theme: display.Light()})
			}
			if len(f.Ops) == 0 {
				t.Error("nothing is drawn")
			}
		})
	}
}

// BenchmarkWorst draws each state with two numbers of elements: the cost of an element must stay the same.
func BenchmarkWorst(b *testing.B) {
	sizes := []int{3_000, 30_000}
	if testing.Short() {
		sizes = []int{300}
	}
	for name, state := range worst {
		for _, n := range sizes {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				s := state(n)
				var f scene.Frame
				for b.Loop() {
					f.Draw(s, 0, scene.Options{Words: english, Width: 1400, Height: 700, Theme: display.Light()})
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/thing")
			})
		}
	}
}
