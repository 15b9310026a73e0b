package scene_test

import (
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
)

// TestDeletedRow checks that a row deleted by a transaction stays visible while the transaction is open, since it may
// come back, and no longer.
func TestDeletedRow(t *testing.T) {
	const row = "jobs/1"
	node := event.Node(1)
	f := farRun(2, onePostgre).named("").
		put(event.Event{Kind: event.EntrySet, Actor: node, Peer: 2, Path: row, Text: "made by client-2"}).
		at(2*time.Second).begins(1, 5, row).
		put(event.Event{Kind: event.EntryGone, Actor: node, Peer: 1, Path: row, Reason: event.ByOp, Session: 5})
	if said := drawn(f.end()); !slices.Contains(said, row) || !slices.Contains(said, "not committed") {
		t.Errorf("while the transaction is open, it says %q", said)
	}
	f.put(event.Event{Kind: event.TxEnded, Actor: node, Peer: 1, Session: 5, Reason: event.ByCommit}).
		put(event.Event{Kind: event.LockFreed, Actor: node, Peer: 1, Path: row, Session: 5, Reason: event.ByCommit})
	if said := drawn(f.end()); slices.Contains(said, row) {
		t.Errorf("when it is committed, it says %q", said)
	}
}

// TestLockedRowShowsItsHolder checks that a row has the letter of the client that has it locked, and afterwards that of
// the last to write it again.
func TestLockedRowShowsItsHolder(t *testing.T) {
	const row = "zkviz_rows/1"
	f := farRun(2, onePostgre).named("").at(time.Second).
		put(event.Event{Kind: event.EntrySet, Actor: event.Node(1), Peer: 1, Path: row, Text: "7", Zxid: 3})
	var layout scene.Layout
	owners := func() (letters string) {
		f.s.At = f.now
		for _, m := range layout.Plan(f.s, f.now, scene.Options{Words: english, Width: 1024, Height: 576}).Marks() {
			if m.Kind == mark.Owner {
				letters += m.Value
			}
		}
		return letters
	}
	var got []string
	got = append(got, owners())
	f.at(2*time.Second).begins(2, 5, row)
	got = append(got, owners())
	f.at(3 * time.Second).put(event.Event{Kind: event.LockFreed, Actor: event.Node(1), Peer: 2, Path: row, Session: 5})
	got = append(got, owners())
	if !slices.Equal(got, []string{"A", "B", "A"}) {
		t.Errorf("the row has the letters %q", got)
	}
}
