package broken_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/broken"
	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/explore"
	"github.com/zkviz/zkviz/engine/run/link"
	"github.com/zkviz/zkviz/recipes"
)

func table(t *testing.T) []broken.Row {
	t.Helper()
	rows, err := broken.Table()
	if err != nil {
		t.Fatalf("%v: make faults computes it again", err)
	}
	return rows
}

// TestTableIsOfAllLocks fails if a new lock, fault or promise is missing in the table, which must then be recomputed.
func TestTableIsOfAllLocks(t *testing.T) {
	rows := table(t)
	var got, want []string
	for _, r := range rows {
		got = append(got, r.Recipe)
	}
	for _, r := range recipes.Rivals() {
		want = append(want, r.Name)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("the table is of\n%q, and there are\n%q: make faults computes it again", got, want)
	}
	for i, r := range recipes.Rivals() {
		row := rows[i]
		if row.Kind != r.Kind || !slices.Equal(row.Rules, slices.Concat([]string{}, explore.Promised(r))) {
			t.Errorf("%s: %s that is held to %q: make faults computes it again", r.Name, row.Kind, row.Rules)
		}
		if len(row.Cells) != len(explore.Columns()) {
			t.Fatalf("%s: %d cells for %d faults: make faults computes it again", r.Name, len(row.Cells),
				len(explore.Columns()))
		}
		for j, col := range explore.Columns() {
			if row.Cells[j].Fault != col.Word {
				t.Errorf("%s: a cell of %q where %q is: make faults computes it again", r.Name, row.Cells[j].Fault, col.Word)
			}
		}
	}
}

// TestCellsShowWhatTheySay checks that each run of the table breaks its promise at the event that its link shows, and
// that it has no faults but the cell's.
func TestCellsShowWhatTheySay(t *testing.T) {
	for _, row := range table(t) {
		for _, c := range row.Cells {
			if len(c.Broken) > 0 && !c.Possible {
				t.Errorf("%s, %q cannot happen, and breaks something", row.Recipe, c.Fault)
			}
			for _, p := range c.Broken {
				at := row.Recipe + ", " + c.Fault + ", " + p.Rule
				s := p.Reproduction.Scenario
				if s.Recipe != row.Recipe || !slices.Contains(row.Rules, p.Rule) {
					t.Errorf("%s is a run of %s", at, s.Recipe)
				}
				var words []string
				for _, f := range s.Faults {
					words = append(words, f.Kind.String())
				}
				if !fits(words, c.Fault) {
					t.Errorf("%s: the faults are %q", at, words)
				}
				seq, sum := breaks(t, s, p.Rule)
				path, query, _ := strings.Cut(p.Reproduction.Link, "?")
				q, err := url.ParseQuery(query)
				if err != nil {
					t.Fatal(err)
				}
				m, err := link.Take(q)
				if err != nil || path != "/lab" || m.Seq != seq || m.Sum != sum {
					t.Errorf("%s: the promise breaks at event %d of %s, and the link is %s: make faults computes it again", at, seq,
						sum, p.Reproduction.Link)
				}
				linked, err := run.ParseQuery(q.Encode())
				if err != nil || linked.Query() != s.Query() {
					t.Errorf("%s: the link shows another run, %v", at, err)
				}
			}
		}
	}
}

// fits reports whether all these faults belong to a column. Replicas may lag before a failover.
func fits(words []string, column string) bool {
	words = slices.DeleteFunc(words, func(w string) bool { return w == column || column == "failover" && w == "lag" })
	return len(words) == 0
}

// breaks returns the event at which a run breaks a promise, with the hash of a link to it, or 0 if it keeps it.
func breaks(t *testing.T, s run.Scenario, rule string) (event.Seq, string) {
	t.Helper()
	c := check.New([]string{rule}, s.Header(event.Simulated))
	var log event.Log
	if err := run.Sim(t.Context(), s, event.Tee{c, &log}); err != nil {
		t.Fatal(err)
	}
	v := c.Report().Violations
	if len(v) == 0 {
		return 0, ""
	}
	sum := link.Hash{UpTo: v[0].Seq}
	for _, e := range log.Events {
		sum.Append(e)
	}
	return v[0].Seq, sum.Sum()
}

// TestLetters covers a stopped row, rows of different lengths, and two promises in one cell.
func TestLetters(t *testing.T) {
	both := broken.Cell{Fault: "pause", Possible: true,
		Broken: []broken.Promise{{Rule: promise.Fenced}, {Rule: promise.BeliefExclusion}}}
	rows := []broken.Row{
		{Recipe: "a", Cells: []broken.Cell{{Possible: true}, {Fault: "crash"}, both}},
		{Recipe: "b", Cells: []broken.Cell{{Possible: true}}},
	}
	rules := broken.Rules(rows)
	if want := []string{promise.BeliefExclusion, promise.Fenced}; !slices.Equal(rules, want) {
		t.Errorf("the letters are of %q, want %q", rules, want)
	}
	if got, want := broken.Columns(rows), []int{0, 2}; !slices.Equal(got, want) {
		t.Errorf("the columns are %d, want %d", got, want)
	}
	for i, want := range []string{broken.Kept, broken.Impossible, "BA"} {
		if got := rows[0].Cells[i].Mark(rules); got != want {
			t.Errorf("cell %d is %q, want %q", i, got, want)
		}
	}
	if got := broken.Letter(2); got != "C" {
		t.Errorf("the third letter is %s", got)
	}
}

// TestHarmsAreTold checks that a recipe whose limits survive a pause names every other fault that breaks them.
func TestHarmsAreTold(t *testing.T) {
	checked := 0
	for i, r := range recipes.Rivals() {
		breaksLimit := func(c broken.Cell) bool {
			return slices.ContainsFunc(c.Broken, func(p broken.Promise) bool { return slices.Contains(r.Limits, p.Rule) })
		}
		cells := table(t)[i].Cells
		if slices.ContainsFunc(cells, func(c broken.Cell) bool { return c.Fault == "pause" && breaksLimit(c) }) {
			continue
		}
		for _, c := range cells {
			if !breaksLimit(c) {
				continue
			}
			checked++
			if !slices.Contains(r.Harms, c.Fault) {
				t.Errorf("%s breaks what %s keeps within limits, and is not among its harms, %q", c.Fault, r.Name, r.Harms)
			}
		}
	}
	if checked == 0 {
		t.Error("no lock in the table has such limits")
	}
}
