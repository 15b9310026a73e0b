// Package compare measures what recipes cost as the number of their clients grows: wakeups, requests, bytes
// and time, in all and for each release.
//
// It runs nothing by itself and judges nothing: a host is given to it, and run.Tally counts. The command
// line's compare and the Lab's chart call it.
package compare

import (
	"context"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/program"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/sentence"
)

// Row is what one run cost.
type Row struct {
	run.Summary
	Waiters    int   `json:"waiters"`           // behind the first one: clients - 1
	Bytes      int64 `json:"bytes"`             // see traffic; 0 if nothing is known of the encoding
	Servers    int   `json:"servers,omitempty"` // that vote, of an ensemble
	Observers  int   `json:"observers,omitempty"`
	Between    int   `json:"between_servers,omitempty"` // messages, see between
	PerRelease Cost  `json:"per_release"`
	// LongestMS is the longest time that anybody waited, whether it got in or not.
	LongestMS float64 `json:"longest_wait_ms"`
}

// Cost is the share of one release: of each time that somebody left and, mostly, somebody else got in.
type Cost struct {
	Wakeups  float64 `json:"wakeups"` // by release
	Requests float64 `json:"requests"`
	Polls    float64 `json:"polls,omitempty"` // tries that were refused, each followed by another
	Bytes    float64 `json:"bytes"`
	Between  float64 `json:"between_servers,omitempty"`
	// TimeMS is the mean time of a hand-over, from one client's leaving to the next one's getting in, over
	// the releases that somebody waited for; 0 if there was none, as in recipes that nobody is inside of.
	TimeMS float64 `json:"time_ms"`
}

// meter is a Sink that gathers what a Row needs, in memory that does not grow with the log.
type meter struct {
	*run.Tally
	wire  *traffic
	among between
	hands handovers
	waits longest
	of    event.System // ZooKeeper, as the header has it
}

// newMeter measures a log with this header.
func newMeter(h event.Header) *meter {
	m := &meter{Tally: run.NewTally(h), wire: newTraffic(), among: between{sessions: map[int64]bool{}},
		hands: handovers{phases: map[event.Actor]program.Phase{}}, waits: longest{since: map[event.Actor]time.Duration{}}}
	if len(h.Systems) > 0 && h.Systems[0].Kind == event.ZooKeeperSystem && h.Systems[0].Servers > 1 {
		m.of = h.Systems[0]
	}
	return m
}

// Append takes the next event.
func (m *meter) Append(e event.Event) {
	m.Tally.Append(e)
	m.wire.Append(e)
	m.among.Append(e)
	m.hands.Append(e)
	m.waits.Append(e)
}

// Row is what has been measured so far.
func (m *meter) Row() Row {
	s := m.Summary()
	r := Row{Summary: s, Waiters: s.Clients - 1, Bytes: m.wire.Bytes,
		Servers: m.of.Servers, Observers: m.of.Observers, Between: m.among.Messages,
		LongestMS: run.Rounded(float64(m.waits.wait) / float64(time.Millisecond))}
	if n := float64(s.Acquisitions); n > 0 {
		r.PerRelease = Cost{
			Wakeups:  run.Rounded(float64(s.Wakeups.ByRelease) / n),
			Requests: run.Rounded(float64(s.Requests) / n),
			Polls:    run.Rounded(float64(s.Polls) / n),
			Bytes:    run.Rounded(float64(r.Bytes) / n),
			Between:  run.Rounded(float64(r.Between) / n),
			TimeMS:   run.Rounded(m.hands.meanMS()),
		}
	}
	return r
}

// Measure has the runner of a host carry out the scenario. Watching gets every event too; it
// may be nil. A run that has more events than it may have cannot be compared with others, and is an error.
func Measure(ctx context.Context, host event.Host, runner run.Runner, s run.Scenario, watching event.Sink) (Row,
	error) {
	s = s.WithDefaults()
	m := newMeter(s.Header(host))
	sink := event.Tee{m}
	if watching != nil {
		sink = append(sink, watching)
	}
	if err := runner(ctx, s, sink); err != nil {
		return Row{}, err
	}
	if e, _ := m.Ended(); e.Reason == event.EndEvents {
		return Row{}, sentence.Error("failed.events", sentence.Number(s.MaxEvents))
	}
	return m.Row(), nil
}
