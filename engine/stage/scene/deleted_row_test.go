package scene_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
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

// TestLockedRowShowsItsHolder checks that a row has a badge only for the client that has it locked. Plain text names
// the client that wrote it.
func TestLockedRowShowsItsHolder(t *testing.T) {
	const row = "zkviz_rows/1"
	f := farRun(2, onePostgre).named("").at(time.Second).
		put(event.Event{Kind: event.EntrySet, Actor: event.Node(1), Peer: 1, Path: row, Text: "7", Zxid: 3})
	check := func(when, owners string) {
		t.Helper()
		if got := values(f, mark.Owner); got != owners {
			t.Errorf("%s the row has the badges %q, not %q", when, got, owners)
		}
		if said := drawn(f.end()); !slices.Contains(said, "A · v3") {
			t.Errorf("%s it doesn't say who wrote the row: %q", when, said)
		}
	}
	check("before,", "")
	f.at(2*time.Second).begins(2, 5, row)
	check("while B has it locked,", "B")
	f.at(3 * time.Second).put(event.Event{Kind: event.LockFreed, Actor: event.Node(1), Peer: 2, Path: row, Session: 5})
	check("afterwards,", "")
}

// TestLockedRowHasOneLetter checks that a locked row that has a column for its version doesn't also name the client
// that wrote it: beside the badge of the one that has it locked, that would be two owners.
func TestLockedRowHasOneLetter(t *testing.T) {
	const row = "stock/tickets"
	f := farRun(2, onePostgre).named("").at(time.Second).
		put(event.Event{Kind: event.EntrySet, Actor: event.Node(1), Peer: 1, Path: row, Text: "n=4, version 3", Zxid: 3})
	if said := drawn(f.end()); !slices.Contains(said, "A · v3") {
		t.Errorf("it doesn't say who wrote the row: %q", said)
	}
	f.at(2*time.Second).begins(2, 5, row)
	if said := drawn(f.end()); slices.Contains(said, "A · v3") {
		t.Errorf("while B has it locked, it says %q", said)
	}
}

// TestLockedPlaceShowsItsHolder checks that the badge of the client that has something locked stands where nothing is,
// too: the end of a table, or a name.
func TestLockedPlaceShowsItsHolder(t *testing.T) {
	for _, place := range []string{"jobs/the end", "advisory/17"} {
		f := farRun(2, onePostgre).named("").at(time.Second).
			put(event.Event{Kind: event.LockTaken, Actor: event.Node(1), Peer: 2, Path: place})
		if got := values(f, mark.Owner); got != "B" {
			t.Errorf("%s has the badges %q", place, got)
		}
	}
}

// TestSharedLockShowsAllHolders checks that all clients stand below the end of a table that they have locked together,
// and that a letter stands on it only for the last one.
func TestSharedLockShowsAllHolders(t *testing.T) {
	const end = "stock/the end"
	f := farRun(3, onePostgre).named("").at(time.Second)
	for i := range 3 {
		f.begins(event.Actor(i+1), int64(i+5), end)
	}
	for freed, owner := range []string{"", "", "C"} {
		if freed > 0 {
			f.put(event.Event{Kind: event.LockFreed, Actor: event.Node(1), Peer: event.Actor(freed), Path: end,
				Session: int64(freed + 4)})
		}
		heads := strings.Count(values(f, mark.Head), end)
		if got := values(f, mark.Owner); heads != 3-freed || got != owner {
			t.Errorf("without %d of 3 it has the badges %q, and %d stand below it", freed, got, heads)
		}
	}
}

// TestLockRowShowsItsOwner checks that a row that is a lock itself has the badge of the client that wrote it.
func TestLockRowShowsItsOwner(t *testing.T) {
	for _, row := range []string{"locks/lock", "leases/lock"} {
		f := farRun(2, onePostgre).named("").set(1, 2, row, "client-2", 0)
		if got := values(f, mark.Owner); got != "B" {
			t.Errorf("%s has the badges %q", row, got)
		}
	}
}

