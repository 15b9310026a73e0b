package check_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/check"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/program"
)

// Logs of what happens at nodes of a system that is not ZooKeeper.

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

// verdict is what rules say of a log with such nodes.
func verdict(s event.System, rules []string, log ...event.Event) check.Report {
	c := check.New(rules, event.Header{Root: "/r", Clients: 3, Systems: []event.System{s}, Keeps: []string{"fence"}})
	for i, e := range log {
		e.Seq, e.At = event.Seq(i+1), time.Duration(i)*time.Millisecond
		c.Append(e)
	}
	return c.Report()
}

// TestTenure has who is inside by the account of nodes, and which rules that breaks.
func TestTenure(t *testing.T) {
	one := event.System{Kind: event.RedisSystem, Servers: 1}
	pair := event.System{Kind: event.RedisSystem, Servers: 2}
	five := event.System{Kind: event.RedisSystem, Servers: 5, Apart: true}
	const k = "/r/lock"
	aIn, bIn := reports(1, program.Holding, k), reports(2, program.Holding, k)
	done := event.Event{Kind: event.RunEnded, Reason: event.EndAllDone}
	exclusion := []string{check.TruthExclusion, check.BeliefExclusion}
	for name, c := range map[string]struct {
		system event.System
		rules  []string
		log    []event.Event
		breaks string
	}{
		"one after the other": {one, exclusion, []event.Event{entrySet(1, 1, k), aIn, reports(1, program.Released, k),
			entryGone(1, 1, k), entrySet(1, 2, k), bIn}, ""},
		"a key that ended: the first believes, the second is": {one, exclusion, []event.Event{entrySet(1, 1, k), aIn,
			entryGone(1, 0, k), entrySet(1, 2, k), bIn}, check.BeliefExclusion},
		"a key that was deleted by another": {one, exclusion, []event.Event{entrySet(1, 1, k), aIn, entryGone(1, 2, k),
			entrySet(1, 2, k), bIn}, check.TruthExclusion + " " + check.BeliefExclusion},
		"a key that was deleted by another, and would have ended by then": {one, exclusion, []event.Event{
			until(entrySet(1, 1, k), 3*time.Millisecond), aIn, entryGone(1, 2, k), entrySet(1, 2, k), bIn},
			check.BeliefExclusion},
		"a key that was deleted by another, and would not have ended yet": {one, exclusion, []event.Event{
			until(entrySet(1, 1, k), 2*time.Millisecond), until(event.Event{Kind: event.EntryExpires, Actor: event.Node(1),
				Peer: 1, Path: k}, 5*time.Millisecond), aIn, entryGone(1, 2, k), entrySet(1, 2, k), bIn},
			check.TruthExclusion + " " + check.BeliefExclusion},
		"the same by a clock that was set": {one, exclusion, []event.Event{until(entrySet(1, 1, k), time.Second), aIn,
			entryGone(1, 2, k), {Kind: event.ClockJumped, Actor: event.Node(1), N: int64(time.Second)}, entrySet(1, 2, k),
			bIn}, check.BeliefExclusion},
		"a key that was deleted by another, and then set once more": {one, exclusion, []event.Event{entrySet(1, 1, k),
			aIn, entryGone(1, 2, k), entrySet(1, 1, k), entryGone(1, 0, k), entrySet(1, 2, k), bIn},
			check.BeliefExclusion},
		"two keys, two insiders": {one, exclusion, []event.Event{entrySet(1, 1, k), aIn, entrySet(1, 2, "/r/other"),
			reports(2, program.Holding, "/r/other")}, check.TruthExclusion + " " + check.BeliefExclusion},
		"a failover": {pair, exclusion, []event.Event{entrySet(1, 1, k), aIn, role(2, event.RolePrimary, 0),
			role(1, event.RoleReplica, event.Node(2)), entrySet(2, 2, k), bIn}, check.BeliefExclusion},
		"a failover that knows": {pair, exclusion, []event.Event{entrySet(1, 1, k), entrySet(2, 1, k), aIn,
			role(2, event.RolePrimary, 0), role(1, event.RoleReplica, event.Node(2)), entrySet(2, 2, "/r/other"),
			reports(2, program.Holding, "/r/other")}, check.TruthExclusion + " " + check.BeliefExclusion},
		"most of five": {five, exclusion, []event.Event{entrySet(1, 1, k), entrySet(2, 1, k), entrySet(3, 1, k), aIn,
			entryGone(3, 0, k), entrySet(3, 2, k), entrySet(4, 2, k), entrySet(5, 2, k), bIn}, check.BeliefExclusion},
		"most of five, and one of them late": {five, exclusion, []event.Event{entrySet(1, 1, k), entrySet(2, 1, k), aIn,
			entrySet(3, 2, k), entrySet(4, 2, k), entrySet(5, 2, k), bIn}, check.BeliefExclusion},
		"a primary that is gone, and one that knows nothing": {pair, exclusion, []event.Event{entrySet(1, 1, k), aIn,
			{Kind: event.ServerStopped, Actor: event.Node(1)}, role(2, event.RolePrimary, 0), entrySet(2, 2, k), bIn},
			check.BeliefExclusion},
		"a key whose time is past, by another path": {one, exclusion, []event.Event{
			until(entrySet(1, 1, k), 2*time.Millisecond), aIn, entrySet(1, 2, "/r/other"),
			reports(2, program.Holding, "/r/other")}, check.BeliefExclusion},
		"a key that ends just now, and another": {one, exclusion, []event.Event{
			until(entrySet(1, 1, k), 3*time.Millisecond), aIn, entrySet(1, 2, "/r/other"),
			reports(2, program.Holding, "/r/other")}, check.TruthExclusion + " " + check.BeliefExclusion},
		"a key that was prolonged": {one, exclusion, []event.Event{until(entrySet(1, 1, k), 2*time.Millisecond), aIn,
			expiresAt(1, 5*time.Millisecond), entrySet(1, 2, "/r/other"), reports(2, program.Holding, "/r/other")},
			check.TruthExclusion + " " + check.BeliefExclusion},
		"a key that was cut short": {one, exclusion, []event.Event{until(entrySet(1, 1, k), time.Second), aIn,
			expiresAt(1, 3*time.Millisecond), entrySet(1, 2, "/r/other"), reports(2, program.Holding, "/r/other")},
			check.BeliefExclusion},
		"a clock that was set": {one, exclusion, []event.Event{until(entrySet(1, 1, k), time.Second), aIn,
			{Kind: event.ClockJumped, Actor: event.Node(1), N: int64(time.Second)}, entrySet(1, 2, "/r/other"),
			reports(2, program.Holding, "/r/other")}, check.BeliefExclusion},
		"a clock that was set back": {one, exclusion, []event.Event{until(entrySet(1, 1, k), 2*time.Millisecond), aIn,
			{Kind: event.ClockJumped, Actor: event.Node(1), N: -int64(time.Second)}, entrySet(1, 2, "/r/other"),
			reports(2, program.Holding, "/r/other")}, check.TruthExclusion + " " + check.BeliefExclusion},
		"a key that was past when its client heard of it": {one, exclusion, []event.Event{entrySet(1, 2, "/r/other"),
			reports(2, program.Holding, "/r/other"), until(entrySet(1, 1, k), time.Millisecond), aIn}, check.BeliefExclusion},
		"most of five, whose clocks are set": {five, exclusion, []event.Event{until(entrySet(1, 1, k), time.Second),
			entrySet(2, 1, k), entrySet(3, 1, k), aIn, {Kind: event.ClockJumped, Actor: event.Node(1), N: int64(time.Second)},
			reports(2, program.Holding, k)}, check.BeliefExclusion},
		"a lock and no entry": {one, exclusion, []event.Event{lockOf(event.LockTaken, 1, k), aIn,
			lockOf(event.LockFreed, 1, k), lockOf(event.LockTaken, 2, k), bIn}, check.BeliefExclusion},
		"an entry that a lock was on": {one, exclusion, []event.Event{entrySet(1, 1, k), lockOf(event.LockTaken, 1, k), aIn,
			lockOf(event.LockFreed, 1, k), bIn}, check.BeliefExclusion},

		"a late write with the same number": {one, []string{check.Fenced}, []event.Event{entrySet(1, 1, k), aIn,
			entryGone(1, 0, k), entrySet(1, 2, k), bIn, toStore(2, 2), toStore(1, 2)}, check.Fenced},
		"two holders with the same number, in order": {pair, []string{check.Fenced}, []event.Event{entrySet(1, 1, k), aIn,
			toStore(1, 2), role(2, event.RolePrimary, 0), role(1, event.RoleReplica, event.Node(2)), entrySet(2, 2, k), bIn,
			toStore(2, 2)}, check.Fenced},
		"a holder that writes twice with its number": {one, []string{check.Fenced}, []event.Event{entrySet(1, 1, k), aIn,
			toStore(1, 2), toStore(1, 2)}, ""},
		"two holders without numbers": {one, []string{check.Fenced}, []event.Event{entrySet(1, 1, k), aIn, toStore(1, 0),
			entryGone(1, 1, k), entrySet(1, 2, k), bIn, toStore(2, 0)}, ""},
		"two stores with the same number": {one, []string{check.Fenced}, []event.Event{entrySet(1, 1, k), aIn,
			toStore(1, 2), entryGone(1, 1, k), entrySet(1, 2, k), bIn, {Kind: event.StoreWritten, Actor: 2, Path: "other",
				N: 2}}, ""},
		"a holder that has lost its key before it heard of it": {one, []string{check.Fenced}, []event.Event{
			entrySet(1, 1, k), aIn, toStore(1, 1), entryGone(1, 1, k), entrySet(1, 1, k), entryGone(1, 0, k), aIn,
			toStore(1, 2)}, ""},
		"writes in the order of the grants": {one, []string{check.Fenced}, []event.Event{entrySet(1, 1, k), aIn,
			toStore(1, 1), entryGone(1, 0, k), entrySet(1, 2, k), bIn, toStore(2, 2)}, ""},

		"a key that stays": {one, []string{check.Clean}, []event.Event{entrySet(1, 1, k), done}, check.Clean},
		"a lock that stays": {one, []string{check.Clean}, []event.Event{lockOf(event.LockTaken, 1, k), done},
			check.Clean},
		"what is meant to stay": {one, []string{check.Clean}, []event.Event{entrySet(1, 1, "/r/fence"),
			entrySet(1, 0, "/r/row"), entrySet(1, 1, k), entryGone(1, 0, k), done}, ""},
		"a key at a replica": {pair, []string{check.Clean}, []event.Event{entrySet(2, 1, k), done}, ""},

		"a poller does not spin": {one, []string{check.Progress}, append([]event.Event{{Kind: event.ClientStarted,
			Actor: 1}}, slices.Repeat([]event.Event{{Kind: event.OpSent, Actor: 1, Peer: event.Node(1), Op: event.Command},
			{Kind: event.TryFailed, Actor: 1}}, 300)...), ""},
		"one who asks without a pause does": {one, []string{check.Progress}, append([]event.Event{{
			Kind: event.ClientStarted, Actor: 1}}, slices.Repeat([]event.Event{{Kind: event.OpSent, Actor: 1,
			Peer: event.Node(1), Op: event.Command}}, 300)...), check.Progress},
	} {
		var got []string
		for _, v := range verdict(c.system, c.rules, c.log...).Violations {
			got = append(got, v.Rule)
		}
		slices.Sort(got)
		want := strings.Fields(c.breaks)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: broken are %q, want %q", name, got, want)
		}
	}
}

// TestWakeupsByNodes counts those whom a node serves or sends something, and finds the release that wakes two.
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
		r := verdict(one, []string{check.OneWakeup}, c.log...)
		if r.Figures.ByRelease != c.woken || r.Figures.Wasted != c.wasted || (len(r.Violations) > 0) != c.herd {
			t.Errorf("%s: %d woken, %d in vain, broken: %v", name, r.Figures.ByRelease, r.Figures.Wasted, r.Violations)
		}
	}
}
