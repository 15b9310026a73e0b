package check_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// TestFigures counts random logs a second time, looking back and ahead in the whole log.
func TestFigures(t *testing.T) {
	var total check.Figures
	for seed := range uint64(300) {
		events := randomWakeups(rand.New(rand.NewPCG(seed, 2)), 30+2*int(seed), 4)
		compareFigures(t, seed, events, &total)
	}
	// More releases and creates than are remembered.
	compareFigures(t, 1000, randomWakeups(rand.New(rand.NewPCG(1000, 2)), 30_000, 20_000), &total)
	if total.ByRelease == 0 || total.ByArrival == 0 || total.Wasted == 0 || total.MaxPerRelease < 3 ||
		total.Releases == 0 || total.Acquisitions == 0 {
		t.Errorf("the logs do not have all that is counted: %+v", total)
	}
}

func compareFigures(t *testing.T, seed uint64, events []event.Event, total *check.Figures) {
	t.Helper()
	got, want := judge(event.Header{Host: "sim"}, events).Figures, figures(events)
	if got != want {
		t.Fatalf("seed %d:\ngot  %+v\nwant %+v", seed, got, want)
	}
	total.ByRelease += got.ByRelease
	total.ByArrival += got.ByArrival
	total.Wasted += got.Wasted
	total.Releases += got.Releases
	total.Acquisitions += got.Acquisitions
	total.MaxPerRelease = max(total.MaxPerRelease, got.MaxPerRelease)
}

// randomWakeups returns a log of three clients that learn what the others do. A cause lies at most that many events
// back.
func randomWakeups(r *rand.Rand, n, back int) (log []event.Event) {
	var at time.Duration
	fired := [4][]event.Event{}
	add := func(e event.Event) event.Event {
		e.Seq, e.At, e.Zxid = event.Seq(len(log)+1), at, int64(len(log)+1)
		log = append(log, e)
		return e
	}
	cause := func(most int) event.Seq {
		if len(log) == 0 || r.IntN(6) == 0 {
			return 0
		}
		return event.Seq(max(len(log)-r.IntN(most), 1))
	}
	phases := []program.Phase{program.Holding, program.Leading, program.Released, program.Waiting,
		program.Consumed, program.GaveUp, program.Saw}
	ops := []event.Op{event.NoOp, event.Connect, event.Ping, event.CloseSession, event.SetWatches, event.Get, event.Create}
	why := []event.Reason{event.ByOp, event.BySessionClosed}
	for len(log) < n {
		a := event.Actor(r.IntN(3) + 1)
		path := fmt.Sprintf("/r/n-%d", r.IntN(3))
		switch k := r.IntN(60); {
		case k < 9:
			e := event.Event{Kind: event.ZnodeDeleted, Peer: event.Actor(r.IntN(4)), Path: path, Reason: why[r.IntN(2)],
				Cause: event.Seq(r.IntN(2))}
			for range r.IntN(2) + 1 {
				add(e)
			}
		case k < 14:
			add(event.Event{Kind: event.ZnodeCreated, Peer: event.Actor(r.IntN(4)), Path: path})
		case k < 28:
			e := event.Event{Kind: event.WatchFired, Path: path, Type: uint8(r.IntN(4) + 1), Cause: cause(back)}
			for range r.IntN(3) + 1 { // for each watcher
				e.Peer = a
				fired[a] = append(fired[a], add(e))
				a = a%3 + 1
			}
		case k < 42:
			e := event.Event{Kind: event.WatchDelivered, Actor: a, Path: path, Type: uint8(r.IntN(4) + 1)}
			if len(fired[a]) > 0 && r.IntN(8) > 0 { // nearly in order
				i := min(r.IntN(3), len(fired[a])-1)
				e.Cause, e.Path, e.Type = fired[a][i].Seq, fired[a][i].Path, fired[a][i].Type
				fired[a] = slices.Delete(fired[a], i, i+1)
				if r.IntN(3) == 0 {
					e.Cause = 0
				}
			}
			add(e)
		case k < 46:
			add(event.Event{Kind: event.OpSent, Actor: event.Actor(r.IntN(4)), Op: ops[r.IntN(len(ops))]})
		case k < 50:
			add(event.Event{Kind: event.ClientBlocked, Actor: a})
		case k < 56:
			add(event.Event{Kind: event.RecipePhase, Actor: a, Text: string(phases[r.IntN(len(phases))]), Path: path})
		case k < 57:
			add(event.Event{Kind: event.WatchSet, Peer: a, Path: path})
		case k < 58 && r.IntN(n) < 50:
			add(event.Event{Kind: event.ClientExited + event.Kind(r.IntN(2)), Actor: a})
		case k < 59 && r.IntN(n) < 20:
			add(event.Event{Kind: event.RunEnded, Reason: event.EndAllDone})
		default:
			at++
		}
	}
	return log
}

// remembered is how many releases and creates can explain why a watch fired.
const remembered = 1 << 11

