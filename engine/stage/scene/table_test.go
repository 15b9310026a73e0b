package scene_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
)

// TestTableIsAligned checks, in every ensemble's run and at every size, that a transaction stands in the same column of
// every row that has it, that a row shows exactly those of its server's log that aren't folded, and that the disk's
// edge lies between those on disk and those only in memory.
func TestTableIsAligned(t *testing.T) {
	runs, err := ensembles()
	if err != nil {
		t.Fatal(err)
	}
	cells := 0
	for _, p := range runs {
		s := view.NewFor(p.log.Header)
		for _, e := range p.log.Events {
			s.Apply(e)
			if e.Kind != event.TxnLogged && e.Kind != event.LogSynced && e.Kind != event.LogTruncated {
				continue
			}
			for _, size := range sizes {
				cells += aligned(t, fmt.Sprintf("%s, event %d, %.0f×%.0f", p.condition, e.Seq, size[0], size[1]), s, size)
			}
		}
	}
	if cells < 1000 {
		t.Errorf("only %d cells were seen", cells)
	}
}

func aligned(t *testing.T, at string, s *view.State, size [2]float64) (cells int) {
	var layout scene.Layout
	marks := layout.Plan(s, s.At, scene.Options{Words: english, Width: size[0], Height: size[1],
		Theme: display.Light()}).Marks()
	column, stacks := map[int64]float64{}, map[float64]bool{}
	for _, m := range marks {
		if m.Kind == mark.Server {
			stacks[m.X] = true
		}
	}
	if len(stacks) > 1 { // each has columns of its own
		return 0
	}
	for i := range s.Ensemble.Servers {
		n, id := &s.Ensemble.Servers[i], fmt.Sprintf("server-%d", i+1)
		var row []mark.Mark
		edge := -1.0
		for _, m := range marks {
			switch {
			case m.Subject != id:
			case m.Kind == mark.Cell:
				row = append(row, m)
			case m.Kind == mark.Disk:
				edge = m.X + m.W/2
			}
		}
		if n.Tail.Base > 0 {
			continue
		}
		memory := 0
		for k := range n.Tail.Len() {
			if n.Tail.At(k) > n.Synced {
				memory++
			}
		}
		if len(row) > n.Tail.Len() {
			t.Fatalf("%s: %s shows %d of %d transactions", at, id, len(row), n.Tail.Len())
		}
		for k, m := range row {
			cells++
			z := n.Tail.At(n.Tail.Len() - len(row) + k)
			if x, there := column[z]; there && x != m.X {
				t.Errorf("%s: %#x, %q, stands at %.1f and at %.1f", at, z, m.Value, x, m.X)
			}
			column[z] = m.X
			if on := k < len(row)-memory; on != (m.X < edge) {
				t.Errorf("%s: %s: the disk's edge is at %.1f, and %q, on disk %v, at %.1f", at, id, edge, m.Value, on, m.X)
			}
		}
	}
	return cells
}

// TestFoldedIsTrue checks, in every ensemble's run, that a row says how many transactions its server's log has before
// those that are shown, in all epochs.
func TestFoldedIsTrue(t *testing.T) {
	runs, err := ensembles()
	if err != nil {
		t.Fatal(err)
	}
	later := 0
	for _, p := range runs {
		s, logs := view.NewFor(p.log.Header), logs{}
		for _, e := range p.log.Events {
			s.Apply(e)
			if !logs.follow(e) {
				continue
			}
			for _, size := range [][2]float64{{1400, 700}, {390, 620}} {
				later += folded(t, fmt.Sprintf("%s, event %d, %.0f×%.0f", p.condition, e.Seq, size[0], size[1]), s, &logs, size)
			}
		}
	}
	if later < 50 {
		t.Errorf("only %d rows had folded an epoch before that of their first column", later)
	}
}

// logs holds the whole log of each server, and what is committed.
type logs struct {
	of        [10][]int64
	synced    [10]int64
	committed []int64
}

