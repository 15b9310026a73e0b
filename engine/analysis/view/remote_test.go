package view_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// far folds events of two nodes, a primary and its replica.
func far(t *testing.T, events ...event.Event) *view.State {
	t.Helper()
	s := view.NewFor(event.Header{Clients: 3, Systems: []event.System{{Kind: event.RedisSystem, Servers: 2}}})
	for i, e := range events {
		e.Seq, e.At = event.Seq(i+1), time.Duration(i)*time.Millisecond
		s.Apply(e)
	}
	return s
}

func entry(node int, by event.Actor, path string) event.Event {
	return event.Event{Kind: event.EntrySet, Actor: event.Node(node), Peer: by, Path: path, Text: "v"}
}

func entryGone(node int, path string) event.Event {
	return event.Event{Kind: event.EntryGone, Actor: event.Node(node), Path: path, Reason: event.ByTimer}
}

func lockAt(kind event.Kind, by event.Actor, path string) event.Event {
	return event.Event{Kind: kind, Actor: event.Node(1), Peer: by, Path: path}
}

func believes(by event.Actor, p program.Phase, path string) event.Event {
	return event.Event{Kind: event.RecipePhase, Actor: by, Text: string(p), Path: path}
}

func robbedOf(path string) event.Event {
	return event.Event{Kind: event.EntryGone, Actor: event.Node(1), Peer: 3, Path: path, Reason: event.ByOp}
}

func endsAt(e event.Event, end time.Duration) event.Event {
	e.N = int64(end)
	return e
}

// TestInsideByAnEntryOrALock checks by whose account a client that believes so is inside.
func TestInsideByAnEntryOrALock(t *testing.T) {
	holds := believes(1, program.Holding, "k")
	failover := []event.Event{
		{Kind: event.RolePlayed, Actor: event.Node(2), Text: event.RolePrimary},
		{Kind: event.RolePlayed, Actor: event.Node(1), Text: event.RoleReplica, Peer: event.Node(2)},
	}
	for name, c := range map[string]struct {
		log  []event.Event
		want bool
	}{
		"its own entry":       {[]event.Event{entry(1, 1, "k"), holds}, true},
		"no entry":            {[]event.Event{holds}, false},
		"another's entry":     {[]event.Event{entry(1, 2, "k"), holds}, false},
		"an entry elsewhere":  {[]event.Event{entry(1, 1, "l"), holds}, false},
		"only at the replica": {[]event.Event{entry(2, 1, "k"), holds}, false},
		"gone since":          {[]event.Event{entry(1, 1, "k"), holds, entryGone(1, "k")}, false},
		"robbed since":        {[]event.Event{entry(1, 1, "k"), holds, robbedOf("k"), entry(1, 2, "k")}, true},
		"robbed, and it would have ended": {[]event.Event{endsAt(entry(1, 1, "k"), 2*time.Millisecond), holds,
			robbedOf("k"), entry(1, 2, "k")}, false},
		"robbed, and it would end now": {[]event.Event{endsAt(entry(1, 1, "k"), 3*time.Millisecond), holds,
			robbedOf("k"), entry(1, 2, "k")}, true},
		"robbed at a node that is primary no more": {slices.Concat([]event.Event{entry(1, 1, "k"), holds,
			robbedOf("k")}, failover), false},
		"another's since": {[]event.Event{entry(1, 1, "k"), holds, entry(1, 2, "k")}, false},
		"prolonged by another": {[]event.Event{entry(1, 1, "k"), holds, {Kind: event.EntryExpires,
			Actor: event.Node(1), Peer: 2, Path: "k", N: 9}}, true},
		"a lock": {[]event.Event{lockAt(event.LockTaken, 1, "k"), holds}, true},
		"freed since": {[]event.Event{entry(1, 1, "k"), lockAt(event.LockTaken, 1, "k"), holds,
			lockAt(event.LockFreed, 1, "k")}, false},
		"its own entry, which it has locked": {[]event.Event{entry(1, 1, "k"), lockAt(event.LockTaken, 1, "k"),
			entry(1, 1, "k"), lockAt(event.LockFreed, 1, "k"), holds}, false},
		"its own entry, which it has made under a lock": {[]event.Event{lockAt(event.LockTaken, 1, "k"), entry(1, 1, "k"),
			lockAt(event.LockFreed, 1, "k"), holds}, true},
		"a primary that knows it":  {slices.Concat([]event.Event{entry(1, 1, "k"), entry(2, 1, "k"), holds}, failover), true},
		"a primary that knows not": {slices.Concat([]event.Event{entry(1, 1, "k"), holds}, failover), false},
		"the node is back":         {[]event.Event{entry(1, 1, "k"), holds, entryGone(1, "k"), entry(1, 1, "k")}, false},
	} {
		if got := far(t, c.log...).Clients[0].Inside; got != c.want {
			t.Errorf("%s: inside is %t", name, got)
		}
	}
}

