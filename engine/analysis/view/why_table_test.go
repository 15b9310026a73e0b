package view_test

import (
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
)

// TestWhyTable checks the explanation of an event after others, the last of which caused it unless that is 0.
func TestWhyTable(t *testing.T) {
	const deleted, children = uint8(zoo.NodeDeleted), uint8(zoo.NodeChildrenChanged)
	type events = []event.Event
	fault := func(text string) event.Event { return event.Event{Kind: event.FaultInjected, Peer: 1, Text: text} }
	session := event.Event{Kind: event.SessionCreated, Peer: 1, Session: 7, N: int64(10 * time.Second)}
	znode := func(kind event.Kind, by event.Actor, path string) event.Event {
		return event.Event{Kind: kind, Peer: by, Path: path}
	}
	gone := func(by event.Actor, path string, why event.Reason) event.Event {
		return event.Event{Kind: event.ZnodeDeleted, Peer: by, Path: path, Reason: why}
	}
	done := func(op event.Op, path string, code zoo.Code) event.Event {
		return event.Event{Kind: event.OpDone, Actor: 1, Op: op, Path: path, Code: int32(code)}
	}
	sent := func(op event.Op, path string) event.Event {
		return event.Event{Kind: event.OpSent, Actor: 1, Op: op, Path: path}
	}
	fires := func(path string, typ uint8) event.Event {
		return event.Event{Kind: event.WatchFired, Peer: 1, Path: path, Type: typ}
	}
	expires := event.Event{Kind: event.SessionExpired, Peer: 1, Session: 7}
	for _, c := range []struct {
		before events
		e      event.Event
		want   string
	}{
		{events{gone(2, "/a", event.ByOp)}, fires("/a", deleted),
			"fired.deleted client-1 /a client-2"},
		{events{gone(2, "/a", event.BySessionClosed)}, fires("/a", deleted),
			"fired.closed client-1 /a client-2"},
		{events{gone(2, "/a", event.BySessionExpired)}, fires("/a", deleted),
			"fired.expired client-1 /a client-2"},
		{events{gone(0, "/a", event.ByTimer)}, fires("/a", deleted), "fired.unknown client-1 /a"},
		{events{znode(event.ZnodeChanged, 2, "/a")}, fires("/a", 0), "fired.changed client-1 /a client-2"},
		{events{znode(event.ZnodeCreated, 2, "/a")}, fires("/a", 0), "fired.created client-1 /a client-2"},
		{events{znode(event.ZnodeCreated, 2, "/a/b")}, fires("/a", children),
			"fired.child.created client-1 /a /a/b client-2"},
		{events{znode(event.ZnodeCreated, 2, "/b")}, fires("/", children),
			"fired.child.created client-1 / /b client-2"},
		{events{gone(2, "/a/b", event.ByOp)}, fires("/a", children),
			"fired.child.deleted client-1 /a /a/b client-2"},
		{events{znode(event.ZnodeCreated, 2, "/a/b/c")}, fires("/a", 0), "fired.missed client-1 /a"},
		{nil, fires("/a", children), "fired.child.unknown client-1 /a"},
		{nil, fires("/a", deleted), "fired.unknown client-1 /a"},
		{events{fires("/a", deleted)}, event.Event{Kind: event.WatchDelivered, Actor: 1, Path: "/a"},
			"fired.unknown client-1 /a"},
		{nil, event.Event{Kind: event.WatchDelivered, Actor: 3, Path: "/a"}, "fired.unknown client-3 /a"},

		{nil, session, "session.before client-1"},
		{nil, event.Event{Kind: event.SessionCreated, Peer: 1, Session: 7}, "session.seen client-1"},
		{events{sent(event.Connect, "")}, session, "session client-1"},
		{nil, event.Event{Kind: event.SessionClosed, Peer: 1}, "session.unseen client-1"},
		{nil, event.Event{Kind: event.SessionClosed, Peer: 1, Zxid: 4}, "session.closed client-1"},
		{events{sent(event.CloseSession, "")}, event.Event{Kind: event.SessionClosed, Peer: 1},
			"session.closed client-1"},
		{events{session, {Kind: event.ClientCrashed, Actor: 1}}, expires, "expired.crashed client-1 10 s"},
		{events{session, {Kind: event.ClientPaused, Actor: 1}}, expires, "expired.paused client-1 10 s"},
		{events{session, fault("cut client-1 at 1s for 20s")}, expires, "expired.cut client-1 10 s"},
		{events{session, fault("expire client-1 at 1s")}, expires, "expired.fault client-1 expire client-1 at 1s"},
		{events{session, {Kind: event.ConnClosed, Actor: 1}}, expires, "expired.silent client-1 10 s"},
		{nil, expires, "expired.silent client-1 ?"},

		{events{done(event.Create, "/l/a-0000000003", 0)}, phase(program.Waiting, "/l/a-0000000003"),
			"phase.queued /l/a-0000000003"},
		{events{done(event.Create, "/l/a", 0)}, phase(program.Waiting, "/l/a"), "phase.waiting"},
		{events{done(event.Create, "/t-0000000003/vote", 0)}, phase(program.Waiting, "/t-0000000003"), "phase.waiting"},
		{events{done(event.Create, "/l/a", zoo.ErrNodeExists)}, phase(program.Waiting, "/l/a"), "phase.waiting"},
		{events{done(event.Create, "/l/a", 0)}, phase(program.Holding, "/l/a"), "phase.alone.made /l/a"},
		{events{done(event.Children, "/l", 0)}, phase(program.Holding, "/l/a"), "phase.alone.first /l/a"},
		{events{done(event.Children, "/l", zoo.ErrNoNode)}, phase(program.Holding, "/l/a"), "phase.holding"},
		{events{done(event.Create, "/l/a", zoo.ErrNodeExists)}, phase(program.Holding, "/l/a"), "phase.holding"},

		{events{done(event.Children, "/l", 0)}, phase(program.Leading, "/l/a"), "phase.alone.first /l/a"},
		{events{done(event.Children, "/l", 0)}, phase(program.Reading, "/l/a"), "phase.reading"}, // others may be ahead
		{nil, phase(program.Began, "/l/a"), "phase.began /l/a"},
		{nil, phase("unheard of", ""), ""},

		{nil, znode(event.ZnodeChanged, 0, "/a"), "changed.unknown"},
		{nil, znode(event.ZnodeChanged, 1, "/a"), "changed client-1"},
		{nil, znode(event.ZnodeCreated, 0, "/a"), "created.setup"},
		{nil, znode(event.ZnodeCreated, 1, "/a"), "created client-1"},
		{nil, event.Event{Kind: event.ZnodeCreated, Peer: 1, Mode: uint8(zoo.Ephemeral)}, "created.ephemeral client-1"},
		{nil, gone(1, "/a", event.ByOp), "deleted client-1"},
		{nil, gone(1, "/a", event.ByTimer), "deleted.timer"},
		{nil, gone(0, "/a", event.ByUnknown), "deleted.unknown"},
		{nil, gone(1, "/a", event.ByUnknown), "deleted.unsure client-1"},
		{events{{Kind: event.SessionClosed, Peer: 1}}, gone(1, "/a", event.ByUnknown), "deleted.either client-1"},

		{events{{Kind: event.TxnApplied, Peer: 1}}, event.Event{Kind: event.MsgSent, Peer: 1, Op: event.Get, Path: "/a"},
			"reply client-1 get /a"},
		{nil, event.Event{Kind: event.MsgSent, Peer: 1, Op: event.Ping}, "pong"},
		{nil, event.Event{Kind: event.MsgSent, Actor: 1, Op: event.Ping}, "ping"},
		{nil, event.Event{Kind: event.MsgSent, Actor: 1, Op: event.Connect}, "connect client-1"},
		{events{session}, event.Event{Kind: event.MsgSent, Peer: 1, Op: event.Connect}, "connected client-1"},
		{events{fault("x")}, event.Event{Kind: event.MsgSent, Peer: 1, Op: event.Connect}, "again client-1"},
		{nil, event.Event{Kind: event.TxnApplied, Peer: 1, Op: event.Create, Path: "/a"}, "txn client-1 create /a"},
		{nil, event.Event{Kind: event.TxnApplied, Peer: 1, Op: event.Sync, Code: -101}, "txn.failed client-1 sync code.-101"},
		{nil, event.Event{Kind: event.ClientResumed, Actor: 1}, "resumed 0 s"},
		{events{{Kind: event.ClientPaused, Actor: 1, N: int64(1500 * time.Millisecond)}},
			event.Event{Kind: event.ClientResumed, Actor: 1, At: 1500 * time.Millisecond},
			"resumed 1.5 s"},
		{events{{Kind: event.ClientPaused, Actor: 1, N: int64(time.Minute)}},
			event.Event{Kind: event.ClientResumed, Actor: 1, At: 2 * time.Second},
			"resumed 2 s"},
		{events{done(event.Children, "/l", 0)}, event.Event{Kind: event.ClientBlocked, Actor: 1, Path: "/l"},
			"blocked.child /l"},
		{events{done(event.Exists, "/l", 0)}, event.Event{Kind: event.ClientBlocked, Actor: 1, Path: "/l"}, "blocked /l"},
	} {
		log := append(append(events(nil), c.before...), c.e)
		log[len(log)-1].Cause = event.Seq(len(c.before))
		history := historyOf(log)
		e, _ := history.Lookup(event.Seq(len(log)))
		r := view.Why(e, history)
		if got := strings.TrimPrefix(strings.Join(append([]string{r.Key}, spoken(r)...), " "), "why."); got != c.want {
			t.Errorf("%s: %q, want %q", eventtext.Of(e), got, c.want)
		}
	}
}

func phase(p program.Phase, path string) event.Event {
	return event.Event{Kind: event.RecipePhase, Actor: 1, Text: string(p), Path: path}
}

// TestChainEnds checks that an event whose cause is itself or a later event ends the chain.
func TestChainEnds(t *testing.T) {
	history := historyOf([]event.Event{
		{Kind: event.RecipeNote, Actor: 1}, {Kind: event.RecipeNote, Actor: 1, Cause: 2},
		{Kind: event.RecipeNote, Actor: 1, Cause: 4}, {Kind: event.RecipeNote, Actor: 1, Cause: 2},
		{Kind: event.RecipeNote, Actor: 1, Cause: 1},
	})
	for seq, want := range map[event.Seq]int{0: 0, 1: 1, 2: 1, 3: 1, 4: 2, 5: 2, 6: 0} {
		n := 0
		for range view.Chain(history, seq) {
			if n++; n > 10 {
				break
			}
		}
		if n != want {
			t.Errorf("the chain of event %d has %d events, want %d", seq, n, want)
		}
	}
}