// follow reports whether an event changed a log.
func (l *logs) follow(e event.Event) bool {
	if e.Kind == event.TxnCommitted {
		l.committed = append(l.committed, e.Zxid)
	}
	if e.Actor.Kind() != event.AServer {
		return false
	}
	n := e.Actor.Number()
	upTo := func(list []int64, z int64) []int64 {
		return slices.DeleteFunc(slices.Clone(list), func(x int64) bool { return x > z })
	}
	switch {
	case e.Kind == event.TxnLogged:
		l.of[n] = append(l.of[n], e.Zxid)
	case e.Kind == event.LogSynced, e.Kind == event.SnapshotSaved:
		l.synced[n] = e.Zxid
	case e.Kind == event.LogTruncated:
		l.of[n] = upTo(l.of[n], e.Zxid)
	case e.Kind == event.ServerStopped && e.Reason == event.ServerPowerLost:
		l.of[n] = upTo(l.of[n], l.synced[n])
	case e.Kind == event.SnapshotLoaded:
		l.of[n] = upTo(l.committed, e.Zxid)
	default:
		return false
	}
	return true
}

// folded compares the numbers in the rows' first cells with the logs, and returns how many count more than one epoch.
func folded(t *testing.T, at string, s *view.State, l *logs, size [2]float64) (epochs int) {
	var layout scene.Layout
	marks := layout.Plan(s, s.At, scene.Options{Words: english, Width: size[0], Height: size[1],
		Theme: display.Light()}).Marks()
	for i := range s.Ensemble.Servers {
		id := fmt.Sprintf("server-%d", i+1)
		cells, got := 0, ""
		for _, m := range marks {
			switch {
			case m.Subject != id:
			case m.Kind == mark.Folded:
				got = m.Value
			case m.Kind == mark.Cell:
				cells++
			}
		}
		if cells == 0 || s.Ensemble.Servers[i].Tail.Base > 0 || s.Ensemble.Servers[i].Gone.Len() > 0 {
			continue
		}
		want, have := "", len(l.of[i+1])-cells
		if have > 0 {
			want = fmt.Sprintf("+%d", have)
		}
		if got != want {
			t.Errorf("%s: %s says %q before %d of %d transactions", at, id, got, cells, len(l.of[i+1]))
		}
		if have > 0 && l.of[i+1][0]>>32 < l.of[i+1][have]>>32 {
			epochs++
		}
	}
	return epochs
}

// TestCopyStandsForAll checks that the cell for a copy begins where other rows count what they have before their first
// cell, and that its own row counts nothing there.
func TestCopyStandsForAll(t *testing.T) {
	s := asOf("copy", 1, func(e event.Event) bool { return e.Kind == event.SnapshotLoaded })
	i := slices.IndexFunc(s.Ensemble.Servers, func(n view.Server) bool { return n.Tail.Base > 0 })
	id, seen := fmt.Sprintf("server-%d", i+1), 0
	for _, size := range sizes {
		var cell, counted, others []mark.Mark
		for _, m := range marksOf(s, size) {
			switch {
			case m.Kind == mark.Cell && m.Subject == id:
				cell = append(cell, m)
			case m.Kind == mark.Folded && m.Subject == id:
				counted = append(counted, m)
			case m.Kind == mark.Folded:
				others = append(others, m)
			}
		}
		if len(counted) > 0 {
			t.Errorf("%.0f×%.0f: beside a copy of all before stands %v", size[0], size[1], counted)
		}
		if len(cell) > 0 && len(others) > 0 {
			if seen++; cell[0].X != others[0].X {
				t.Errorf("%.0f×%.0f: the copy begins at %.1f, what others count at %.1f", size[0], size[1], cell[0].X, others[0].X)
			}
		}
	}
	if seen == 0 {
		t.Error("no picture counts what came before")
	}
}
