package panes_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/stage/panes"
)

// TestChartTable checks the bars for numbers of releases.
func TestChartTable(t *testing.T) {
	for _, c := range []struct {
		releases, bars int
	}{{0, 0}, {1, 1}, {39, 39}, {40, 40}, {41, 40}, {60, 40}} {
		s := &view.State{Clients: []view.Client{{Belief: view.Belief{Phase: program.Waiting}}}}
		for i := range c.releases {
			s.Wakeups.Releases = append(s.Wakeups.Releases, view.Release{Woken: 1000 + i, Wasted: i})
		}
		chart := panes.NewChart(s, say(t))
		if len(chart.Bars) != c.bars {
			t.Errorf("of %d releases it has %d bars", c.releases, len(chart.Bars))
		}
		for i, b := range chart.Bars {
			if n := c.releases - c.bars + i; b != (panes.Bar{Woken: 1000 + n, Wasted: n}) {
				t.Errorf("of %d releases bar %d is %+v", c.releases, i, b)
			}
		}
		n := c.releases - 1
		text := fmt.Sprintf("At the last one: 1,%03d wakeups, %d of them for nothing.", n, n)
		if n >= 0 && (chart.Most != 1000+n || chart.Text != text) {
			t.Errorf("of %d releases it says %q, at most %d", c.releases, chart.Text, chart.Most)
		}
	}
}

// TestCountsTable checks all counts after a small log.
func TestCountsTable(t *testing.T) {
	log := []event.Event{
		phase(1, program.Waiting, "", 0),
		{Kind: event.OpSent, Actor: 1, Op: event.Get}, {Kind: event.OpSent, Actor: 1, Op: event.Ping},
		{Kind: event.WatchSet, Peer: 1, Path: "/a", Watch: event.DataWatch},
		{Kind: event.WatchSet, Peer: 1, Path: "/b", Watch: event.DataWatch},
		{Kind: event.WatchFired, Peer: 1, Path: "/a", Watch: event.DataWatch, Type: uint8(zoo.NodeDataChanged)},
		{Kind: event.WatchDelivered, Actor: 1, Path: "/a", Type: uint8(zoo.NodeDataChanged)},
		{Kind: event.WatchFired, Peer: 1, Path: "/b", Watch: event.DataWatch, Type: uint8(zoo.NodeDeleted)},
		{Kind: event.WatchDelivered, Actor: 1, Path: "/b", Type: uint8(zoo.NodeDeleted)},
		phase(1, program.Holding, "", 0),
	}
	const in, vain = "times somebody got in: 1\n", "wakeups for nothing: 1\n"
	want := "requests: 1\n" + in + "watches set: 2\nwatches fired: 2\n" +
		"wakeups by a release: 1\nwakeups by an arrival: 0 (aside)\nwakeups by a change: 1\n" + vain
	for kind, want := range map[event.DrawingKind]string{
		event.DrawQueue: want,
		event.DrawTree:  strings.NewReplacer(in, "", vain, "").Replace(want), // there is nothing to get into
	} {
		f := small("lock", log...)
		s := f.StateAtSeq(event.Seq(f.Len()))
		s.Header.Drawing.Kind = kind
		got := ""
		for _, c := range panes.Counts(s, say(t)) {
			got += c.Name + ": " + c.Value
			if c.Aside {
				got += " (aside)"
			}
			got += "\n"
		}
		if got != want {
			t.Errorf("drawn as %q it counts\n%s\nwant\n%s", kind, got, want)
		}
	}
}

// TestChartOfNothing checks that there is no chart if no release has woken a client, except while notifications are
// under way.
func TestChartOfNothing(t *testing.T) {
	chart := func(all ...view.Release) panes.Chart {
		return panes.NewChart(&view.State{Wakeups: view.Wakeups{Releases: all}}, say(t))
	}
	for name, c := range map[string]struct {
		chart panes.Chart
		empty bool
	}{
		"no release":   {chart(), true},
		"none woken":   {chart(make([]view.Release, 3)...), true},
		"one woken":    {chart(view.Release{}, view.Release{Woken: 1}, view.Release{}), false},
		"on their way": {panes.Chart{Bars: make([]panes.Bar, 1), OnTheWay: true}, false},
	} {
		if c.chart.Empty() != c.empty {
			t.Errorf("%s: the chart %+v is empty: %v", name, c.chart, !c.empty)
		}
	}
}