// TestInsideOfMost checks that a majority of independent nodes must grant it.
func TestInsideOfMost(t *testing.T) {
	for n := range 6 {
		s := view.NewFor(event.Header{Clients: 1, Systems: []event.System{
			{Kind: event.RedisSystem, Servers: 5, Apart: true}}})
		for i := range n {
			s.Apply(entry(i+1, 1, "k"))
		}
		s.Apply(believes(1, program.Holding, "k"))
		if got := s.Clients[0].Inside; got != (n >= 3) {
			t.Errorf("with %d of 5 nodes it is inside: %t", n, got)
		}
	}
}

// TestInsideWhileANodeIsDown checks that a client of independent nodes stays inside while a node that forgot its entry
// is down, since nobody else can get a majority, and no longer than that or than its entries.
func TestInsideWhileANodeIsDown(t *testing.T) {
	const ends = 20 * time.Millisecond
	node := func(n int, kind event.Kind) event.Event { return event.Event{Kind: kind, Actor: event.Node(n)} }
	forgets := func(n int) []event.Event {
		gone := entryGone(n, "k")
		gone.Reason = event.ByRestart
		return []event.Event{node(n, event.ServerStopped), gone}
	}
	held := []event.Event{endsAt(entry(1, 1, "k"), ends), endsAt(entry(2, 1, "k"), ends), endsAt(entry(3, 1, "k"), ends)}
	holds := []event.Event{believes(1, program.Holding, "k")}
	wait := slices.Repeat([]event.Event{endsAt(entry(4, 2, "k"), ends)}, 20)
	var many []event.Event
	for i := range 2 * view.MaxOver {
		path := fmt.Sprint("other", i)
		many = append(many, entry(4, 2, path), entryGone(4, path))
	}
	for name, c := range map[string]struct {
		log  [][]event.Event
		want bool
	}{
		"down":                   {[][]event.Event{held, holds, forgets(3)}, true},
		"down before it knows":   {[][]event.Event{held, forgets(3), holds}, true},
		"down, and another asks": {[][]event.Event{held, holds, forgets(3), {entry(4, 2, "k"), entry(5, 2, "k")}}, true},
		"back":                   {[][]event.Event{held, holds, forgets(3), {node(3, event.ServerStarted)}}, false},
		"down again": {[][]event.Event{held, forgets(3), {node(3, event.ServerStarted), node(3, event.ServerStopped)},
			holds}, false},
		"it gives one back":        {[][]event.Event{held, holds, forgets(3), {entryGone(2, "k")}}, false},
		"two others are down, too": {[][]event.Event{held, holds, forgets(3), forgets(2), forgets(1)}, true},
		"its time is over":         {[][]event.Event{held, holds, forgets(3), forgets(2), wait}, false},
		"many others come and go": {[][]event.Event{held[:2], {entry(3, 1, "k")}, holds, forgets(3), many,
			{entry(4, 2, "k")}}, true},
		"deleted, and down":         {[][]event.Event{held, holds, {entryGone(3, "k"), node(3, event.ServerStopped)}}, false},
		"others only are forgotten": {[][]event.Event{held[:2], {entry(3, 2, "k")}, forgets(3), holds}, false},
	} {
		s := view.NewFor(event.Header{Clients: 2, Systems: []event.System{
			{Kind: event.RedisSystem, Servers: 5, Apart: true}}})
		for i, e := range slices.Concat(c.log...) {
			e.Seq, e.At = event.Seq(i+1), time.Duration(i+1)*time.Millisecond
			s.Apply(e)
		}
		if got := s.Clients[0].Inside; got != c.want {
			t.Errorf("%s: inside is %t", name, got)
		}
	}
}

