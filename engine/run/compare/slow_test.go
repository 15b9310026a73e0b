package compare_test

import (
	"math"
	"path"
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/compare"
	"github.com/zkviz/zkviz/recipes"
)

// Parts of ZooKeeper's frames, in bytes: what precedes each request, each answer and each part of a multi, and what
// always has the same length.
const (
	askHead, answerHead, partHead = 4 + 4 + 4, 4 + 4 + 8 + 4, 4 + 1 + 4
	openACL                       = 4 + 4 + (4 + len("world")) + (4 + len("anyone"))
	statSize, notification        = 68, answerHead + 4 + 4
)

// slowBytes computes traffic's sum from the whole log and by hand: for each request, it goes through all events for
// its effects, and for each answer, for what there was to read.
func slowBytes(log []event.Event) (sum int) {
	for i, e := range log {
		switch {
		case e.Kind == event.WatchFired:
			sum += notification + 4 + len(e.Path)
		case e.Kind == event.OpSent:
			sum += asked(log[i:], e)
		case e.Kind == event.MsgSent && e.Actor == event.ZooKeeper:
			sum += answered(log[:i], e)
		}
	}
	return sum
}

// asked returns the size of a request, with the data that its effects show.
func asked(rest []event.Event, e event.Event) int {
	size := askHead + 4 + len(e.Path)
	switch e.Op {
	case event.Create:
		return size + 4 + dataOf(rest, e) + openACL + 4
	case event.Set:
		return size + 4 + dataOf(rest, e) + 4
	case event.Delete:
		return size + 4
	case event.Sync:
		return size
	case event.Exists, event.Get, event.Children:
		return size + 1
	case event.Multi:
		size = askHead + partHead
		for _, w := range effects(rest, e) {
			size += partHead + 4 + len(w.Path) + 4
			if w.Kind != event.ZnodeDeleted {
				size += 4 + int(w.N)
			}
			if w.Kind == event.ZnodeCreated {
				size += openACL
			}
		}
		return size
	}
	return 0 // not the recipe's
}

// effects returns the changes that follow from a request, before the client asks for anything else.
func effects(rest []event.Event, e event.Event) (list []event.Event) {
	for _, w := range rest[1:] {
		if w.Kind == event.OpSent && w.Actor == e.Actor {
			break
		}
		byOp := w.Kind == event.ZnodeCreated || w.Kind == event.ZnodeChanged || w.Kind == event.ZnodeDeleted &&
			w.Reason == event.ByOp
		if byOp && w.Peer == e.Actor {
			list = append(list, w)
		}
	}
	return list
}

func dataOf(rest []event.Event, e event.Event) (n int) {
	for _, w := range effects(rest, e) {
		n += int(w.N)
	}
	return n
}

// answered returns the size of an answer to the client's last request.
func answered(before []event.Event, e event.Event) int {
	i := len(before) - 1
	for i >= 0 && !(before[i].Kind == event.OpSent && before[i].Actor == e.Peer) {
		i--
	}
	if i < 0 || before[i].Op != e.Op || slices.Contains([]event.Op{event.CloseSession, event.Ping, event.Connect,
		event.SetWatches}, e.Op) {
		return 0
	}
	ask := before[i]
	if e.Code != 0 {
		return answerHead
	}
	switch e.Op {
	case event.Create:
		return answerHead + 4 + len(effects(before[i:], ask)[0].Path)
	case event.Sync:
		return answerHead + 4 + len(ask.Path)
	case event.Set, event.Exists:
		return answerHead + statSize
	case event.Get:
		return answerHead + 4 + dataAt(before, ask.Path) + statSize
	case event.Children:
		return answerHead + 4 + namesAt(before, ask.Path) + statSize
	case event.Multi:
		size := answerHead + partHead
		for _, w := range effects(before[i:], ask) {
			size += partHead
			switch w.Kind {
			case event.ZnodeCreated:
				size += 4 + len(w.Path)
			case event.ZnodeChanged:
				size += statSize
			}
		}
		return size
	}
	return answerHead
}

// dataAt returns how many bytes of data a znode has after these events.
func dataAt(log []event.Event, path string) (n int) {
	for _, e := range log {
		if e.Path == path && (e.Kind == event.ZnodeCreated || e.Kind == event.ZnodeChanged) {
			n = int(e.N)
		}
	}
	return n
}

