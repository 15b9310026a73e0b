package view_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// herdSize returns the number of clients in a herd: fewer with -short.
func herdSize() int {
	if testing.Short() {
		return 20
	}
	return 1000
}

// herd returns a log of 100,000 events of 1,000 clients: the largest State that has to be drawn.
func herd(b *testing.B) []event.Event {
	return scenario{recipe: "children-lock", clients: herdSize(), hold: program.UntilSettled, events: 100_000}.log(b)
}

func BenchmarkApply(b *testing.B) {
	log := herd(b)
	for b.Loop() {
		fold(view.New(), log)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(log)), "ns/event")
}

// BenchmarkHistory appends a whole log.
func BenchmarkHistory(b *testing.B) {
	log := herd(b)
	for b.Loop() {
		history := &view.History{}
		history.AppendAll(log)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(log)), "ns/event")
}

// BenchmarkScrub jumps to any moment of the log; the figure to look at is the 95th percentile.
func BenchmarkScrub(b *testing.B) {
	for name, c := range map[string]scenario{
		"1000-clients": {recipe: "children-lock", clients: herdSize(), hold: program.UntilSettled, events: 100_000},
		"whole-herd":   {recipe: "children-lock", clients: herdSize(), hold: program.UntilSettled},
		"6-clients": {recipe: "predecessor-lock", clients: 6, rounds: 1000, hold: program.UntilSettled,
			events: 100_000},
	} {
		b.Run(name, func(b *testing.B) {
			history := &view.History{}
			c.into(b, historySink{history})
			rnd := rand.New(rand.NewPCG(1, 1))
			var took []time.Duration
			for b.Loop() {
				seq := event.Seq(rnd.IntN(history.Len()) + 1)
				start := time.Now()
				history.StateAtSeq(seq)
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
			b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "max-ms")
		})
	}
}

func BenchmarkClone(b *testing.B) {
	s := fold(view.New(), herd(b))
	for b.Loop() {
		s.Clone()
	}
}
