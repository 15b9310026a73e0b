package main

import (
	"context"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/broken"
	"github.com/zkviz/zkviz/engine/run/explore"
)

// TestBrokenInPart checks that an interrupted table shows its rows so far.
func TestBrokenInPart(t *testing.T) {
	cells := []broken.Cell{{Possible: true, Seeds: 5}, {Fault: explore.Columns()[1].Word, Possible: true, Seeds: 5}}
	full := broken.Row{Recipe: "unique-lock"}
	for _, c := range explore.Columns() {
		full.Cells = append(full.Cells, broken.Cell{Fault: c.Word, Possible: c.Word != "lag"})
	}
	var out strings.Builder
	if err := printBroken(&out, []broken.Row{full, {Recipe: "redlock", Cells: cells}}, 5); err != nil {
		t.Fatal(err)
	}
	var row string
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "redlock") {
			row = strings.Join(strings.Fields(line), " ")
		}
	}
	if want := "redlock · ·" + strings.Repeat(" ?", len(explore.Columns())-3); row != want {
		t.Errorf("got %q, want %q", row, want)
	}
	if !strings.Contains(out.String(), "?  not explored") {
		t.Errorf("nothing says what is missing:\n%s", out.String())
	}
}

// TestBrokenInterrupted checks the message of a command that is interrupted before it has rows.
func TestBrokenInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	var out, errs strings.Builder
	code := execute([]string{"compare", "--faults", "unique-lock"}, &terminal{ctx: ctx, out: &out, err: &errs})
	if code != 130 || out.Len() > 0 || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out.String(), errs.String())
	}
}
