package agenda_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/base/agenda"
)

// BenchmarkNext takes the next plan and adds another, with a thousand plans waiting.
func BenchmarkNext(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	later := func() time.Duration { return time.Duration(r.IntN(1000)) * time.Microsecond }
	var g agenda.Agenda[[6]int]
	for range 1000 {
		g.Add(later(), [6]int{})
	}
	for b.Loop() {
		at, plan, _ := g.Next()
		g.Add(at+later(), plan)
	}
}