// TestZooCountsTable checks the counts of visitors and of the queue.
func TestZooCountsTable(t *testing.T) {
	s := &view.State{
		Clients: []view.Client{
			{Linked: true}, {Linked: true, Ended: view.Expired}, {Linked: true, Ended: view.Closed}, {}, {Linked: true},
		},
		Tree:    view.Tree{Nodes: []view.Node{{Number: 0}, {Number: -1}, {Number: 7}, {Number: 8, Gone: true}, {Number: 9}}},
		Counts:  view.Counters{Requests: 1, WatchesSet: 2, WatchesFired: 3},
		Wakeups: view.Wakeups{ByRelease: 4, ByArrival: 5},
	}
	var got []string
	for _, f := range panes.ZooCounts(s, say(t)) {
		got = append(got, f.Value)
	}
	if strings.Join(got, " ") != "2 3 1 2 3 4 5" {
		t.Errorf("it counts %v", got)
	}
}

// TestChipsTable checks which clients are on which line, and the current line.
func TestChipsTable(t *testing.T) {
	on := func(lines ...int) *view.State {
		s := &view.State{}
		for _, l := range lines {
			s.Clients = append(s.Clients, view.Client{Line: l})
		}
		return s
	}
	over := on(5, 5, 7)
	over.Clients[0].Exited, over.Clients[1].Crashed = true, true
	for _, c := range []struct {
		name     string
		s        *view.State
		selected string
		lines    string
		line     int
	}{
		{"nobody", on(), "", "", 0},
		{"nowhere", on(0, 0), "client-1", "", 0},
		{"the most", on(3, 9, 9), "", "3:A 9:BC", 9},
		{"the first of equals", on(9, 3, 3, 9, 12), "", "3:BC 9:AD 12:E", 3},
		{"the selected", on(3, 9, 9), "client-1", "3:A 9:BC", 3},
		{"the last selected", on(3, 9, 9, 4), "client-4", "3:A 4:D 9:BC", 4},
		{"unknown selected", on(3, 9, 9), "client-4", "3:A 9:BC", 9},
		{"eight", on(1, 1, 1, 1, 1, 1, 1, 1), "", "1:ABCDEFGH", 1},
		{"eleven", on(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), "", "1:ABCDEFGH+3", 1},
		{"who has ended", over, "", "7:C", 7},
	} {
		lines, got := panes.Lines(c.s, say(t)), ""
		for l := range 20 {
			chips, ok := lines[l]
			if !ok {
				continue
			}
			got += fmt.Sprintf(" %d:", l)
			for _, w := range chips.Clients {
				got += w.Label
			}
			if chips.More > 0 {
				got += fmt.Sprint("+", chips.More)
			}
		}
		if got = strings.TrimSpace(got); got != c.lines || panes.Line(c.s, c.selected) != c.line {
			t.Errorf("%s: %q, line %d; want %q, line %d", c.name, got, panes.Line(c.s, c.selected), c.lines, c.line)
		}
	}
}