// values returns the values of the marks of a kind in a picture of the run so far.
func values(f *farLog, kind mark.Kind) (all string) {
	var layout scene.Layout
	f.s.At = f.now
	for _, m := range layout.Plan(f.s, f.now, scene.Options{Words: english, Width: 1024, Height: 576}).Marks() {
		if m.Kind == kind {
			all += m.Value
		}
	}
	return all
}

// TestNoScissorsOnAnAttempt checks that a connection that was closed is drawn as cut only until the client connects
// again.
func TestNoScissorsOnAnAttempt(t *testing.T) {
	cut := func(f *farLog) bool {
		var layout scene.Layout
		f.s.At = f.now
		return slices.ContainsFunc(layout.Plan(f.s, f.now, scene.Options{Words: english, Width: 1024, Height: 576}).Marks(),
			func(m mark.Mark) bool { return m.Kind == mark.Cut })
	}
	f := farRun(1, onePostgre).at(time.Second).
		put(event.Event{Kind: event.ConnClosed, Actor: 1, Peer: event.Node(1), Reason: event.ConnLost})
	if !cut(f) {
		t.Error("a closed connection isn't drawn as cut")
	}
	f.put(event.Event{Kind: event.MsgSent, Actor: 1, Peer: event.Node(1), Op: event.Connect, N: int64(time.Second)})
	if cut(f) {
		t.Error("the connection is drawn as cut while the client connects again")
	}
}

// TestCutLinkEndsAtItsNode checks that a closed connection is drawn to the node that had it, also once another is the
// primary, and the next attempt to that one.
func TestCutLinkEndsAtItsNode(t *testing.T) {
	f := farRun(1, twoRedis).at(time.Second).
		put(event.Event{Kind: event.RolePlayed, Actor: event.Node(2), Text: event.RolePrimary}).
		put(event.Event{Kind: event.RolePlayed, Actor: event.Node(1), Text: event.RoleReplica, Peer: event.Node(2)}).
		put(event.Event{Kind: event.ConnClosed, Actor: 1, Peer: event.Node(1), Reason: event.ConnLost})
	ends := func() bool {
		var frame scene.Frame
		f.s.At = f.now
		frame.Draw(f.s, f.now, scene.Options{Words: english, Width: 1024, Height: 576, Theme: display.Light()})
		return slices.ContainsFunc(frame.Ops, func(o display.Op) bool { return o.Kind == display.Curve && o.X3 > 512 })
	}
	if ends() {
		t.Error("the cut connection leads to the new primary")
	}
	f.put(event.Event{Kind: event.MsgSent, Actor: 1, Peer: event.Node(2), Op: event.Connect, N: int64(time.Second)})
	if !ends() {
		t.Error("the next one doesn't")
	}
}

// TestClockLeavesTheName checks that a node whose clock is off keeps its whole name, also in a narrow picture.
func TestClockLeavesTheName(t *testing.T) {
	s := majority(3)
	s.Remotes.Nodes[2].Ahead = 30 * time.Second
	for _, width := range []float64{480, 560, 760, 1120} {
		if said := drawnAt(s, width); !slices.Contains(said, "Redis 3") || !slices.Contains(said, "+30 s") {
			t.Errorf("at %.0f px it says %q", width, said)
		}
	}
}

// TestNumberInAQueue checks that a card in a queue shows short data, such as a number, behind its name.
func TestNumberInAQueue(t *testing.T) {
	for data, want := range map[string]bool{"4": true, "a longer text": false, "": false} {
		s := tree(2)
		for i := range s.Tree.Nodes {
			if n := &s.Tree.Nodes[i]; n.Number == 8 {
				n.Data, n.Bytes = data, int64(len(data))
			}
		}
		var l scene.Layout
		marks := l.Plan(s, now, scene.Options{Words: english, Width: 1024, Height: 576}).Marks()
		got := slices.ContainsFunc(marks, func(m mark.Mark) bool { return m.Is("data *-0000000008 " + data) })
		if got != want {
			t.Errorf("%q is shown: %v", data, got)
		}
	}
}