// figures counts a log slowly.
func figures(log []event.Event) (f check.Figures) {
	f.Events = len(log)
	for _, e := range log {
		switch e.Kind {
		case event.OpSent:
			if e.Actor != event.ZooKeeper && (e.Op == event.Get || e.Op == event.Create) {
				f.Requests++
			}
		case event.WatchSet:
			f.WatchesSet++
		case event.WatchFired:
			f.WatchesFired++
		}
	}
	releases := releasesOf(log)
	creates := make([]int, len(log)) // how many by then
	made := 0
	for i, e := range log {
		if e.Kind == event.ZnodeCreated {
			made++
		}
		creates[i] = made
		f.Releases = max(f.Releases, releases[i])
	}
	woken := map[int]int{}
	for a := event.Actor(1); a <= 3; a++ {
		f.Acquisitions += acquisitions(log, a)
		wakes := wakeups(log, a, releases, creates)
		for _, d := range slices.Sorted(maps.Keys(wakes)) {
			by := wakes[d]
			outcome := outcomeOf(log, d, a, wakes)
			if by.why == "arrival" && outcome != "unheard" {
				f.ByArrival++
			}
			if by.why == "release" {
				f.ByRelease++
			}
			if outcome == "wasted" {
				f.Wasted++
			}
			if by.release > 0 {
				woken[by.release]++
				f.MaxPerRelease = max(f.MaxPerRelease, woken[by.release])
			}
		}
	}
	if f.Releases > 0 {
		f.MeanPerRelease = float64(f.ByRelease) / float64(f.Releases)
	}
	return f
}

// releasesOf returns, for each event, the number of the latest release by then. Deletions with the same cause by
// the same client for the same reason at the same time are one, if no other comes between them.
func releasesOf(log []event.Event) []int {
	numbers := make([]int, len(log))
	var last *event.Event
	n := 0
	for i, e := range log {
		if e.Kind == event.ZnodeDeleted && (e.Peer != event.ZooKeeper || e.Reason != event.ByOp) {
			if last == nil || e.Cause == 0 || last.Cause != e.Cause || last.Peer != e.Peer || last.Reason != e.Reason ||
				last.At != e.At {
				n++
			}
			last = &log[i]
		}
		numbers[i] = n
	}
	return numbers
}

// reason is why a watch fired: "release", "arrival", "self" or empty if unknown.
type reason struct {
	why     string
	release int
}

// wakeups returns the watch events that wake the client, by their places in the log.
func wakeups(log []event.Event, a event.Actor, releases, creates []int) map[int]reason {
	woken := map[int]reason{}
	var pending []int
	inside, gone := false, false
	for i, e := range log {
		switch {
		case e.Kind == event.WatchFired && e.Peer == a && !gone:
			pending = append(pending, i)
		case e.Actor != a:
		case e.Kind == event.RecipePhase:
			inside = program.Phase(e.Text).Inside()
		case e.Kind == event.ClientExited, e.Kind == event.ClientCrashed:
			inside, gone, pending = false, true, nil
		case e.Kind == event.WatchDelivered:
			by := reason{}
			at := slices.IndexFunc(pending, func(p int) bool {
				return log[p].Seq == e.Cause || e.Cause == 0 && log[p].Path == e.Path && log[p].Type == e.Type
			})
			if at >= 0 {
				by = reasonOf(log, pending[at], i, releases, creates)
				pending = pending[at+1:] // those before it were lost
			}
			if !inside && by.why != "self" {
				woken[i] = by
			}
		}
	}
	return woken
}

// reasonOf returns why the watch event at fired happened, if it is delivered at delivered.
func reasonOf(log []event.Event, fired, delivered int, releases, creates []int) reason {
	e := log[fired]
	if e.Cause > 0 {
		i := int(e.Cause) - 1
		n := partOfRelease(log, i, fired, releases)
		switch c := log[i]; {
		case n > 0 && releases[fired]-n < remembered:
			by := releaser(log, n, releases)
			if by == e.Peer {
				return reason{why: "self"}
			}
			if releases[delivered]-n >= remembered {
				n = 0
			}
			return reason{"release", n}
		case c.Kind == event.ZnodeCreated && creates[fired]-creates[i] < remembered:
			switch c.Peer {
			case e.Peer:
				return reason{why: "self"}
			case event.ZooKeeper:
				return reason{}
			}
			return reason{why: "arrival"}
		}
	}
	switch zoo.EventType(e.Type) {
	case zoo.NodeDeleted:
		return reason{why: "release"}
	case zoo.NodeCreated:
		return reason{why: "arrival"}
	}
	return reason{}
}

// isRelease reports whether the event deletes a znode as part of a release, and not as the host's cleanup.
func isRelease(e event.Event) bool {
	return e.Kind == event.ZnodeDeleted && (e.Peer != event.ZooKeeper || e.Reason != event.ByOp)
}

