package panes_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/stage/panes"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
)

// rowsOf returns all rows of a history, as "time who kind: text".
func rowsOf(t *testing.T, f *view.History, search string) (rows []string) {
	t.Helper()
	var l panes.Log
	l.Search(search)
	for _, m := range l.Window(f, event.Seq(f.Len()), say(t)).Marks {
		r := panes.NewRow(f, m, say(t))
		rows = append(rows, fmt.Sprintf("%s %s %s %s: %s", r.Time, r.Who.Label, r.Who.Class, r.Kind, r.Text))
	}
	return rows
}

// TestRowTable checks the row of each kind of event.
func TestRowTable(t *testing.T) {
	const path = "/l/lock-0000000003"
	for _, c := range []struct {
		e    event.Event
		want string
	}{
		{event.Event{Kind: event.RunStarted, Text: "lock", Path: "/l"}, "zk zk run.started: l lock"},
		{event.Event{Kind: event.ClientStarted, Actor: 7}, "G c1 client.started: "},
		{event.Event{Kind: event.ClientStarted, Actor: 26}, "Z c2 client.started: "},
		{event.Event{Kind: event.ClientStarted, Actor: 27}, "27 c3 client.started: "},
		{event.Event{Kind: event.ClientBlocked, Actor: 1, Path: path}, ""},
		{event.Event{Kind: event.ConnOpened, Actor: 1, Session: 31}, "A c1 conn.opened 0x1f: "},
		{event.Event{Kind: event.SessionCreated, Peer: 2, Session: -1}, "B c2 session.created 0xffffffffffffffff: "},
		{event.Event{Kind: event.SessionExpired, Peer: 2, Session: 1}, "B c2 session.expired 0x1: "},
		{event.Event{Kind: event.SessionClosed, Peer: 3, Session: 1}, "C c3 session.closed 0x1: "},
		{event.Event{Kind: event.OpSent, Actor: 1, Op: event.Create, Path: path}, "A c1 op.sent: create lock-003"},
		{event.Event{Kind: event.OpSent, Op: event.Create, Path: path}, ""},
		{event.Event{Kind: event.OpDone, Actor: 1, Op: event.Get, Path: path, Code: int32(zoo.ErrNoNode)},
			"A c1 op.done: get lock-003 → no node"},
		{event.Event{Kind: event.OpDone, Op: event.Get}, ""},
		{event.Event{Kind: event.TxnApplied, Peer: 1, Op: event.Create, Path: path}, ""},
		{event.Event{Kind: event.TxnApplied, Peer: 1, Op: event.Create, Path: path, Code: int32(zoo.ErrNodeExists)},
			"zk zk txn.applied: create lock-003 → node exists"},
		{event.Event{Kind: event.WatchSet, Peer: 1, Path: path, Watch: event.ChildWatch},
			"zk zk watch.set: lock-003 children watch"},
		{event.Event{Kind: event.WatchFired, Peer: 1, Path: path, Type: uint8(zoo.NodeDeleted)},
			"zk zk watch.fired: lock-003 was deleted → A"},
		{event.Event{Kind: event.WatchDelivered, Actor: 1, Path: path, Type: uint8(zoo.NodeDeleted)},
			"A c1 watch.delivered: lock-003 was deleted"},
		{event.Event{Kind: event.ZnodeCreated, Peer: 1, Path: path, Mode: uint8(zoo.EphemeralSequential)},
			"zk zk znode.created: lock-003 ephemeral, sequential"},
		{event.Event{Kind: event.ZnodeChanged, Peer: 1, Path: path, Text: "a\x07b"}, "zk zk znode.changed: lock-003 a·b"},
		{event.Event{Kind: event.ZnodeDeleted, Peer: 1, Path: path, Reason: event.ByOp}, "zk zk znode.deleted: lock-003"},
		{event.Event{Kind: event.ZnodeFound, Path: path, N: 1_700_000_000_000, Zxid: 7},
			"zk zk znode.found: lock-003 persistent there since 2023-11-14 22:13:20 UTC"},
		{event.Event{Kind: event.ZnodeFound, Path: path, N: 1_700_000_000_000}, ""},
		{event.Event{Kind: event.SessionSeen, Peer: 1, Session: 0x1f}, "A c1 session.seen 0x1f: "},
		{event.Event{Kind: event.SessionLocated, Peer: 1, Session: 0x1f}, "A c1 session.located 0x1f: "},
		{event.Event{Kind: event.SessionSilent, Peer: 1, Session: 0x1f}, "A c1 session.silent 0x1f: "},
		{event.Event{Kind: event.SessionHeard, Peer: 1, Session: 0x1f}, "A c1 session.heard 0x1f: "},
		{event.Event{Kind: event.WatchesAsked, N: 3}, "zk zk watches.asked: 3"},
		{event.Event{Kind: event.RecipeNote, Reason: event.LeftUnasked, Text: "zk1:2181"},
			"zk zk recipe.note: zk1:2181 can't be asked about its clients"},
		{event.Event{Kind: event.RecipeNote, Reason: event.LeaderNow, Text: "zk2 zk1", N: 6},
			"zk zk recipe.note: zk2 leads now (epoch 6); before, zk1 did"},
		{event.Event{Kind: event.RecipeNote, Reason: event.LeaderNow, Text: "zk2 zk2", N: 6},
			"zk zk recipe.note: zk2 leads now (epoch 6)"},
		{event.Event{Kind: event.RecipeNote, Reason: event.LeaderNow, Text: " zk1", N: 6},
			"zk zk recipe.note: another leader sends its transactions now (epoch 6)"},
		{event.Event{Kind: event.RecipeNote, Reason: event.QuorumLost}, "zk zk recipe.note: no quorum in sight any more"},
		{event.Event{Kind: event.RecipeNote, Reason: event.QuorumBack, N: 4_200_000_000},
			"zk zk recipe.note: there is a quorum again, after at most 4.2 s"},
		{event.Event{Kind: event.RecipeNote, Reason: event.QuorumBack}, "zk zk recipe.note: there is a quorum again"},
		{event.Event{Kind: event.Disconnected, Text: "a:1: connection refused"},
			"zk zk observer.disconnected: a:1: connection refused"},
		{event.Event{Kind: event.RecipeNote, Reason: event.LeftMissed, Path: path, N: 4},
			"zk zk recipe.note: /l/lock-0000000003: 4 changes came too fast to be seen one by one"},
		{event.Event{Kind: event.RecipePhase, Actor: 1, Text: "holding", Path: path}, "A c1 recipe.phase: holding lock-003"},
		{event.Event{Kind: event.RecipeNote, Actor: 1, Text: "hm"}, "A c1 recipe.note: hm"},
		{event.Event{Kind: event.RecipeNote, Reason: event.LeftData, Path: "/a/b\u202e"},
			"zk zk recipe.note: /a/b· may not be read: an ACL forbids it"},
		{event.Event{Kind: event.MsgSent, Peer: 1, Op: event.Ping}, ""},
		{event.Event{Kind: event.MsgReceived, Peer: 1, Op: event.Ping}, ""},
		{event.Event{Kind: event.MsgDropped, Actor: 1, Op: event.Ping}, "A c1 msg.dropped: ping"},
		{event.Event{Kind: event.FaultInjected, Peer: 2, Text: "pause client-2 at 2s for 15s"},
			"zk zk fault.injected: pause B at 2s for 15s"},
		{event.Event{Kind: event.FaultInjected, Peer: 2, Text: "cut client-0 and client-27"},
			"zk zk fault.injected: cut client-0 and 27"},
		{event.Event{Kind: event.StoreWritten, Actor: 1, Path: "ledger", Text: "client-1 pays", N: 5},
			"A c1 store.written: ledger A pays number 5"},
		{event.Event{Kind: event.StoreRefused, Actor: 1, Path: "ledger", Text: "no"}, "A c1 store.refused: ledger no"},
		{event.Event{Kind: event.Disconnected, Text: "why"}, "zk zk observer.disconnected: why"},
	} {
		c.e.At = 1500 * time.Millisecond
		got := strings.Join(rowsOf(t, small("lock", c.e), ""), "\n")
		if want := strings.TrimSuffix("1.500 "+c.want, "1.500 "); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", eventtext.Of(c.e), got, want)
		}
	}
}

