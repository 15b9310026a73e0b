package lessons_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/challenge"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
)

// TestConsequences: a win is shown at the damage, not at what made it possible, and never before the reader's fault.
func TestConsequences(t *testing.T) {
	crash := fault.Fault{Kind: fault.Crash, Client: 2, At: 2e9}
	const struck = "2s zk fault.injected crash client-2 at 2s by=B\nB client.crashed cause="
	for _, c := range []struct {
		log  string
		at   event.Seq
		last fault.Fault
		want event.Seq // 0 if it's yet to come
	}{
		{log: "B recipe.phase /r/b holding\nA store.written p a\nB store.written p b", at: 1, want: 3},
		{log: "B recipe.phase /r/b holding\nB store.refused p b", at: 1, want: 2},
		{log: "B recipe.phase /r/b holding\nA store.written p a", at: 1},
		{log: "B recipe.phase /r/b holding\nB recipe.phase released\nB store.written p b", at: 1, want: 1},
		{log: "B recipe.phase /r/b holding\nB client.crashed", at: 1, want: 1},
		{log: "B recipe.phase /r/b holding\nB client.exited", at: 1, want: 1},
		{log: "B recipe.phase /r/b holding\nzk run.ended done", at: 1, want: 1},
		{log: "B recipe.phase /r/b waiting\nB store.written p b", at: 1, want: 1},
		{log: "zk znode.deleted by=A /r/a session expired\nA store.written p a", at: 1, want: 1},
		{log: "zk run.ended stuck", at: 1, want: 1},
		{log: "zk znode.deleted by=B /r/a op\n" + struck + "2\nA op.sent op=children", at: 1, last: crash, want: 3},
		{log: "zk znode.deleted by=B /r/a op", at: 1, last: crash, want: 1}, // another run's fault
		{log: "zk run.ended stuck", at: 2},
		{log: "", at: 0},
	} {
		got, ok := challenge.Consequence(logged{logOf(t, c.log)}, c.at, c.last)
		if ok && got != c.want || ok != (c.want > 0) {
			t.Errorf("%q, from event %d: it shows at %d, %v, not at %d", c.log, c.at, got, ok, c.want)
		}
	}
}

// TestRelief: where a promise was kept, the picture stands where somebody gets in after the reader's fault.
func TestRelief(t *testing.T) {
	crash := fault.Fault{Kind: fault.Crash, Client: 2, At: 2e9}
	const struck = "A recipe.phase /r/a holding\n" +
		"2s zk fault.injected crash client-2 at 2s by=B\nB client.crashed cause=2\n"
	for log, want := range map[string]event.Seq{
		struck + "C recipe.phase waiting\nC recipe.phase /r/c holding\nC store.written p c": 6,
		struck + "C recipe.phase /r/c holding\nC client.exited":                             4,
		struck + "C recipe.phase waiting":                                                   0,
		"A recipe.phase /r/a holding\nA store.written p a\nC recipe.phase /r/c holding":     0,
	} {
		if got, ok := challenge.Relief(logged{logOf(t, log)}, crash); got != want || ok != (want > 0) {
			t.Errorf("%q: it shows at %d, %v, not at %d", log, got, ok, want)
		}
	}
}