// TestWaitersStandInLine: those who wait for the same stand in the order of their requests, and leave when served.
func TestWaitersStandInLine(t *testing.T) {
	waits := func(kind event.Kind, by event.Actor, why event.Reason) event.Event {
		return event.Event{Kind: kind, Actor: event.Node(1), Peer: by, Path: "row", Reason: why}
	}
	s := far(t, waits(event.RequestWaits, 2, 0), waits(event.RequestWaits, 1, 0), waits(event.RequestWaits, 3, 0),
		waits(event.RequestServed, 2, event.NoReason), waits(event.RequestServed, 3, event.ByDeadlock))
	var line []event.Actor
	for _, k := range s.Remotes.Kept {
		if !k.Over {
			line = append(line, k.Client)
		}
	}
	if !slices.Equal(line, []event.Actor{1}) || s.Clients[0].KeptAt != event.Node(1) || s.Clients[1].KeptAt != 0 {
		t.Errorf("there wait %v", line)
	}
	if s.Clients[1].Woken != 1 || s.Clients[2].Woken != 0 || s.Wakeups.ByRelease != 1 {
		t.Errorf("woken: %d and %d, by release %d", s.Clients[1].Woken, s.Clients[2].Woken, s.Wakeups.ByRelease)
	}
}

// TestFarListsAreTheModel compares the lists of what nodes hold with a fold that is as plain as possible.
func TestFarListsAreTheModel(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := view.NewFor(event.Header{Clients: 80, Systems: []event.System{{Kind: event.RedisSystem, Servers: 3}}})
		there := map[string]string{}
		put := func(what, is string, e event.Event) {
			if key := fmt.Sprint(what, e.Actor, " ", e.Path, e.Session); is == "" {
				delete(there, key)
			} else {
				there[key] = is
			}
		}
		for n := range 800 {
			e := event.Event{Seq: event.Seq(n + 1), At: time.Duration(n) * 20 * time.Millisecond,
				Actor: event.Node(1 + r.IntN(3)), Peer: event.Actor(1 + r.IntN(80))}
			e.Kind = []event.Kind{event.EntrySet, event.EntryGone, event.TxBegan, event.TxEnded, event.LeaseGranted,
				event.LeaseRenewed, event.LeaseEnded}[r.IntN(7)]
			switch e.Kind {
			case event.EntrySet, event.EntryGone:
				e.Path = fmt.Sprint("k", r.IntN(40))
			default:
				e.Session = int64(r.IntN(40))
			}
			who := e.Peer.String()
			switch key := fmt.Sprint(e.Actor, " ", e.Path, e.Session); e.Kind {
			case event.EntrySet:
				put("entry ", who, e)
			case event.EntryGone:
				put("entry ", "", e)
			case event.TxBegan:
				if there["tx "+key] == "" {
					put("tx ", who, e)
				}
			case event.TxEnded:
				put("tx ", "", e)
			case event.LeaseEnded:
				put("lease ", "", e)
			default:
				if there["lease "+key] == "" {
					put("lease ", who, e)
				}
			}
			if s.Apply(e); n%50 == 0 {
				s = s.Clone()
			}
		}
		got := map[string]string{}
		for _, x := range s.Remotes.Entries {
			if !x.Gone {
				got[fmt.Sprint("entry ", x.Node, " ", x.Path, 0)] = x.Owner.String()
			}
		}
		for _, x := range s.Remotes.Txs {
			if !x.Over {
				got[fmt.Sprint("tx ", x.Node, " ", x.Session)] = x.Client.String()
			}
		}
		for _, x := range s.Remotes.Leases {
			if !x.Over {
				got[fmt.Sprint("lease ", x.Node, " ", x.Session)] = x.Client.String()
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(there) {
			t.Fatalf("seed %d: got\n%v\nwant\n%v", seed, got, there)
		}
		all := &s.Remotes
		if over := len(all.Entries) + len(all.Txs) + len(all.Leases) - len(got); over > 5*(view.MaxOver+80) {
			t.Errorf("seed %d: %d are kept that are over", seed, over)
		}
	}
}

// TestReadFromARow: a client that reports the version of a row it saw has read the first value of the reply before.
func TestReadFromARow(t *testing.T) {
	done := func(text string) event.Event {
		return event.Event{Kind: event.OpDone, Actor: 1, Peer: event.Node(1), Op: event.Command, Path: "row", Text: text}
	}
	saw := event.Event{Kind: event.RecipePhase, Actor: 1, Path: "row", Text: string(program.Saw), N: 7}
	log := []event.Event{done("2 | 7"), saw, done("UPDATE 1")}
	want := view.Learnt{Op: event.Get, Path: "row", There: true, Data: "2"}
	if got := far(t, log...).Clients[0].Value; got != want {
		t.Errorf("it has read %+v, want %+v", got, want)
	}
	if got := far(t, log[0]).Clients[0].Value; got != (view.Learnt{}) {
		t.Errorf("before it says so it has read %+v", got)
	}
}

// TestListening checks that a client listens from the answer to its request on, whatever else it asks, until a
// one-time notification arrives or its last connection ends.
func TestListening(t *testing.T) {
	ask := func(path string, how event.Watch) event.Event {
		return event.Event{Kind: event.OpSent, Actor: 1, Peer: event.Node(1), Op: event.Command, Path: path, Watch: how}
	}
	done := func(path string, code int32) event.Event {
		return event.Event{Kind: event.OpDone, Actor: 1, Peer: event.Node(1), Op: event.Command, Path: path, Code: code}
	}
	opened := event.Event{Kind: event.ConnOpened, Actor: 1, Peer: event.Node(1)}
	told := event.Event{Kind: event.PushDelivered, Actor: 1, Peer: event.Node(1), Path: "k"}
	other := []event.Event{ask("lease", event.NoWatch), done("lease", 0)}
	once, always := ask("k", event.DataWatch), ask("k", event.PersistentWatch)
	for name, c := range map[string]struct {
		log  []event.Event
		want string
	}{
		"asked":                  {[]event.Event{once}, ""},
		"answered":               {[]event.Event{once, done("k", 0)}, "k"},
		"refused":                {[]event.Event{once, done("k", 1)}, ""},
		"with something between": {slices.Concat([]event.Event{once}, other, []event.Event{done("k", 0)}, other), "k"},
		"told once":              {[]event.Event{once, done("k", 0), told}, ""},
		"told for good":          {[]event.Event{always, done("k", 0), told}, "k"},
		"told of another": {[]event.Event{once, done("k", 0), {Kind: event.PushDelivered, Actor: 1, Peer: event.Node(1),
			Path: "l"}}, "k"},
		"cut off": {[]event.Event{opened, always, done("k", 0), {Kind: event.ConnClosed, Actor: 1,
			Peer: event.Node(1)}}, ""},
		"crashed": {[]event.Event{always, done("k", 0), {Kind: event.ClientCrashed, Actor: 1}}, ""},
	} {
		if got := far(t, c.log...).Clients[0].Listens; got != c.want {
			t.Errorf("%s: it listens to %q, want %q", name, got, c.want)
		}
	}
}