// TestRowsTogether checks that the watches fired by one event on one path share a row, despite events without rows
// between.
func TestRowsTogether(t *testing.T) {
	fired := func(who event.Actor, path string, cause event.Seq) event.Event {
		deleted := uint8(zoo.NodeDeleted)
		return event.Event{Kind: event.WatchFired, Peer: who, Path: path, Type: deleted, Cause: cause, At: time.Second}
	}
	ping := event.Event{Kind: event.MsgSent, Peer: 1, Op: event.Ping, At: time.Second}
	note := event.Event{Kind: event.RecipeNote, Actor: 1, At: time.Second}
	del := event.Event{Kind: event.ZnodeDeleted, Path: "/a", At: time.Second}
	const deleted, one = "znode.deleted", "watch.fired"
	for _, c := range []struct {
		name string
		log  []event.Event
		want []string
	}{
		{"together", log(del, fired(1, "/a", 1), ping, fired(2, "/a", 1), ping, ping, fired(3, "/a", 1)),
			[]string{deleted, "watch.fired ×3"}},
		{"two paths", log(del, fired(1, "/a", 1), fired(2, "/", 1)), []string{deleted, one, one}},
		{"two causes", log(del, fired(1, "/a", 1), fired(2, "/a", 2)), []string{deleted, one, one}},
		{"no cause", log(del, fired(1, "/a", 0), fired(2, "/a", 0)), []string{deleted, one, one}},
		{"one between", log(del, fired(1, "/a", 1), note, fired(2, "/a", 1)), []string{deleted, one, "recipe.note", one}},
	} {
		var got []string
		for _, r := range rowsOf(t, small("lock", c.log...), "") {
			kind, _, _ := strings.Cut(strings.Join(strings.Fields(r)[3:], " "), ":")
			got = append(got, kind)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// TestSearchTable checks what queries find, in the text of a row or in its path.
func TestSearchTable(t *testing.T) {
	f := small("lock", make1(1, "/deep/Lock-0000000001"), phase(2, program.Holding, "/deep/lock-0000000002", 0),
		event.Event{Kind: event.OpSent, Actor: 2, Op: event.Get, Path: "/other"})
	for query, want := range map[string]int{
		"": 3, "deep": 2, "  DEEP ": 2, "lock-001": 1, "0000000001": 1, "B": 2, "get": 1, "op.s": 1, "zk": 1, "holding": 1,
		"nothing": 0, "depp": 0,
	} {
		if got := rowsOf(t, f, query); len(got) != want {
			t.Errorf("%q finds %q", query, got)
		}
	}
	var l panes.Log
	for _, query := range []string{"deep", "othr", "other", "deep"} { // each time from the start
		l.Search(query)
		if n, want := len(l.Window(f, 3, say(t)).Marks), map[string]int{"deep": 2, "other": 1}[query]; n != want {
			t.Errorf("%q finds %d after another search, want %d", query, n, want)
		}
	}
}

// TestWindowTable checks that the window has a hundred rows, fifty to seventy-five of them before the playhead's,
// unless one end is near.
func TestWindowTable(t *testing.T) {
	say := say(t)
	for _, n := range []int{0, 1, 99, 100, 101, 130, 400} {
		var log []event.Event
		for range n {
			log = append(log, event.Event{Kind: event.RecipeNote, Actor: 1}, event.Event{Kind: event.MsgSent})
		}
		f := small("lock", log...)
		var l panes.Log
		for seq := range event.Seq(2*n + 2) {
			w := l.Window(f, seq, say)
			begun := min(int(seq+1)/2, n)
			if len(w.Marks) != min(n, 100) || w.Before+len(w.Marks)+w.After != n || w.Before+w.Now != begun-1 {
				t.Fatalf("%d rows, at %d: %d before, %d in the window, %d after, now %d; %d have begun",
					n, seq, w.Before, len(w.Marks), w.After, w.Now, begun)
			}
			if begun > 75 && begun < n-50 && (w.Now < 49 || w.Now > 74) {
				t.Fatalf("%d rows, at %d: the playhead is at row %d of the window", n, seq, w.Now)
			}
			for i, m := range w.Marks {
				if want := event.Seq(2*(w.Before+i) + 1); m.First != want || m.Last != want || m.Begun != (m.First <= seq) {
					t.Fatalf("%d rows, at %d: row %d is %+v, want event %d", n, seq, i, m, want)
				}
			}
		}
	}
}

// TestChainIsShort checks that a chain has at most six events, and omits those without a row.
func TestChainIsShort(t *testing.T) {
	var log []event.Event
	for i := range event.Seq(20) {
		kind := event.RecipeNote
		if i%3 == 2 {
			kind = event.ClientBlocked
		}
		log = append(log, event.Event{Kind: kind, Actor: 1, Cause: i})
	}
	var got []event.Seq
	for _, c := range panes.Chain(small("lock", log...), 20, say(t)) {
		got = append(got, c.Seq)
	}
	if want := []event.Seq{20, 19, 17, 16, 14, 13}; !slices.Equal(got, want) {
		t.Errorf("the chain is %v, want %v", got, want)
	}
}

// TestVerdictLimits checks that four kept rules are named, and five are counted.
func TestVerdictLimits(t *testing.T) {
	rules := []string{promise.TruthExclusion, promise.BeliefExclusion, promise.Order, promise.Once, promise.AtMostOnce}
	f := small("lock", event.Event{Kind: event.RunEnded, Reason: event.EndAllDone})
	for n, want := range []int{0, 1, 2, 3, 4, 1} {
		if got := panes.Judge(rules[:n], promise.Verdict{}, f, 1, say(t)); len(got) != want {
			t.Errorf("of %d rules it names %+v", n, got)
		}
	}
	broken := promise.Verdict{Violations: []promise.Violation{{Rule: promise.Order, Seq: 2}}}
	for seq, want := range map[event.Seq]string{1: "ok", 2: "broken"} {
		if got := panes.Judge([]string{promise.Order}, broken, f, seq, say(t)); got[0].State != want {
			t.Errorf("at event %d it says %+v", seq, got)
		}
	}
}

// TestVerdictsOfARunCutOff checks that rules that only the end can decide aren't called kept in a run cut short.
func TestVerdictsOfARunCutOff(t *testing.T) {
	rules := []string{promise.Order, promise.Progress, promise.Clean}
	for reason, cut := range map[event.Reason]string{
		event.EndAllDone: "", event.EndEvents: "2", event.EndCancelled: "2", event.EndFailed: "2", event.EndTime: "1",
		event.EndStuck: "1", event.EndSpin: "1",
	} {
		f := small("lock", event.Event{Kind: event.RunEnded, Reason: reason})
		all := panes.Judge(rules, promise.Verdict{}, f, 1, say(t))
		last, want := all[len(all)-1], say(t)("verdict.cut", cut)
		if (last.State == "open" && last.Text == want) != (cut != "") {
			t.Errorf("%v: %+v, want %q", reason, all, want)
		}
	}
}
