package check_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// Logs of what happens at nodes of another system.

func entrySet(node int, by event.Actor, path string) event.Event {
	return event.Event{Kind: event.EntrySet, Actor: event.Node(node), Peer: by, Path: path}
}

func entryGone(node int, by event.Actor, path string) event.Event {
	return event.Event{Kind: event.EntryGone, Actor: event.Node(node), Peer: by, Path: path, Reason: event.ByOp}
}

func until(e event.Event, end time.Duration) event.Event {
	e.N = int64(end)
	return e
}

func expiresAt(by event.Actor, end time.Duration) event.Event {
	return until(event.Event{Kind: event.EntryExpires, Actor: event.Node(1), Peer: by, Path: "/r/lock"}, end)
}

func ofTx(kind event.Kind, by event.Actor, why event.Reason) event.Event {
	return event.Event{Kind: kind, Actor: event.Node(1), Peer: by, Session: 70, Reason: why}
}

func inTx(e event.Event) event.Event {
	e.Session = 70
	return e
}

func leaseOf(kind event.Kind) event.Event {
	return event.Event{Kind: kind, Actor: event.Node(1), Peer: 1, Session: 80, N: int64(time.Hour)}
}

func withLease(e event.Event) event.Event {
	e.Session = 80
	return e
}

func kept(kind event.Kind, who event.Actor, why event.Reason) event.Event {
	return event.Event{Kind: kind, Actor: event.Node(1), Peer: who, Path: "/r/lock", Reason: why}
}

// answers returns a node's answer to a client, as it is sent and as it arrives.
func answers(a event.Actor, code program.Code) []event.Event {
	return []event.Event{{Kind: event.MsgSent, Actor: event.Node(1), Peer: a, Op: event.Command},
		{Kind: event.OpDone, Actor: a, Peer: event.Node(1), Op: event.Command, Code: int32(code)}}
}

func lockOf(kind event.Kind, by event.Actor, path string) event.Event {
	return event.Event{Kind: kind, Actor: event.Node(1), Peer: by, Path: path, Session: 1}
}

func reports(by event.Actor, p program.Phase, path string) event.Event {
	return event.Event{Kind: event.RecipePhase, Actor: by, Text: string(p), Path: path}
}

func role(node int, text string, of event.Actor) event.Event {
	return event.Event{Kind: event.RolePlayed, Actor: event.Node(node), Text: text, Peer: of}
}

func toStore(by event.Actor, fence int64) event.Event {
	return event.Event{Kind: event.StoreWritten, Actor: by, Path: "printer", N: fence}
}

// verdict returns what rules say about a log with such nodes.
func verdict(s event.System, rules []string, log ...event.Event) check.Report {
	c := check.New(rules, event.Header{Root: "/r", Clients: 3, Systems: []event.System{s}, Keeps: []string{"fence"}})
	for i, e := range log {
		e.Seq, e.At = event.Seq(i+1), time.Duration(i)*time.Millisecond
		c.Append(e)
	}
	return c.Report()
}

