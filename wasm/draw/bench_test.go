package draw

import (
	"fmt"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/static/strings"
)

// crowd returns a predecessor lock with n clients in its queue and messages under way.
func crowd(n, flights int) *view.State {
	s := &view.State{Header: event.Header{Host: event.Simulated, Drawing: event.Drawing{Kind: event.DrawQueue}},
		Root: "/zkviz/lock", At: 10 * time.Second}
	s.Tree.Nodes = append(s.Tree.Nodes, view.Node{Path: s.Root, Number: -1})
	for i := range n {
		c, session := event.Actor(i+1), int64(i+1)
		path := fmt.Sprintf("%s/lock-%x-%010d", s.Root, session, i)
		s.Clients = append(s.Clients, view.Client{
			Name: c.String(), Started: true, Linked: true, Session: session, Timeout: 10 * time.Second,
			Heard: time.Duration(i) * time.Millisecond, Blocked: i > 0, Belief: view.Belief{Phase: program.Waiting, Path: path},
		})
		s.Tree.Nodes = append(s.Tree.Nodes, view.Node{Path: path, Owner: session, Creator: c, Number: int64(i),
			Mode: zoo.EphemeralSequential})
		if i > 0 {
			s.Watches.List = append(s.Watches.List, view.Watch{Client: c, Path: s.Tree.Nodes[i].Path, Kind: event.DataWatch})
		}
	}
	for i := range flights {
		s.Flights.List = append(s.Flights.List, view.Flight{
			Seq: event.Seq(i + 1), From: event.Actor(i%n + 1), Op: event.Exists, Path: s.Tree.Nodes[i%n+1].Path,
			Sent: s.At - 100*time.Millisecond, Takes: time.Second, Reply: i%2 == 0,
		})
	}
	return s
}

// BenchmarkFrame measures what Draw does in Go before Ebiten: the scene and its mesh. The budget for 1,000 clients is 2
// ms in WebAssembly, of which Ebiten takes about 0.06 µs a vertex.
func BenchmarkFrame(b *testing.B) {
	english, err := strings.Load(strings.Source)
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{6, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := crowd(n, min(3*n, 300))
			o := scene.Options{Words: english, Width: 1000, Height: 600, Theme: display.Light()}
			var f scene.Frame
			var m Mesh
			labels := &oneLabel{w: 50}
			at := s.At
			b.ReportAllocs()
			for b.Loop() {
				at += 16 * time.Millisecond
				if at > s.At+800*time.Millisecond {
					at = s.At
				}
				f.Draw(s, at, o)
				m.Reset()
				labels.sizes = labels.sizes[:0]
				m.Add(f.Ops, 1, labels)
			}
			b.ReportMetric(float64(len(m.Vertices)), "vertices")
			b.ReportMetric(float64(len(f.Ops)), "ops")
		})
	}
}
