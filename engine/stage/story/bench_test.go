package story_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/story"
)

// long returns a log of that many events.
func long(tb testing.TB, events int) *view.History {
	return simulated(tb, run.Scenario{Recipe: "predecessor-lock", Clients: 10, Rounds: 1000, Hold: time.Second,
		Seed: 1, MaxEvents: events})
}

// BenchmarkStory plans and paints windows of 2,000 events of a short log and of a long one.
func BenchmarkStory(b *testing.B) {
	for _, events := range []int{10_000, 100_000} {
		h := long(b, events)
		b.Run(fmt.Sprint(events), func(b *testing.B) {
			var f scene.Frame
			for i := 0; b.Loop(); i++ {
				from := (i * 7919) % (h.Len() - 2000)
				o := story.Options{Words: english, Width: 1400, Height: 700, From: h.Event(from).At, To: h.Event(from + 2000).At}
				p := story.Make(h, o)
				p.Draw(&f, display.Light(), p.Cause(h, event.Seq(from+1000)))
			}
		})
	}
}
