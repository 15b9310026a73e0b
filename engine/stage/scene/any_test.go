package scene_test

import (
	"math/rand/v2"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/testing/anylog"
)

// TestAnyLogIsDrawn draws random logs at every moment, with every kind of drawing and anything selected.
func TestAnyLogIsDrawn(t *testing.T) {
	hosts := []event.Host{event.Simulated, event.Observed, event.Joined, event.Tapped, event.Cluster,
		event.Embedded, "else"}
	ways := []event.Drawing{{}, {Kind: event.DrawTree}, {Kind: event.DrawQueue, Queue: "lock"}, {Kind: event.DrawName},
		{Kind: event.DrawBarrier, Gate: "x"}, {Kind: event.DrawItems, Queue: "q"}, {Kind: "galaxy"}}
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 1))
		header := event.Header{Host: anylog.Pick(rng, hosts...), Root: anylog.Pick(rng, anylog.Paths...),
			Clients: rng.IntN(5), Drawing: anylog.Pick(rng, ways...)}
		for range rng.IntN(3) {
			header.Systems = append(header.Systems, event.System{Servers: rng.IntN(6), Observers: rng.IntN(3),
				Kind: anylog.Pick(rng, event.ZooKeeperSystem, event.RedisSystem, event.PostgresSystem, event.EtcdSystem, "else")})
		}
		h := view.NewHistoryFor(header)
		var f scene.Frame
		for i, e := range anylog.Log(rng, 120, false) {
			h.Append(e)
			if i%6 != 5 {
				continue
			}
			at := h.Event(rng.IntN(h.Len()))
			s := h.StateAtSeq(at.Seq)
			stage := anylog.Pick(rng, stages...)
			f.Draw(s, s.At, scene.Options{Words: english, Width: stage.width, Height: stage.height, Theme: display.Light(),
				Still:    rng.IntN(2) == 0,
				Selected: anylog.Pick(rng, "", "client-1", "client-9", "server-1", anylog.Pick(rng, anylog.Paths...))})
			f.Next("", 1)
		}
	}
}