// partOfRelease returns the number of the release that an event is part of, 0 for none: whatever stands between the
// deletions of one is part of it.
func partOfRelease(log []event.Event, i, now int, releases []int) int {
	if isRelease(log[i]) {
		return releases[i]
	}
	for j := i + 1; j < now && releases[j] == releases[i]; j++ {
		if isRelease(log[j]) {
			return releases[i]
		}
	}
	return 0
}

func releaser(log []event.Event, n int, releases []int) event.Actor {
	i, _ := slices.BinarySearch(releases, n)
	return log[i].Peer
}

// outcomeOf returns the outcome of the wakeup at that place: "in", "wasted", "unheard", or nothing yet.
func outcomeOf(log []event.Event, woken int, a event.Actor, wakes map[int]reason) string {
	asked := false
	for i := woken - 1; i >= 0 && !asked; i-- { // it was blocked when woken
		if _, wakeup := wakes[i]; wakeup || log[i].Actor == a && log[i].Kind == event.OpSent {
			break
		}
		asked = log[i].Actor == a && log[i].Kind == event.ClientBlocked
	}
	if ended := slices.ContainsFunc(log[:woken], func(e event.Event) bool { return e.Kind == event.RunEnded }); ended {
		return "wasted"
	}
	for i, e := range log[woken+1:] {
		if _, again := wakes[woken+1+i]; again || e.Kind == event.RunEnded {
			return "wasted"
		}
		if e.Actor != a {
			continue
		}
		switch e.Kind {
		case event.OpSent:
			asked = true
		case event.ClientBlocked, event.ClientExited, event.ClientCrashed:
			return "wasted"
		case event.RecipePhase:
			if program.Phase(e.Text).Inside() && !asked && wakes[woken].why == "arrival" {
				return "unheard"
			}
			if program.Phase(e.Text).Gets() {
				return "in"
			}
		}
	}
	return ""
}

// acquisitions counts the client's reports that it got what it came for, without repeats.
func acquisitions(log []event.Event, a event.Actor) (n int) {
	var last event.Event // its last report of being inside
	for _, e := range log {
		switch {
		case e.Actor != a:
		case e.Kind == event.ClientExited, e.Kind == event.ClientCrashed:
			last = event.Event{}
		case e.Kind == event.RecipePhase:
			if program.Phase(e.Text).Gets() && (e.Text != last.Text || e.Path != last.Path) {
				n++
			}
			if last = e; !program.Phase(e.Text).Inside() {
				last = event.Event{}
			}
		}
	}
	return n
}

// TestNoticesAreBounded: only the first so many watch events on their way to a client are remembered.
func TestNoticesAreBounded(t *testing.T) {
	const most = 1 << 12
	var l log
	for range most + 1 {
		l.add(event.Event{Kind: event.WatchFired, Peer: 1, Path: "/a", Type: uint8(zoo.NodeDeleted)})
	}
	for _, seq := range []event.Seq{most - 1, most, most + 1} {
		l.add(event.Event{Kind: event.WatchDelivered, Actor: 1, Path: "/a", Type: uint8(zoo.NodeDeleted), Cause: seq})
	}
	if n := judge(event.Header{}, l.events).Figures.ByRelease; n != 2 {
		t.Errorf("%d of the last three watch events are known, want 2", n)
	}
}

// TestRememberedCauses: only so many of the latest releases and creates are remembered.
func TestRememberedCauses(t *testing.T) {
	for _, c := range []struct {
		before, after    int // others, before the watch fires and before its event is delivered
		release, arrival int // wakeups,
		ofThisOne        int // and those counted with the release
	}{
		{0, 0, 1, 1, 1},
		{remembered - 1, 0, 1, 1, 1},
		{remembered, 0, 0, 0, 0},
		{0, remembered - 1, 1, 1, 1},
		{0, remembered, 1, 1, 0},
		{remembered - 1, remembered, 1, 1, 0},
	} {
		for _, kind := range []event.Kind{event.ZnodeDeleted, event.ZnodeCreated} {
			var l log
			others := func(n int) {
				for range n {
					l.at++
					l.add(event.Event{Kind: kind, Peer: 9, Path: "/x", Reason: event.ByOp})
				}
			}
			cause := l.add(event.Event{Kind: kind, Peer: 9, Path: "/a", Reason: event.ByOp})
			others(c.before)
			fired := l.add(event.Event{Kind: event.WatchFired, Peer: 1, Path: "/a",
				Type: uint8(zoo.NodeDataChanged), Cause: cause})
			others(c.after)
			l.add(event.Event{Kind: event.WatchDelivered, Actor: 1, Path: "/a", Type: uint8(zoo.NodeDataChanged),
				Cause: fired})
			f := judge(event.Header{}, l.events).Figures
			release, arrival, most := c.release, 0, c.ofThisOne
			if kind == event.ZnodeCreated {
				release, arrival, most = 0, c.arrival, 0
			}
			if f.ByRelease != release || f.ByArrival != arrival || f.MaxPerRelease != most {
				t.Errorf("%v, %d before and %d after: %+v", kind, c.before, c.after, f)
			}
		}
	}
}