// TestOwnership checks who is inside according to nodes, and which rules that breaks.
func TestOwnership(t *testing.T) {
	one := event.System{Kind: event.RedisSystem, Servers: 1}
	pair := event.System{Kind: event.RedisSystem, Servers: 2}
	five := event.System{Kind: event.RedisSystem, Servers: 5, Apart: true}
	const k = "/r/lock"
	aIn, bIn := reports(1, program.Holding, k), reports(2, program.Holding, k)
	put := reports(1, program.Produced, "/r/h")
	done := event.Event{Kind: event.RunEnded, Reason: event.EndAllDone}
	produced := reports(1, program.Produced, "/r/i")
	exclusion := []string{promise.TruthExclusion, promise.BeliefExclusion}
	for name, c := range map[string]struct {
		system event.System
		rules  []string
		log    []event.Event
		breaks string
	}{
		"one after the other": {one, exclusion, []event.Event{entrySet(1, 1, k), aIn, reports(1, program.Released, k),
			entryGone(1, 1, k), entrySet(1, 2, k), bIn}, ""},
		"a key that ended: the first believes, the second is": {one, exclusion, []event.Event{entrySet(1, 1, k), aIn,
			entryGone(1, 0, k), entrySet(1, 2, k), bIn}, promise.BeliefExclusion},
		"a key that was deleted by another": {one, exclusion, []event.Event{entrySet(1, 1, k), aIn, entryGone(1, 2, k),
			entrySet(1, 2, k), bIn}, promise.TruthExclusion + " " + promise.BeliefExclusion},
		"a key that was deleted by another, and would have ended by then": {one, exclusion, []event.Event{
			until(entrySet(1, 1, k), 3*time.Millisecond), aIn, entryGone(1, 2, k), entrySet(1, 2, k), bIn},
			promise.BeliefExclusion},
		"a key that was deleted by another, and would not have ended yet": {one, exclusion, []event.Event{
			until(entrySet(1, 1, k), 2*time.Millisecond), until(event.Event{Kind: event.EntryExpires, Actor: event.Node(1),
				Peer: 1, Path: k}, 5*time.Millisecond), aIn, entryGone(1, 2, k), entrySet(1, 2, k), bIn},
			promise.TruthExclusion + " " + promise.BeliefExclusion},
		"the same by a clock that was set": {one, exclusion, []event.Event{until(entrySet(1, 1, k), time.Second), aIn,
			entryGone(1, 2, k), {Kind: event.ClockJumped, Actor: event.Node(1), N: int64(time.Second)}, entrySet(1, 2, k),
			bIn}, promise.BeliefExclusion},
		"a key that was deleted by another, and then set once more": {one, exclusion, []event.Event{entrySet(1, 1, k),
			aIn, entryGone(1, 2, k), entrySet(1, 1, k), entryGone(1, 0, k), entrySet(1, 2, k), bIn},
			promise.BeliefExclusion},
		"two keys, two holders": {one, exclusion, []event.Event{entrySet(1, 1, k), aIn, entrySet(1, 2, "/r/other"),
			reports(2, program.Holding, "/r/other")}, promise.TruthExclusion + " " + promise.BeliefExclusion},
		"a failover": {pair, exclusion, []event.Event{entrySet(1, 1, k), aIn, role(2, event.RolePrimary, 0),
			role(1, event.RoleReplica, event.Node(2)), entrySet(2, 2, k), bIn}, promise.BeliefExclusion},
		"a failover that knows": {pair, exclusion, []event.Event{entrySet(1, 1, k), entrySet(2, 1, k), aIn,
			role(2, event.RolePrimary, 0), role(1, event.RoleReplica, event.Node(2)), entrySet(2, 2, "/r/other"),
			reports(2, program.Holding, "/r/other")}, promise.TruthExclusion + " " + promise.BeliefExclusion},
		"most of five": {five, exclusion, []event.Event{entrySet(1, 1, k), entrySet(2, 1, k), entrySet(3, 1, k), aIn,
			entryGone(3, 0, k), entrySet(3, 2, k), entrySet(4, 2, k), entrySet(5, 2, k), bIn}, promise.BeliefExclusion},
		"most of five, and one of them late": {five, exclusion, []event.Event{entrySet(1, 1, k), entrySet(2, 1, k), aIn,
			entrySet(3, 2, k), entrySet(4, 2, k), entrySet(5, 2, k), bIn}, promise.BeliefExclusion},
		"a primary that is gone, and one that knows nothing": {pair, exclusion, []event.Event{entrySet(1, 1, k), aIn,
			{Kind: event.ServerStopped, Actor: event.Node(1)}, role(2, event.RolePrimary, 0), entrySet(2, 2, k), bIn},
			promise.BeliefExclusion},
		"a key whose time is past, by another path": {one, exclusion, []event.Event{
			until(entrySet(1, 1, k), 2*time.Millisecond), aIn, entrySet(1, 2, "/r/other"),
			reports(2, program.Holding, "/r/other")}, promise.BeliefExclusion},
		"a key that ends just now, and another": {one, exclusion, []event.Event{
			until(entrySet(1, 1, k), 3*time.Millisecond), aIn, entrySet(1, 2, "/r/other"),
			reports(2, program.Holding, "/r/other")}, promise.TruthExclusion + " " + promise.BeliefExclusion},
		"a key that was prolonged": {one, exclusion, []event.Event{until(entrySet(1, 1, k), 2*time.Millisecond), aIn,
			expiresAt(1, 5*time.Millisecond), entrySet(1, 2, "/r/other"), reports(2, program.Holding, "/r/other")},
			promise.TruthExclusion + " " + promise.BeliefExclusion},
		"a key that was cut short": {one, exclusion, []event.Event{until(entrySet(1, 1, k), time.Second), aIn,
			expiresAt(1, 3*time.Millisecond), entrySet(1, 2, "/r/other"), reports(2, program.Holding, "/r/other")},
			promise.BeliefExclusion},
		"a clock that was set": {one, exclusion, []event.Event{until(entrySet(1, 1, k), time.Second), aIn,
			{Kind: event.ClockJumped, Actor: event.Node(1), N: int64(time.Second)}, entrySet(1, 2, "/r/other"),
			reports(2, program.Holding, "/r/other")}, promise.BeliefExclusion},
		"a clock that was set back": {one, exclusion, []event.Event{until(entrySet(1, 1, k), 2*time.Millisecond), aIn,
			{Kind: event.ClockJumped, Actor: event.Node(1), N: -int64(time.Second)}, entrySet(1, 2, "/r/other"),
			reports(2, program.Holding, "/r/other")}, promise.TruthExclusion + " " + promise.BeliefExclusion},
		"a key that was past when its client heard of it": {one, exclusion, []event.Event{entrySet(1, 2, "/r/other"),
			reports(2, program.Holding, "/r/other"), until(entrySet(1, 1, k), time.Millisecond), aIn}, promise.BeliefExclusion},
		"most of five, whose clocks are set": {five, exclusion, []event.Event{until(entrySet(1, 1, k), time.Second),
			entrySet(2, 1, k), entrySet(3, 1, k), aIn, {Kind: event.ClockJumped, Actor: event.Node(1), N: int64(time.Second)},
			reports(2, program.Holding, k)}, promise.BeliefExclusion},
		"a lock and no entry": {one, exclusion, []event.Event{lockOf(event.LockTaken, 1, k), aIn,
			lockOf(event.LockFreed, 1, k), lockOf(event.LockTaken, 2, k), bIn}, promise.BeliefExclusion},
		"an entry that a lock was on": {one, exclusion, []event.Event{entrySet(1, 1, k), lockOf(event.LockTaken, 1, k), aIn,
			lockOf(event.LockFreed, 1, k), bIn}, promise.BeliefExclusion},

		"an entry that its client has locked since": {one, exclusion, []event.Event{entrySet(1, 1, k),
			lockOf(event.LockTaken, 1, k), lockOf(event.LockFreed, 1, k), aIn, lockOf(event.LockTaken, 2, k), bIn},
			promise.BeliefExclusion},
		"an entry that its client has written under a lock": {one, exclusion, []event.Event{entrySet(1, 1, k),
			lockOf(event.LockTaken, 1, k), entrySet(1, 1, k), lockOf(event.LockFreed, 1, k), aIn,
			lockOf(event.LockTaken, 2, k), bIn}, promise.BeliefExclusion},
		"an entry that its client has made under a lock": {one, []string{promise.TruthExclusion},
			[]event.Event{lockOf(event.LockTaken, 1, k), entrySet(1, 1, k), lockOf(event.LockFreed, 1, k), aIn,
				lockOf(event.LockTaken, 2, k), bIn}, promise.TruthExclusion},

		"a late write with the same number": {one, []string{promise.Fenced}, []event.Event{entrySet(1, 1, k), aIn,
			entryGone(1, 0, k), entrySet(1, 2, k), bIn, toStore(2, 2), toStore(1, 2)}, promise.Fenced},
		"two holders with the same number, in order": {pair, []string{promise.Fenced}, []event.Event{entrySet(1, 1, k), aIn,
			toStore(1, 2), role(2, event.RolePrimary, 0), role(1, event.RoleReplica, event.Node(2)), entrySet(2, 2, k), bIn,
			toStore(2, 2)}, promise.Fenced},
		"a holder that writes twice with its number": {one, []string{promise.Fenced}, []event.Event{entrySet(1, 1, k), aIn,
			toStore(1, 2), toStore(1, 2)}, ""},
		"two holders without numbers": {one, []string{promise.Fenced}, []event.Event{entrySet(1, 1, k), aIn, toStore(1, 0),
			entryGone(1, 1, k), entrySet(1, 2, k), bIn, toStore(2, 0)}, ""},
		"two stores with the same number": {one, []string{promise.Fenced}, []event.Event{entrySet(1, 1, k), aIn,
			toStore(1, 2), entryGone(1, 1, k), entrySet(1, 2, k), bIn, {Kind: event.StoreWritten, Actor: 2, Path: "other",
				N: 2}}, ""},
		"a holder that has lost its key before it heard of it": {one, []string{promise.Fenced}, []event.Event{
			entrySet(1, 1, k), aIn, toStore(1, 1), entryGone(1, 1, k), entrySet(1, 1, k), entryGone(1, 0, k), aIn,
			toStore(1, 2)}, ""},
		"writes in the order of the grants": {one, []string{promise.Fenced}, []event.Event{entrySet(1, 1, k), aIn,
			toStore(1, 1), entryGone(1, 0, k), entrySet(1, 2, k), bIn, toStore(2, 2)}, ""},

		"a key that stays": {one, []string{promise.Clean}, []event.Event{entrySet(1, 1, k), done}, promise.Clean},
		"a lock that stays": {one, []string{promise.Clean}, []event.Event{lockOf(event.LockTaken, 1, k), done},
			promise.Clean},
		"what is meant to stay": {one, []string{promise.Clean}, []event.Event{entrySet(1, 1, "/r/fence"),
			entrySet(1, 0, "/r/row"), entrySet(1, 1, k), entryGone(1, 0, k), done}, ""},
		"a key at a replica": {pair, []string{promise.Clean}, []event.Event{entrySet(2, 1, k), done}, ""},

		"a transaction that stays open": {one, []string{promise.Clean}, []event.Event{ofTx(event.TxBegan, 1, 0), done},
			promise.Clean},
		"transactions that have ended": {one, []string{promise.Clean}, []event.Event{ofTx(event.TxBegan, 1, 0),
			ofTx(event.TxEnded, 1, event.ByIdleness), ofTx(event.TxBegan, 2, 0), ofTx(event.TxEnded, 2, event.ByCommit),
			done}, ""},
		"a transaction at a replica": {pair, []string{promise.Clean}, []event.Event{{Kind: event.TxBegan,
			Actor: event.Node(2), Peer: 1, Session: 3}, done}, ""},
		"a key that ends by itself": {one, []string{promise.Clean}, []event.Event{until(entrySet(1, 1, k), time.Hour), done},
			""},
		"a key that ended by itself, and does no more": {one, []string{promise.Clean}, []event.Event{
			until(entrySet(1, 1, k), time.Hour), expiresAt(1, 0), done}, promise.Clean},
		"a key of a lease": {one, []string{promise.Clean}, []event.Event{leaseOf(event.LeaseGranted), withLease(entrySet(1, 1,
			k)), done}, ""},
		"a key that has the number of a lease that is over": {one, []string{promise.Clean}, []event.Event{
			leaseOf(event.LeaseGranted), leaseOf(event.LeaseEnded), withLease(entrySet(1, 1, k)), done}, promise.Clean},
		"a row that is below no root": {one, []string{promise.Clean}, []event.Event{entrySet(1, 1, "stock/n"), done},
			promise.Clean},
		"a row that is meant to stay": {one, []string{promise.Clean}, []event.Event{entrySet(1, 1, "fence/n"), done}, ""},

		"an item that is lost": {one, []string{promise.Once}, []event.Event{entrySet(1, 1, "/r/i"), produced, entryGone(1, 2,
			"/r/i"), {Kind: event.ClientCrashed, Actor: 2}, done}, promise.Once},
		"an item that is taken": {one, []string{promise.Once}, []event.Event{entrySet(1, 1, "/r/i"), produced, entryGone(1, 2,
			"/r/i"), reports(2, program.Consumed, "/r/i"), done}, ""},
		"an item that is back": {one, []string{promise.Once}, []event.Event{entrySet(1, 1, "/r/i"), produced,
			ofTx(event.TxBegan, 2, 0), inTx(entryGone(1, 2, "/r/i")), {Kind: event.ClientCrashed, Actor: 2},
			ofTx(event.TxEnded, 2, event.ByRollback), done}, ""},
		"an item whose taking is committed, and that is lost": {one, []string{promise.Once}, []event.Event{
			entrySet(1, 1, "/r/i"), produced, ofTx(event.TxBegan, 2, 0), inTx(entryGone(1, 2, "/r/i")),
			ofTx(event.TxEnded, 2, event.ByCommit), done}, promise.Once},
		"an item that is replayed": {pair, []string{promise.Once}, []event.Event{entrySet(1, 1, "/r/i"), produced,
			entryGone(2, 2, "/r/i"), done}, ""},
		"an item that is past": {one, []string{promise.Once}, []event.Event{entrySet(1, 1, "/r/i"), produced,
			entryGone(1, 0, "/r/i"), done}, ""},

		"an item that is left": {one, []string{promise.AllDone}, []event.Event{put,
			entrySet(1, 1, "/r/i"), answers(2, 0)[0],
			answers(2, 0)[1], reports(2, program.Waiting, ""), {Kind: event.ClientExited, Actor: 2}, done}, promise.AllDone},
		"an item that came after the answer was sent": {one, []string{promise.AllDone}, []event.Event{put,
			answers(2, 0)[0],
			entrySet(1, 1, "/r/i"), answers(2, 0)[1], reports(2, program.Waiting, ""), {Kind: event.ClientExited, Actor: 2},
			done}, ""},
		"an item of which no answer came": {one, []string{promise.AllDone}, []event.Event{put,
			entrySet(1, 1, "/r/i"),
			answers(2, 0)[0], answers(2, program.ErrLost)[1], reports(2, program.Waiting, ""), {Kind: event.ClientExited,
				Actor: 2}, done}, ""},
		"an item that was not committed": {one, []string{promise.AllDone}, []event.Event{put,
			ofTx(event.TxBegan, 1, 0),
			inTx(entrySet(1, 1, "/r/i")), ofTx(event.TxEnded, 1, event.ByRollback), answers(2, 0)[0], answers(2, 0)[1],
			reports(2, program.Waiting, ""), {Kind: event.ClientExited, Actor: 2}, done}, ""},
		"an item that is done": {one, []string{promise.AllDone}, []event.Event{put,
			entrySet(1, 1, "/r/i"), answers(2, 0)[0],
			answers(2, 0)[1], reports(2, program.Waiting, ""), entryGone(1, 2, "/r/i"), {Kind: event.ClientExited, Actor: 2},
			done}, ""},
		"an entry that is no item": {one, []string{promise.AllDone}, []event.Event{put, entrySet(1, 1, "/s/i"),
			answers(2, 0)[0], answers(2, 0)[1], reports(2, program.Waiting, ""), {Kind: event.ClientExited, Actor: 2},
			done}, ""},

		"in the order of their keys": {one, []string{promise.Order}, []event.Event{entrySet(1, 1, "/r/a"),
			entrySet(1, 2, "/r/b"), reports(1, program.Holding, "/r/a"), reports(2, program.Holding, "/r/b")}, ""},
		"out of the order of their keys": {one, []string{promise.Order}, []event.Event{entrySet(1, 1, "/r/a"),
			entrySet(1, 2, "/r/b"), reports(2, program.Holding, "/r/b"), reports(1, program.Holding, "/r/a")}, promise.Order},
		"late, and its key is gone": {one, []string{promise.Order}, []event.Event{entrySet(1, 1, "/r/a"),
			entrySet(1, 2, "/r/b"), reports(2, program.Holding, "/r/b"), entryGone(1, 0, "/r/a"),
			reports(1, program.Holding, "/r/a")}, ""},
		"served as they came": {one, []string{promise.Order}, []event.Event{kept(event.RequestWaits, 2, 0),
			kept(event.RequestWaits, 3, 0), kept(event.RequestServed, 2, 0), kept(event.RequestServed, 3, 0)}, ""},
		"served before another": {one, []string{promise.Order}, []event.Event{kept(event.RequestWaits, 2, 0),
			kept(event.RequestWaits, 3, 0), kept(event.RequestServed, 3, 0), kept(event.RequestServed, 2, 0)}, promise.Order},
		"another had waited too long": {one, []string{promise.Order}, []event.Event{kept(event.RequestWaits, 2, 0),
			kept(event.RequestWaits, 3, 0), kept(event.RequestServed, 2, event.ByTimer), kept(event.RequestServed, 3, 0)}, ""},
		"one gives up first": {one, []string{promise.Order}, []event.Event{kept(event.RequestWaits, 2, 0),
			kept(event.RequestWaits, 3, 0), kept(event.RequestServed, 3, event.ByDeadlock)}, ""},
		"the node was down": {one, []string{promise.Order}, []event.Event{kept(event.RequestWaits, 2, 0), {
			Kind: event.ServerStopped, Actor: event.Node(1)}, kept(event.RequestWaits, 3, 0), kept(event.RequestServed, 3, 0)},
			""},

		"one who is kept waiting does not spin": {one, []string{promise.Progress}, append([]event.Event{{
			Kind: event.ClientStarted, Actor: 1}}, slices.Repeat([]event.Event{{Kind: event.OpSent, Actor: 1,
			Peer: event.Node(1), Op: event.Command}, kept(event.RequestWaits, 1, 0)}, 300)...), ""},
		"who is left when nothing happens any more": {one, []string{promise.Progress}, []event.Event{{
			Kind: event.ClientStarted, Actor: 1}, kept(event.RequestWaits, 1, 0), {Kind: event.RunEnded,
			Reason: event.EndStuck}}, promise.Progress},
		"a poller does not spin": {one, []string{promise.Progress}, append([]event.Event{{Kind: event.ClientStarted,
			Actor: 1}}, slices.Repeat([]event.Event{{Kind: event.OpSent, Actor: 1, Peer: event.Node(1), Op: event.Command},
			{Kind: event.TryFailed, Actor: 1}}, 300)...), ""},
		"one who asks without a pause does": {one, []string{promise.Progress}, append([]event.Event{{
			Kind: event.ClientStarted, Actor: 1}}, slices.Repeat([]event.Event{{Kind: event.OpSent, Actor: 1,
			Peer: event.Node(1), Op: event.Command}}, 300)...), promise.Progress},
	} {
		var got []string
		for _, v := range verdict(c.system, c.rules, c.log...).Violations {
			got = append(got, v.Rule)
			if err := checkSaid(v); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		slices.Sort(got)
		want := strings.Fields(c.breaks)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: broken are %q, want %q", name, got, want)
		}
	}
}

