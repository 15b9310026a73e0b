package panes_test

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/panes"
	"github.com/zkviz/zkviz/engine/testing/anylog"
)

var anyHost = []event.Host{event.Simulated, event.Observed, event.Joined, event.Tapped, event.Cluster, event.Embedded}

// TestHoldingOfAnyLog asks for the panel at any moment of random logs, with anything selected and anything shown
// before. If each transaction came whole, a Holding that followed the log answers like a fresh one.
func TestHoldingOfAnyLog(t *testing.T) {
	say := say(t)
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		host, whole := anylog.Pick(rng, anyHost...), seed%2 == 0
		h := view.NewHistoryFor(event.Header{Host: host, Root: "/"})
		shown := ""
		var asked panes.Holding
		for _, e := range anylog.Log(rng, 60, whole) {
			h.Append(e)
			f := anyFacts(rng, h, host)
			before := anylog.Pick(rng, shown, shown, shown, anylog.Pick(rng, anylog.Paths...))
			p, unfinished := asked.At(&f, before, say)
			if unfinished {
				t.Fatalf("seed %d: there is more to look at", seed)
			}
			shown = p.Where
			if fresh, _ := new(panes.Holding).At(&f, before, say); whole && !reflect.DeepEqual(fresh, p) {
				t.Fatalf("seed %d, event %d of %d: for the first time it says\n%snot\n%s", seed, f.Seq, h.Len(), written(fresh),
					written(p))
			}
		}
	}
}

// anyFacts returns the facts of a random moment, usually the last one.
func anyFacts(rng *rand.Rand, h *view.History, host event.Host) panes.Facts {
	f := panes.Facts{History: h, Host: host, Seq: event.Seq(h.Len()), Playing: true}
	f.Selected = anylog.Pick(rng, "", "client-1", "client-9", "server-1", anylog.Pick(rng, anylog.Paths...))
	if rng.IntN(4) == 0 {
		f.Seq = event.Seq(rng.IntN(h.Len() + 1))
	}
	if f.Seq > 0 {
		f.At = h.Event(int(f.Seq) - 1).At
	}
	f.End = h.Event(h.Len() - 1).At
	f.State = h.StateAtSeq(f.Seq)
	return f
}

// TestAnyLog fills all other panes from such logs.
func TestAnyLog(t *testing.T) {
	say := func(key string, args ...string) string { return key + " " + strings.Join(args, " ") }
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 2))
		host := anylog.Pick(rng, anyHost...)
		header := event.Header{Host: host, Root: "/", Promises: promise.Rules(), Clients: rng.IntN(4)}
		h, judge := view.NewHistoryFor(header), check.New(header.Promises, header)
		var log panes.Log
		var releases panes.Releases
		for i, e := range anylog.Log(rng, 120, false) {
			h.Append(e)
			judge.Append(e)
			if i%10 != 9 {
				continue
			}
			f := anyFacts(rng, h, host)
			log.Search(anylog.Pick(rng, "", "", "lock", "B"))
			for _, m := range log.Window(h, f.Seq, say).Marks {
				panes.NewRow(h, m, say)
			}
			panes.Judge(header.Promises, judge.Report().Verdict, h, f.Seq, say)
			panes.Inspect(f.State, f.At, f.Selected, "", say)
			panes.NewTrack(h, &releases, f.End, nil, nil)
			panes.Chain(h, f.Seq, say)
			panes.NewChart(f.State, say)
			panes.ZooCounts(f.State, say)
			panes.Counts(f.State, say)
			panes.Line(f.State, f.Selected)
			panes.Lines(f.State, say)
		}
	}
}
