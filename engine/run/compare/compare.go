// Package compare measures what recipes cost as the number of their clients grows: wakeups, requests, bytes and
// time, in total and for each release.
//
// It also says how the run of a fork differs from what was seen, and reads what pages ask of both.
//
// It runs nothing itself and judges nothing: it gets a host as an argument, and run.Tally counts. The command
// line's compare, the Lab, and on a site of files wasm/engine call it.
//
// The contest of the locks of every system is in contest.go.
package compare

import (
	"context"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/stores/sql"
)

// Row holds the costs of one run.
type Row struct {
	run.Summary
	Waiters    int   `json:"waiters"`           // behind the first one: clients - 1
	Bytes      int64 `json:"bytes"`             // see traffic and commands; 0 if the encoding isn't known
	Servers    int   `json:"servers,omitempty"` // voters of an ensemble
	Observers  int   `json:"observers,omitempty"`
	Between    int   `json:"between_servers,omitempty"` // messages, see between
	PerRelease Cost  `json:"per_release"`
	// LongestMS is the longest time that anybody waited, whether it got in or not.
	LongestMS float64 `json:"longest_wait_ms"`
	// MedianMS and MaxMS describe the same hand-overs as PerRelease.TimeMS; 0 if there was none.
	MedianMS float64 `json:"handover_p50_ms"`
	MaxMS    float64 `json:"handover_max_ms"`
	// OutOfOrder counts those that got in right after somebody that had come later.
	OutOfOrder int    `json:"out_of_order"`
	Poll       string `json:"poll,omitempty"` // how refused clients tried again, if specified
	// Database holds the recipe's tables, if specified.
	Database event.SystemKind `json:"database,omitempty"`
	Moments  []string         `json:"moments,omitempty"` // see MeasureMoments
}

// Cost is the share of one release: of each time that somebody left and, mostly, somebody else got in.
type Cost struct {
	Wakeups  float64 `json:"wakeups"` // by release
	Requests float64 `json:"requests"`
	Polls    float64 `json:"polls,omitempty"` // tries that were refused, each followed by another
	Bytes    float64 `json:"bytes"`
	Between  float64 `json:"between_servers,omitempty"`
	// TimeMS is the mean time of a hand-over, from one client's leaving to the next one's getting in, over the
	// releases for which somebody waited. It is 0 if there was none, as in recipes without an inside.
	TimeMS float64 `json:"time_ms"`
}

// meter is a Sink that gathers what a Row needs. Its memory doesn't grow with the log, except for a number for each
// hand-over.
type meter struct {
	*run.Tally
	wire  *traffic
	redis *commands // nil if there is none
	table *statements
	among between
	hands handovers
	waits longest
	order arrivalOrder
	of    event.System // ZooKeeper, as in the header
}

// newMeter returns a meter for a log with this header.
func newMeter(h event.Header) *meter {
	m := &meter{Tally: run.NewTally(h), wire: newTraffic(), among: between{sessions: map[int64]bool{}},
		hands: handovers{phases: map[event.Actor]program.Phase{}}, waits: longest{since: map[event.Actor]time.Duration{}},
		order: arrivalOrder{came: map[event.Actor]int{}}}
	if len(h.Systems) > 0 && h.Systems[0].Kind == event.ZooKeeperSystem && h.Systems[0].Servers > 1 {
		m.of = h.Systems[0]
	}
	if slices.ContainsFunc(h.Systems, func(s event.System) bool { return s.Kind == event.RedisSystem }) {
		m.redis = &commands{asked: map[[2]event.Actor][]string{}}
	}
	for _, s := range h.Systems {
		if d, ok := sql.DialectOf(s.Kind); ok {
			m.table = &statements{dialect: d, asked: map[[2]event.Actor]string{}}
		}
	}
	return m
}

// bytes returns the bytes of everything whose encoding is known.
func (m *meter) bytes() int64 {
	switch {
	case m.redis != nil:
		return m.wire.Bytes + m.redis.Bytes
	case m.table != nil && m.table.cut:
		return 0
	case m.table != nil:
		return m.wire.Bytes + m.table.Bytes
	}
	return m.wire.Bytes
}

// Append adds the next event.
func (m *meter) Append(e event.Event) {
	m.Tally.Append(e)
	m.wire.Append(e)
	if m.redis != nil {
		m.redis.Append(e)
	}
	if m.table != nil {
		m.table.Append(e)
	}
	m.among.Append(e)
	m.hands.Append(e)
	m.waits.Append(e)
	m.order.Append(e)
}

// Row returns the measurements so far.
func (m *meter) Row() Row {
	s := m.Summary()
	r := Row{Summary: s, Waiters: s.Clients - 1, Bytes: m.bytes(),
		Servers: m.of.Servers, Observers: m.of.Observers, Between: m.among.Messages,
		LongestMS: milliseconds(m.waits.wait), MedianMS: m.hands.medianMS(), MaxMS: m.hands.maxMS(),
		OutOfOrder: m.order.late}
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

// Measure makes a host's runner carry out the scenario. watching also gets every event; it may be nil. A run that
// reaches its limit of events can't be compared with others, and is an error.
func Measure(ctx context.Context, host event.Host, runner run.Runner, s run.Scenario, watching event.Sink) (Row,
	error) {
	s = s.WithDefaults()
	return newMeter(s.Header(host)).measure(ctx, runner, s, watching)
}

// measure does the same with a new meter for a scenario, defaults filled in. watching gets an event after the meter.
func (m *meter) measure(ctx context.Context, runner run.Runner, s run.Scenario, watching event.Sink) (Row, error) {
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
	row := m.Row()
	row.Poll, row.Database = s.Poll.String(), s.Database
	return row, nil
}