// TestWakeupsByNodes counts the clients that a node serves or sends something, and finds the release that wakes two.
func TestWakeupsByNodes(t *testing.T) {
	one := event.System{Kind: event.RedisSystem, Servers: 1}
	release := event.Event{Kind: event.OpSent, Actor: 1, Peer: event.Node(1), Op: event.Command}
	served := func(a event.Actor, why event.Reason) event.Event {
		return event.Event{Kind: event.RequestServed, Actor: event.Node(1), Peer: a, Cause: 1, Reason: why}
	}
	push := func(a event.Actor) []event.Event {
		return []event.Event{{Kind: event.PushSent, Actor: event.Node(1), Peer: a, Cause: 1},
			{Kind: event.PushDelivered, Actor: a, Peer: event.Node(1)}}
	}
	for name, c := range map[string]struct {
		log           []event.Event
		woken, wasted int
		herd          bool
	}{
		"one is served":           {[]event.Event{release, served(2, 0), reports(2, program.Holding, "k")}, 1, 0, false},
		"one has waited too long": {[]event.Event{release, served(2, event.ByTimer)}, 0, 0, false},
		"two are served":          {[]event.Event{release, served(2, 0), served(3, 0)}, 2, 0, true},
		"two are told": {slices.Concat([]event.Event{release}, push(2), push(3),
			[]event.Event{reports(2, program.Holding, "k"), {Kind: event.RunEnded, Reason: event.EndAllDone}}), 2, 1, true},
	} {
		r := verdict(one, []string{promise.OneWakeup}, c.log...)
		if r.Figures.ByRelease != c.woken || r.Figures.Wasted != c.wasted || (len(r.Violations) > 0) != c.herd {
			t.Errorf("%s: %d woken, %d in vain, broken: %v", name, r.Figures.ByRelease, r.Figures.Wasted, r.Violations)
		}
	}
}
