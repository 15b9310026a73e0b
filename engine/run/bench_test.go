package run_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run"
)

// timed is a sink that passes events on in batches and measures how long the next sink takes for them.
type timed struct {
	next   event.Sink
	batch  []event.Event
	events int
	took   time.Duration
}

func (t *timed) Append(e event.Event) {
	if t.batch = append(t.batch, e); len(t.batch) == 1000 {
		t.flush()
	}
}

func (t *timed) flush() {
	began := time.Now()
	for _, e := range t.batch {
		t.next.Append(e)
	}
	t.took += time.Since(began)
	t.events += len(t.batch)
	t.batch = t.batch[:0]
}

// apache is how long a thousand clients took on Apache ZooKeeper 3.8 on one machine, settled between releases.
var apache = map[string]time.Duration{
	"unique-lock": 84 * time.Second, "children-lock": 82 * time.Second, "predecessor-lock": 900 * time.Millisecond,
}

// BenchmarkThousandClients runs locks and judges them by all that their recipes promise. judging/run is the time that
// the verdicts take, as a part of the run's without them: at most a half.
func BenchmarkThousandClients(b *testing.B) {
	for _, of := range []struct {
		recipe           string
		clients, servers int
	}{
		{"unique-lock", 1000, 1}, {"children-lock", 1000, 1}, {"predecessor-lock", 1000, 1}, {"predecessor-lock", 100, 3},
	} {
		s := run.Scenario{Recipe: of.recipe, Clients: of.clients, Servers: of.servers, Seed: 1}.WithDefaults()
		if testing.Short() {
			s.Clients = 50
		}
		b.Run(fmt.Sprintf("%s/%d", of.recipe, of.servers), func(b *testing.B) {
			var judge timed
			for b.Loop() {
				judge.next = run.NewTally(s.Header("sim"))
				simulate(b, s, &judge)
				judge.flush()
			}
			ran := (b.Elapsed() - judge.took).Seconds()
			b.ReportMetric(judge.took.Seconds()/ran, "judging/run")
			b.ReportMetric(float64(judge.events)/ran/1e6, "Mevents/s")
			b.ReportMetric(float64(judge.events)/judge.took.Seconds()/1e6, "Mjudged/s")
			if of.servers == 1 {
				b.ReportMetric(apache[of.recipe].Seconds()*float64(b.N)/ran, "x-apache")
			}
		})
	}
}

func simulate(b *testing.B, s run.Scenario, sink event.Sink) {
	if err := run.Sim(context.Background(), s, sink); err != nil {
		b.Fatal(err)
	}
}
