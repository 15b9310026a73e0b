package run_test

import (
	"context"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run"
)

type counter struct{ events int }

func (c *counter) Append(event.Event) { c.events++ }

// apache is how long a thousand clients took on Apache ZooKeeper 3.8 on one machine, settled between releases.
var apache = map[string]time.Duration{
	"unique-lock": 84 * time.Second, "children-lock": 82 * time.Second, "predecessor-lock": 900 * time.Millisecond,
}

// BenchmarkThousandClients runs the locks with a thousand clients, once without looking at the events and once with
// verdicts. x-simulated is the ratio of the two times: judging may cost half of the run, which makes 1.5.
func BenchmarkThousandClients(b *testing.B) {
	clients := 1000
	if testing.Short() {
		clients = 50
	}
	for _, recipe := range []string{"unique-lock", "children-lock", "predecessor-lock"} {
		s := run.Scenario{Recipe: recipe, Clients: clients, Seed: 1}.WithDefaults()
		var alone float64 // seconds
		b.Run(recipe+"/simulated", func(b *testing.B) {
			var c counter
			for b.Loop() {
				simulate(b, s, &c)
			}
			alone = b.Elapsed().Seconds() / float64(b.N)
			report(b, recipe, c.events)
		})
		b.Run(recipe+"/judged", func(b *testing.B) {
			events := 0
			for b.Loop() {
				tally := run.NewTally(s.Header("sim"))
				simulate(b, s, tally)
				events += tally.Summary().Events
			}
			if alone > 0 { // the other one was run, too
				b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/alone, "x-simulated")
			}
			report(b, recipe, events)
		})
	}
}

func simulate(b *testing.B, s run.Scenario, sink event.Sink) {
	if err := run.Sim(context.Background(), s, sink); err != nil {
		b.Fatal(err)
	}
}

func report(b *testing.B, recipe string, events int) {
	seconds := b.Elapsed().Seconds()
	b.ReportMetric(float64(events)/seconds/1e6, "Mevents/s")
	b.ReportMetric(apache[recipe].Seconds()*float64(b.N)/seconds, "x-apache")
}
