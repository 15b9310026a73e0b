package view_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
	"github.com/zkviz/zkviz/engine/testing/golden"
	languages "github.com/zkviz/zkviz/static/strings"
)

func historyOf(log []event.Event) *view.History {
	history := &view.History{}
	history.AppendAll(log)
	return history
}

// spoken returns the arguments of a reason in words.
func spoken(r sentence.Sentence) (args []string) {
	whole := func(path string) string { return path }
	sentence.Voice{Path: whole, Say: func(key string, all ...string) string { args = all; return key }}.Says(r)
	return args
}

// TestReasonKeys checks that every reason has words, and explains something in these runs.
func TestReasonKeys(t *testing.T) {
	text, used := languages.English(), map[string]bool{}
	look := func(log []event.Event) {
		history := historyOf(log)
		for _, e := range log {
			r := view.Why(e, history)
			if r.Key == "" {
				continue
			}
			used[r.Key] = true
			if text[r.Key] == "" || slices.Contains(spoken(r), "") {
				t.Errorf("%s: reason %q %q", eventtext.Of(e), r.Key, spoken(r))
			}
		}
	}
	for _, c := range scenarios() {
		look(c.log(t))
	}
	look(scenario{recipe: "children-lock", clients: 3, hold: time.Second,
		faults: []string{"cut client-2 at 500ms for 9s"}}.log(t))
	look(scenario{recipe: "predecessor-lock", clients: 3, hold: 30 * time.Second,
		faults: []string{"cut client-1 at 2s for 20s"}}.log(t))
	look(scenario{recipe: "first-steps", clients: 2, hold: time.Second}.log(t))
	look(scenario{recipe: "predecessor-lock", clients: 2, hold: time.Second,
		faults: []string{"restart server at 500ms for 1s"}}.log(t))
	look(scenario{recipe: "fenced-lock", clients: 2, hold: time.Second}.log(t))
	look(scenario{recipe: "double-barrier", clients: 2, rounds: 2, hold: time.Second}.log(t))
	look(scenario{recipe: "predecessor-lock", clients: 2, hold: 6 * time.Second, servers: 3, faults: []string{
		"pause server-1 at 1s for 1s", "partition server-1 | server-2 server-3 at 3s for 500ms",
		"restart server-3 at 4s for 1s"}}.log(t))
	look(strange())
	look(nodeLog())
	look(forgetful(t))
	for r := event.ByOp; r < event.LeftNothing; r++ {
		if key := "reason." + r.String(); !used[key] {
			t.Errorf("nothing in the runs has the reason %s", key)
		}
	}
	for key := range text {
		if strings.HasPrefix(key, "why.") && !used[key] && key != "why.together" { // the panes join several
			t.Errorf("nothing in the runs has the reason %s", key)
		}
	}
}

// asked returns the events that follow when servers are asked, after that many other events.
func asked(before int) []event.Event {
	const says = event.ServerSays
	return []event.Event{
		{Kind: event.SessionLocated, Peer: 3, Session: 9, Text: event.PlaceText("10.0.0.7:1", "zk1:2181")},
		{Kind: event.SessionLocated, Peer: 3, Session: 9, Text: event.PlaceText("10.0.0.7:1", "")},
		{Kind: event.SessionLocated, Peer: 3, Session: 9},
		{Kind: event.SessionSilent, Peer: 3, Session: 9, N: int64(time.Second)},
		{Kind: event.SessionSilent, Peer: 3, Session: 9, N: int64(time.Minute), Reason: event.BySessionExpired},
		{Kind: event.SessionHeard, Peer: 3, Session: 9},
		{Kind: event.WatchSet, Peer: 3, Path: "/w", Watch: event.DataWatch, Reason: says},
		{Kind: event.WatchesAsked, N: 1},
		{Kind: event.ZnodeChanged, Path: "/w", Text: "new"},
		{Kind: event.WatchRemoved, Peer: 3, Path: "/w", Watch: event.DataWatch, Reason: says, Cause: event.Seq(before + 9)},
		{Kind: event.WatchRemoved, Peer: 3, Path: "/v", Watch: event.DataWatch, Reason: says},
		{Kind: event.WatchesAsked, Code: 1},
	}
}

