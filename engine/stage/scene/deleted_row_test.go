package scene_test

import (
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
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
