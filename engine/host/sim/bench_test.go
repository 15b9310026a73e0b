package sim_test

import (
	"fmt"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
)

// counter is the cheapest sink.
type counter int

func (c *counter) Append(event.Event) { *c++ }

// The herds of 1,000 clients, with no reader: events/s is the simulator's own speed.
func BenchmarkHerd(b *testing.B) {
	most := 1000
	if testing.Short() {
		most = 20
	}
	for _, recipe := range all[:3] {
		for _, clients := range []int{10, most} {
			b.Run(fmt.Sprintf("%s/%d", recipe, clients), func(b *testing.B) {
				var n counter
				for b.Loop() {
					tr := calm(recipe, clients)
					tr.stagger = 0
					tr.run(b, &n)
				}
				b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
			})
		}
	}
}

// A whole run that goes wrong: the cost of exploring many seeds.
func BenchmarkShaky(b *testing.B) {
	var n counter
	seed := uint64(0)
	for b.Loop() {
		shaky(b, "predecessor-lock", seed).run(b, &n)
		seed++
	}
	b.ReportMetric(float64(n)/float64(b.N), "events/run")
}