// strange returns a log of what an observer sees, and of what is rare on the simulator.
func strange() []event.Event {
	log := []event.Event{
		{Kind: event.ZnodeDeleted, Path: "/a/b", Reason: event.ByUnknown},
		{Kind: event.WatchFired, Peer: 1, Path: "/a", Type: uint8(zoo.NodeChildrenChanged), Cause: 1},
		{Kind: event.WatchDelivered, Actor: 1, Path: "/a", Type: uint8(zoo.NodeDataChanged)},
		{Kind: event.WatchFired, Peer: 1, Path: "/c", Type: uint8(zoo.NodeDataChanged)},
		{Kind: event.OpDone, Actor: 1, Op: event.Delete, Path: "/c", Code: int32(zoo.ErrNotEmpty)},
		{Kind: event.MsgReceived, Op: event.SetWatches, Peer: 1},
		{Kind: event.WatchFired, Peer: 1, Path: "/d", Type: uint8(zoo.NodeDataChanged), Cause: 6},
		{Kind: event.RecipePhase, Actor: 1, Text: string(program.Holding)},
		{Kind: event.OpDone, Actor: 1, Op: event.Set, Path: "/c", Code: int32(zoo.ErrSessionExpired)},
		{Kind: event.SessionExpired, Peer: 1, Session: 7},
		{Kind: event.OpDone, Actor: 1, Op: event.Create, Path: "/c", Code: int32(zoo.ErrConnectionLoss)},
		{Kind: event.OpSent, Actor: 1, Op: event.Children, Path: "/", Cause: 11},
		{Kind: event.ZnodeDeleted, Path: "/a/b", Peer: 2, Reason: event.BySessionClosed},
		{Kind: event.WatchFired, Peer: 1, Path: "/a", Type: uint8(zoo.NodeChildrenChanged), Cause: 13},
		{Kind: event.ZnodeChanged, Path: "/a", Text: "new"},
		{Kind: event.SessionCreated, Peer: 1, Session: 7},
		{Kind: event.StoreWritten, Actor: 1, Path: "printer", Text: "page 1"},
		{Kind: event.StoreWritten, Actor: 1, Path: "printer", Text: "page 2", N: 5},
		{Kind: event.StoreRefused, Actor: 2, Path: "printer", Text: "page 3", N: 4},
		{Kind: event.OpSent, Actor: 2, Op: event.Get, Path: "/c"},
		{Kind: event.ZnodeDeleted, Path: "/box", Reason: event.ByTimer},
		{Kind: event.WatchSet, Peer: 1, Path: "/p", Watch: event.PersistentWatch},
		{Kind: event.WatchSet, Peer: 1, Path: "/r", Watch: event.RecursiveWatch},
		{Kind: event.ZnodeChanged, Path: "/hidden", Peer: 2, Text: "new"},
		{Kind: event.WatchRemoved, Peer: 1, Path: "/hidden", Watch: event.DataWatch, Cause: 24},
		{Kind: event.OpSent, Actor: 1, Op: event.RemoveWatches, Path: "/p"},
		{Kind: event.WatchRemoved, Peer: 1, Path: "/p", Watch: event.PersistentWatch, Cause: 26},
		{Kind: event.SessionCreated, Peer: 2, Session: 8, N: int64(time.Second)},
		{Kind: event.ZnodeFound, Path: "/a", N: 1_700_000_000_000},
		{Kind: event.SnapshotLoaded, Actor: event.Server(1), Zxid: 5},
		{Kind: event.SessionClosed, Peer: 2, Session: 8},
		{Kind: event.SessionSeen, Peer: 3, Session: 9},
		{Kind: event.ZnodeDeleted, Path: "/e", Peer: 3, Reason: event.ByUnknown},
		{Kind: event.ZnodeDeleted, Path: "/f", Peer: 2, Reason: event.ByUnknown, Cause: 31},
	}
	log = append(log, asked(len(log))...)
	for _, e := range []event.Event{
		{Kind: event.SyncChosen, Peer: event.Server(2), Op: event.Diff, Code: 3},
		{Kind: event.SyncChosen, Peer: event.Server(2), Op: event.Trunc, Code: 2},
		{Kind: event.SyncChosen, Peer: event.Server(2), Op: event.Snap, Code: 5},
		{Kind: event.SyncChosen, Peer: event.Server(2), Op: event.Diff, Code: 1},
		{Kind: event.SyncChosen, Peer: event.Server(2), Op: event.Diff, Code: 4},
		{Kind: event.SyncChosen, Peer: event.Server(2), Op: event.Trunc, Code: 3},
		{Kind: event.SyncChosen, Peer: event.Server(2), Op: event.Snap, Code: 3},
		{Kind: event.LogTruncated, Zxid: 1}, {Kind: event.SnapshotLoaded, Peer: event.Server(2)},
		{Kind: event.SnapshotSaved, Zxid: 1},
		{Kind: event.SessionTouched, Peer: 1, Session: 7, Code: 2},
		{Kind: event.MsgReceived, Op: event.ServerPing, Peer: event.Server(2)},
		{Kind: event.SessionTouched, Peer: 1, Session: 7, Code: 2},
	} {
		e.Actor = event.Server(1)
		if last := len(log) - 1; log[last].Op == event.ServerPing {
			e.Cause = event.Seq(last + 1)
		}
		log = append(log, e)
	}
	for r := event.ByOp; r < event.LeftNothing; r++ {
		log = append(log, event.Event{Kind: event.ConnClosed, Actor: 1, Reason: r})
	}
	for _, p := range program.Phases() {
		log = append(log, event.Event{Kind: event.RecipePhase, Actor: 2, Text: string(p), Path: "/r/a"})
	}
	for i := range log {
		log[i].Seq = event.Seq(i + 1)
	}
	return log
}