// namesAt returns how many bytes a list of its children takes.
func namesAt(log []event.Event, parent string) (n int) {
	for _, e := range log {
		if path.Dir(e.Path) != parent {
			continue
		}
		switch e.Kind {
		case event.ZnodeCreated:
			n += 4 + len(path.Base(e.Path))
		case event.ZnodeDeleted:
			n -= 4 + len(path.Base(e.Path))
		}
	}
	return n
}

// slowHandover returns the mean time in ms from a leaving for which somebody waited to the next entry.
func slowHandover(log []event.Event) float64 {
	var phases []event.Event
	for _, e := range log {
		if e.Kind == event.RecipePhase {
			phases = append(phases, e)
		}
	}
	var total time.Duration
	n := 0
	for i := range phases {
		for j := i + 1; leaves(phases, i) && waiters(phases[:i+1]) > 0 && j < len(phases); j++ {
			if leaves(phases, j) {
				break // the later one counts
			}
			if program.Phase(phases[j].Text).Inside() && !phaseOf(phases[:j], phases[j].Actor).Inside() {
				total += phases[j].At - phases[i].At
				n++
				break
			}
		}
	}
	return float64(total) / float64(max(n, 1)) / 1e6
}

// phaseOf returns the last phase that a client reported.
func phaseOf(phases []event.Event, who event.Actor) program.Phase {
	for _, e := range slices.Backward(phases) {
		if e.Actor == who {
			return program.Phase(e.Text)
		}
	}
	return ""
}

// leaves reports whether a client makes way by its ith report.
func leaves(phases []event.Event, i int) bool {
	was, is := phaseOf(phases[:i], phases[i].Actor), program.Phase(phases[i].Text)
	return was.Inside() && !is.Inside() || was == program.Writing && is == program.Reading
}

// waiters returns the number of waiting clients.
func waiters(phases []event.Event) (n int) {
	for who := event.Actor(1); who <= 10; who++ {
		if phaseOf(phases, who) == program.Waiting {
			n++
		}
	}
	return n
}

// TestFiguresBySlowCount compares the figures of every recipe with a slow count over the whole log.
func TestFiguresBySlowCount(t *testing.T) {
	for _, r := range recipes.All() {
		for seed := range uint64(3) {
			s := run.Scenario{Recipe: r.Name, Clients: max(r.MinClients, 4+int(seed)), Rounds: 1 + int(seed), Seed: seed,
				Jitter: 500_000}
			if seed == 1 {
				s.Hold = 300 * time.Millisecond
			}
			if seed == 2 { // a slow client loses nothing
				s.Faults = []fault.Fault{{Kind: fault.Delay, Client: 2, For: time.Second}, {Kind: fault.Pause, Client: 1,
					At: 50 * time.Millisecond, For: time.Second}}
			}
			var log event.Log
			row, err := compare.Measure(t.Context(), "sim", run.Sim, s, &log)
			if err != nil {
				t.Fatal(err)
			}
			want := int64(slowBytes(log.Events))
			if !event.HasZooKeeper(r.Systems) {
				want = row.Bytes // see TestBytesOfCommands
			}
			if row.Bytes != want {
				t.Errorf("%s, seed %d: %d bytes, want %d", r.Name, seed, row.Bytes, want)
			}
			isShare(t, row, slowHandover(log.Events))
		}
	}
}

// isShare compares the shares of one release with the sums.
func isShare(t *testing.T, row compare.Row, handoverMS float64) {
	t.Helper()
	var want compare.Cost
	if n := float64(row.Acquisitions); n > 0 {
		want = compare.Cost{
			Wakeups: float64(row.Wakeups.ByRelease) / n, Requests: float64(row.Requests) / n, Bytes: float64(row.Bytes) / n,
			TimeMS: handoverMS,
		}
	}
	got := row.PerRelease
	for _, of := range [][2]float64{{got.Wakeups, want.Wakeups}, {got.Requests, want.Requests}, {got.Bytes, want.Bytes},
		{got.TimeMS, want.TimeMS}} {
		if math.Abs(of[0]-of[1]) > .0005001 || of[0] != math.Round(of[0]*1000)/1000 {
			t.Errorf("%s: for each release %+v, want %+v", row.Recipe, got, want)
		}
	}
	if row.Waiters != row.Clients-1 {
		t.Errorf("%s: %d of %d clients wait", row.Recipe, row.Waiters, row.Clients)
	}
}