// TestTrackTable checks the time line of small logs.
func TestTrackTable(t *testing.T) {
	del := func(at time.Duration, cause event.Seq, why event.Reason) event.Event {
		return event.Event{Kind: event.ZnodeDeleted, At: at, Path: "/a", Reason: why, Cause: cause}
	}
	const s = time.Second
	start, note := event.Event{At: 1, Kind: event.RunStarted}, event.Event{At: 5 * s, Kind: event.RecipeNote}
	for _, c := range []struct {
		name string
		log  []event.Event
		want panes.Track
	}{
		{"start and end", log(start, event.Event{At: 10 * s, Kind: event.RunEnded}),
			panes.Track{Ticks: "M2 100V30M997 100V30"}},
		{"higher", log(start, note, note), panes.Track{Ticks: "M2 100V65M502 100V30"}},
		{"releases",
			log(del(s, 1, event.ByOp), del(s, 1, event.ByOp), del(2*s, 1, event.ByOp), del(2*s, 2, event.ByOp),
				del(4*s, 1, event.BySessionExpired), del(6*s, 1, event.ByUnknown)),
			panes.Track{Ticks: "M102 100V30M202 100V30M402 100V65M602 100V65", Releases: "M100 0V100M200 0V100M400 0V100"}},
	} {
		got := panes.NewTrack(small("lock", c.log...), &panes.Releases{}, 10*s, nil, nil)
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	var steps []time.Duration
	for i := range 500 {
		steps = append(steps, time.Duration(i)*s)
	}
	got := panes.NewTrack(small("lock"), &panes.Releases{}, 500*s, steps, []time.Duration{-1, 600 * s})
	if n := strings.Count(got.Steps, "M"); n != 250 || !strings.HasSuffix(got.Steps, "M996 0V40") ||
		got.Branches != "M0 0V100M1000 0V100" {
		t.Errorf("of 500 steps %d are drawn; branches: %s", n, got.Branches)
	}
}

// TestQuietLines checks the lines for stretches that are played fast.
func TestQuietLines(t *testing.T) {
	s := time.Second
	quiet := []panes.Stretch{{From: 0, To: s}, {From: 2 * s, To: 2*s + time.Millisecond}, {From: 4 * s, To: 20 * s}}
	if got, want := panes.QuietLines(quiet, 10*s), "M0 4H100M400 4H1000"; got != want {
		t.Errorf("the stretches are %q, want %q", got, want)
	}
	if got := panes.QuietLines(make([]panes.Stretch, 500), 10*s); got != "" {
		t.Errorf("stretches of no time are %q", got)
	}
}

func TestClock(t *testing.T) {
	hasAll(t, panes.ClockFast(1499*time.Millisecond, say(t)), "» 1 s")
	const at = 1234567 * time.Microsecond
	hasAll(t, panes.Clock(at, 1102, 1234567, 1234567, say(t)), "1.234", "1,102", "1,234,567")
	hasAll(t, panes.Clock(at, 1102, 123_456, 499_999, say(t)), "1.234", "1,102", "123,456")
	hasAll(t, panes.Clock(at, 1102, 1_234_567, 3_499_999, say(t)), "1.234", "1,102", "1.2 of 3.5 million")
	hasAll(t, panes.ClockAloud(at, 999, 1000, say(t)), "1.2", "999", "1,000")
}

func hasAll(t *testing.T, got string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(got, part) {
			t.Errorf("%q has no %s", got, part)
		}
	}
}

// TestLongTexts checks that names are cut after 120 runes, and that characters that hide or reverse text become dots.
func TestLongTexts(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{strings.Repeat("é", 120), strings.Repeat("é", 120)},
		{strings.Repeat("é", 121), strings.Repeat("é", 120) + "…"},
		{"a\u202eb\xffc\u200bd\ne", "a·b·c·d·e"},
		{"cafe\u0301 می\u200cخ 図\u3000書", "cafe\u0301 می\u200cخ 図\u3000書"},
	} {
		if got := panes.Short("/x/" + c.name); got != c.want {
			t.Errorf("%q is %q", c.name, got)
		}
	}
}

// TestBranchNames checks that the first branch has no fault, and that others are named after theirs.
func TestBranchNames(t *testing.T) {
	first := (panes.Branch{}).Name(say(t))
	other := (panes.Branch{ID: 2, Fault: "crash client-3 at 2s"}).Name(say(t))
	hasAll(t, other, "2", "crash C at 2s")
	if first == "" || first == other {
		t.Errorf("they are called %q and %q", first, other)
	}
}