// A request's explanation claims no more about the event before it than what happened.
func TestWhyARequestFollows(t *testing.T) {
	const missing = int32(zoo.ErrNoNode)
	for _, c := range []struct {
		by   event.Event
		sent event.Op
		path string
		want string
	}{
		{event.Event{Kind: event.OpDone, Op: event.Create, Path: "/q/lock-", Code: missing}, event.Create, "/q",
			"why.op.parent"},
		{event.Event{Kind: event.OpDone, Op: event.Exists, Path: "/ready", Code: missing}, event.Multi, "", "why.op.absent"},
		{event.Event{Kind: event.OpDone, Op: event.Delete, Path: "/ready", Code: missing}, event.Exists, "/ready-2",
			"why.op.gone"},
		{event.Event{Kind: event.OpDone, Op: event.Delete, Path: "/item-1", Code: missing}, event.Delete, "/item-2",
			"why.op.missing"},
		{event.Event{Kind: event.OpDone, Op: event.Get, Path: "/lock-1", Code: missing}, event.Children, "/",
			"why.op.missing"},
		{event.Event{Kind: event.WatchDelivered, Path: "/items"}, event.Children, "/items", "why.op.look"},
		{event.Event{Kind: event.WatchDelivered, Path: "/items"}, event.Multi, "", "why.op.next"}, // it doesn't look
		{event.Event{Kind: event.RecipePhase, Text: string(program.Waiting), Cause: 1}, event.Create, "/lock",
			"why.op.begin"},
		// it began long ago
		{event.Event{Kind: event.RecipePhase, Text: string(program.Waiting), Cause: 2}, event.Get, "/lock", "why.op.next"},
	} {
		c.by.Seq, c.by.Actor = 3, 1
		log := []event.Event{{Seq: 1, Kind: event.ConnOpened, Actor: 1},
			{Seq: 2, Kind: event.OpDone, Actor: 1, Op: event.Create}, c.by}
		r := view.Why(event.Event{Seq: 4, Kind: event.OpSent, Actor: 1, Op: c.sent, Path: c.path, Cause: 3}, historyOf(log))
		if r.Key != c.want {
			t.Errorf("%s %s after %s: %s, want %s", c.sent, c.path, eventtext.Of(c.by), r.Key, c.want)
		}
	}
}

func TestChain(t *testing.T) {
	log := scenarios()["predecessor"].log(t)
	history := historyOf(log)
	chainOf := func(seq event.Seq) (chain []event.Seq) {
		for e := range view.Chain(history, seq) {
			chain = append(chain, e.Seq)
		}
		return chain
	}
	for _, e := range log {
		chain := chainOf(e.Seq)
		if chain[0] != e.Seq || log[chain[len(chain)-1]-1].Cause != 0 {
			t.Fatalf("the chain of %d is %v", e.Seq, chain)
		}
		for i, seq := range chain[1:] {
			if log[chain[i]-1].Cause != seq {
				t.Fatalf("the chain of %d is %v", e.Seq, chain)
			}
		}
	}
	if chain := chainOf(event.Seq(len(log) + 1)); len(chain) != 0 {
		t.Errorf("an event that is not there has the chain %v", chain)
	}
}

// TestGoldenReasons prints the explanations of whole runs into golden files, for people to read.
func TestGoldenReasons(t *testing.T) {
	for _, name := range []string{"pause", "expire"} {
		log := scenarios()[name].log(t)
		history := historyOf(log)
		var b strings.Builder
		for _, e := range log {
			if e.Kind == event.MsgSent || e.Kind == event.MsgReceived {
				continue
			}
			line := eventtext.Of(e)
			line = line[:min(len(line), 85)]
			r := view.Why(e, history)
			b.WriteString(line + strings.Repeat(" ", 87-len(line)) + r.Key)
			for _, a := range spoken(r) {
				b.WriteString(" | " + a)
			}
			b.WriteByte('\n')
		}
		golden.Compare(t, filepath.Join("testdata", "reasons-"+name+".txt"), b.String())
	}
}
