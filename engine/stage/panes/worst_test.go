package panes_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/panes"
)

// longHistory returns the longest history in the budgets. Its clients never report anything, and their sessions are
// unknown; now and then a znode is deleted.
func longHistory() *view.History {
	history := &view.History{}
	for i := range 100_000 {
		e := event.Event{At: time.Duration(i) * time.Millisecond, Kind: event.SessionExpired, Peer: event.Actor(i%32 + 1),
			Session: 9}
		if i%10 == 0 {
			e = event.Event{At: e.At, Kind: event.ZnodeDeleted, Path: "/a", Peer: 1, Reason: event.ByOp}
		}
		history.Append(e)
	}
	return history
}

// TestLongLogs repeats a few hundred times what the page does at each change. It takes minutes if that reads the whole
// log for each client in a verdict, each row, or each bucket of the time line.
func TestLongLogs(t *testing.T) {
	history, say := longHistory(), say(t)
	last := event.Seq(history.Len())
	broken := []promise.Violation{{Rule: promise.Progress, Seq: last}}
	for a := event.Actor(1); a <= 32; a++ {
		broken[0].Clients = append(broken[0].Clients, a)
	}
	var releases panes.Releases
	for i := range 300 {
		seq := last - event.Seq(i)
		report := promise.Verdict{Violations: broken}
		if v := panes.Judge([]string{promise.Progress}, report, history, last, say); len(v[0].Proof) != 1 {
			t.Fatalf("the proof is %v", v[0].Proof)
		}
		for back := range event.Seq(25) {
			panes.NewRow(history, panes.Mark{First: seq - back, Last: seq - back}, say)
		}
		panes.NewTrack(history, &releases, history.Event(int(seq)-1).At+time.Second, nil, nil)
	}
}

// TestSearchOfALongLog checks that a search continues from call to call, and reports no result only once it has read
// all.
func TestSearchOfALongLog(t *testing.T) {
	history := longHistory()
	history.Append(event.Event{At: time.Hour, Kind: event.ZnodeDeleted, Path: "/needle", Reason: event.ByOp})
	for query, want := range map[string]int{"needle": 1, "no such thing": 0, "expired": 90_000} {
		var l panes.Log
		l.Search(query)
		w, calls := l.Window(history, 1, say(t)), 1
		for ; w.Unfinished; calls++ {
			if w.Empty {
				t.Fatalf("%q: nothing fits, after %d calls", query, calls)
			}
			w = l.Window(history, 1, say(t))
		}
		if got := w.Before + len(w.Marks) + w.After; got != want || calls < 5 || w.Empty != (want == 0) {
			t.Errorf("%q: %d rows after %d calls, empty %v, want %d", query, got, calls, w.Empty, want)
		}
	}
}

// TestTrackOfManyEvents checks that the time line of many events equals that of fewer with the same distribution.
func TestTrackOfManyEvents(t *testing.T) {
	few, many := &view.History{}, &view.History{}
	for i := range 2000 {
		e := event.Event{At: time.Duration(i*i) * time.Millisecond, Kind: event.RecipeNote}
		few.Append(e)
		for range 64 {
			many.Append(e)
		}
	}
	var followed panes.Releases // some in an earlier call
	panes.NewTrack(many, &followed, time.Hour, nil, nil)
	got, want := panes.NewTrack(many, &followed, time.Hour, nil, nil),
		panes.NewTrack(few, &panes.Releases{}, time.Hour, nil, nil)
	if got != want {
		t.Errorf("%s\nwant %s", got.Ticks, want.Ticks)
	}
}

// TestTrackGrows checks that the time line of a growing log equals that of the whole.
func TestTrackGrows(t *testing.T) {
	whole := history(t, "children-lock", 0)
	grown := &view.History{}
	var releases panes.Releases
	for i := range whole.Len() {
		grown.Append(whole.Event(i))
		if i%37 != 0 {
			continue
		}
		end := whole.Event(i).At + 1
		if got, want := panes.NewTrack(grown, &releases, end, nil, nil),
			panes.NewTrack(grown, &panes.Releases{}, end, nil, nil); got != want {
			t.Fatalf("after %d events: %+v, want %+v", i+1, got, want)
		}
	}
}

// TestTrackOfYears checks the time line of a run observed for years.
func TestTrackOfYears(t *testing.T) {
	f := &view.History{}
	const year = 365 * 24 * time.Hour
	for i := range 3 {
		f.Append(event.Event{At: time.Duration(i) * year, Kind: event.RecipeNote})
	}
	if got := panes.NewTrack(f, &panes.Releases{}, 2*year+1, nil, nil).Ticks; got != "M2 100V30M497 100V30M997 100V30" {
		t.Errorf("the ticks are %s", got)
	}
}
