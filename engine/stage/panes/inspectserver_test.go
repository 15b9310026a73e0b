package panes_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/panes"
)

// TestInspectServer checks a server's state, its epochs, the positions in its log, and its clients.
func TestInspectServer(t *testing.T) {
	s := &view.State{
		Clients: []view.Client{{Server: event.Server(2)}, {}, {Server: event.Server(2)}},
		Watches: view.Watches{List: []view.Watch{{Client: 1}, {Client: 2}, {Client: 3, Over: true}, {Client: 3}}},
		Ensemble: view.Ensemble{Servers: []view.Server{
			{Current: 1, Accepted: 1, Logged: 1<<32 | 4},
			{Up: true, Phase: event.Broadcasting, Leader: event.Server(3), Current: 2, Accepted: 2, Logged: 2<<32 | 3,
				Synced: 2<<32 | 2, Delivered: 2<<32 | 1},
			{Up: true, Phase: event.Broadcasting, Leader: event.Server(3), Current: 2, Accepted: 2},
			{Up: true, Phase: event.Electing, Ballot: view.Ballot{Vote: view.Vote{For: event.Server(3)}}, Current: 1,
				Accepted: 2},
			{Up: true, Paused: true}, {Up: true},
		}},
	}
	for n, want := range []string{
		"state: is down, epoch: 1, in its log: 0x100000004, on its disk: 0x0, applied: 0x0",
		"state: follows, follows: S3, epoch: 2, in its log: 0x200000003, on its disk: 0x200000002, applied: 0x200000001, " +
			"clients: A C, watches: 2",
		"state: leads, epoch: 2, in its log: 0x0, on its disk: 0x0, applied: 0x0",
		"state: votes, votes for: S3, epoch: 1, promised epoch: 2, in its log: 0x0, on its disk: 0x0, applied: 0x0",
		"state: is paused, epoch: 0, in its log: 0x0, on its disk: 0x0, applied: 0x0",
		"state: votes, epoch: 0, in its log: 0x0, on its disk: 0x0, applied: 0x0",
	} {
		in := panes.Inspect(s, 0, fmt.Sprintf("server-%d", n+1), "", say(t))
		var facts []string
		for _, f := range in.Facts {
			facts = append(facts, f.Name+": "+f.Value)
		}
		if got := strings.Join(facts, ", "); got != want || in.Title != fmt.Sprintf("Server %d", n+1) {
			t.Errorf("%s: %s, want %s", in.Title, got, want)
		}
	}
	for _, id := range []string{"server-7", "server-0", "server-x", "server-"} {
		if in := panes.Inspect(s, 0, id, "", say(t)); in.Title != "" {
			t.Errorf("%s is %s", id, in.Title)
		}
	}
}

// TestInspectVotes checks that an electing server has a table of the votes that it has received, with the deciding
// fields marked.
func TestInspectVotes(t *testing.T) {
	s := &view.State{}
	apply := func(e event.Event) {
		e.Seq, e.Actor = s.Seq+1, event.Server(2)
		s.Apply(e)
	}
	cast := func(who int, zxid int64, epoch int32, round int64) {
		apply(event.Event{Kind: event.VoteCast, Peer: event.Server(who), Zxid: zxid, Code: epoch, N: round})
	}
	hear := func(from, who int, zxid int64, epoch int32, round int64) {
		apply(event.Event{Kind: event.MsgReceived, Op: event.Notification, Peer: event.Server(from), Zxid: zxid, Code: epoch,
			N: round, Text: event.Server(who).String()})
	}
	table := func() string {
		var b strings.Builder
		tab := panes.Inspect(s, 0, "server-2", "", say(t)).Table
		for _, row := range tab.Rows {
			for _, c := range row {
				b.WriteString(c.Text)
				if c.Marked {
					b.WriteString("!")
				}
				b.WriteString(" ")
			}
			b.WriteString("\n")
		}
		return b.String()
	}
	apply(event.Event{Kind: event.ServerStarted})
	apply(event.Event{Kind: event.ServerPhase, Text: string(event.Electing)})
	s.Ensemble.Servers = append(s.Ensemble.Servers, make([]view.Server, 3)...)
	if got := table(); got != "" {
		t.Errorf("before the first vote the table is\n%s", got)
	}
	cast(2, 5, 1, 3)
	hear(1, 1, 7, 1, 3)
	cast(1, 7, 1, 3)
	hear(3, 3, 9, 0, 3)
	hear(5, 5, 9, 9, 2)
	hear(4, 1, 7, 1, 3)
	const want = "S1 1 0x7 S1 3 \nS2 1 0x7! S1 3 \nS3 0! 0x9 S3 3 \nS4 1 0x7 S1 3 \nS5 9 0x9 S5 2! \n"
	if got := table(); got != want {
		t.Errorf("the table is\n%swant\n%s", got, want)
	}
	tab := panes.Inspect(s, 0, "server-2", "", say(t)).Table
	got := strings.Join(tab.Heads, " ")
	if got != "server epoch zxid for round" || tab.Title == "" || tab.Mark == "" {
		t.Errorf("the heads are %q, below %q, with %q", got, tab.Title, tab.Mark)
	}
	apply(event.Event{Kind: event.ServerPhase, Text: string(event.Discovering), Peer: event.Server(1)})
	if got := table(); got != "" {
		t.Errorf("after the election the table is\n%s", got)
	}
}

// TestInspectSync checks that the inspector says how a server synchronizes, by which rule, and what its leader has in
// memory.
func TestInspectSync(t *testing.T) {
	s := &view.State{Ensemble: view.Ensemble{Servers: make([]view.Server, 3)}}
	s.Ensemble.Servers[2] = view.Server{Up: true, Phase: event.Synchronizing, Leader: event.Server(1)}
	for _, c := range []struct {
		op   event.Op
		rule int32
		want string
	}{
		{event.Diff, 1, "DIFF by rule 1: has all that S1 has"},
		{event.Diff, 4, "DIFF by rule 4: gets from S1 what follows 0x5"},
		{event.Trunc, 2, "TRUNC by rule 2: S1 has it cut off what follows 0x4"},
		{event.Snap, 5, "SNAP by rule 5: gets a copy of all that S1 has"},
	} {
		s.Apply(event.Event{Seq: s.Seq + 1, Actor: event.Server(1), Kind: event.SyncChosen, Peer: event.Server(3), Op: c.op,
			Code: c.rule, Zxid: 5, N: 4, Text: event.WindowText(2, 7)})
		want := c.want + ", S1 has 0x2 to 0x7 at hand, and this server's log ended with 0x5"
		in := panes.Inspect(s, 0, "server-3", "", say(t))
		if !slices.ContainsFunc(in.Facts, func(f panes.Fact) bool { return f.Name == "catches up" && f.Value == want }) {
			t.Errorf("%v has no %q", in.Facts, want)
		}
	}
	s.Apply(event.Event{Seq: s.Seq + 1, Actor: event.Server(3), Kind: event.ServerPhase, Text: string(event.Broadcasting)})
	for _, f := range panes.Inspect(s, 0, "server-3", "", say(t)).Facts {
		if f.Name == "catches up" {
			t.Error("it catches up while it serves")
		}
	}
}

// TestInspectServerFromOutside checks that a server known from outside has an address, a state and clients only.
func TestInspectServerFromOutside(t *testing.T) {
	s := &view.State{
		Header:  event.Header{Systems: []event.System{{Addresses: []string{"a:1", "b\u202e:2", "c:3"}}}},
		Clients: []view.Client{{Server: event.Server(2)}},
		Ensemble: view.Ensemble{Servers: []view.Server{
			{Up: true, Outside: true, Phase: event.Broadcasting, Leader: event.Server(2)},
			{Up: true, Outside: true, Phase: event.Broadcasting, Leader: event.Server(2), Delivered: 2<<32 | 1},
			{Up: true, Outside: true}, {Outside: true}, {Up: true, Outside: true, Phase: event.NotServing},
		}},
	}
	for n, want := range []string{
		"address: a:1, state: follows, follows: S2",
		"address: b·:2, state: leads, applied: 0x200000001, clients: A",
		"address: c:3, state: answers, but doesn't say whether it leads",
		"state: can't be reached",
		"state: has no leader, and serves nobody",
	} {
		in := panes.Inspect(s, 0, fmt.Sprintf("server-%d", n+1), "", say(t))
		var facts []string
		for _, f := range in.Facts {
			facts = append(facts, f.Name+": "+f.Value)
		}
		if got := strings.Join(facts, ", "); got != want {
			t.Errorf("%s: %q, want %q", in.Title, got, want)
		}
	}
}

// TestInspectClocks checks whom a server doesn't hear from, and what is known of a client and of its last write.
func TestInspectClocks(t *testing.T) {
	s := view.NewFor(event.Header{Host: event.Simulated,
		Systems: []event.System{{Kind: event.ZooKeeperSystem, Servers: 3, SyncLimit: 10 * time.Second}}})
	one, three := event.Server(1), event.Server(3)
	for i, e := range []event.Event{
		{Kind: event.ServerStarted, Actor: one}, {Kind: event.ServerStarted, Actor: three},
		{Kind: event.ServerPhase, Actor: one, Peer: three, Text: string(event.Broadcasting)},
		{Kind: event.ServerPhase, Actor: three, Peer: three, Text: string(event.Broadcasting)},
		{Kind: event.ClientStarted, Actor: 1}, {Kind: event.SessionCreated, Peer: 1, Session: 7, N: int64(time.Minute)},
		{Kind: event.RecipePhase, Actor: 1, Text: "waiting", Path: "/a-1"},
		{Kind: event.ConnOpened, Actor: 1, Peer: one, Session: 7},
		{Kind: event.MsgReceived, Actor: three, Peer: one, Op: event.Forward},
		{Kind: event.TxnProposed, Actor: three, Peer: 1, Session: 7, Zxid: 1<<32 | 5, Op: event.Create, Path: "/a", Cause: 9},
		{Kind: event.MsgSent, Actor: three, Peer: one, Op: event.Proposal, Zxid: 1<<32 | 5, Cause: 10},
		{Kind: event.MsgReceived, Actor: one, Peer: three, Op: event.Proposal, Zxid: 1<<32 | 5, Cause: 11},
		{Kind: event.OpDone, Actor: 1, Op: event.Create, Path: "/a", Zxid: 1<<32 | 5},
		{Kind: event.SessionTouched, Actor: three, Peer: 1, Session: 7, Code: 2},
	} {
		e.Seq, e.At = event.Seq(i+1), time.Millisecond
		s.Apply(e)
	}
	fact := func(id string, at time.Duration, name string) (all string) {
		for _, f := range panes.Inspect(s, at, id, "", say(t)).Facts {
			if f.Name == name {
				all += f.Value
			}
		}
		return all
	}
	for _, c := range []struct {
		id, name, want string
		at             time.Duration
	}{
		{"server-1", "hears nothing from", "", time.Second},
		{"server-1", "hears nothing from", "S3, gives up in 7.0 s", 3 * time.Second},
		{"server-3", "hears nothing from", "S1, gives up in 7.0 s", 3 * time.Second},
		{"server-3", "last write or sync", "create a: 2 messages between servers", 0},
		{"server-1", "last write or sync", "", 0},
		{"client-1", "last write or sync", "create a: 2 messages between servers", 0},
		{"client-1", "last zxid seen", "0x100000005", 0},
		{"client-1", "the leader has it at", "S2", 0},
		{"client-1", "connected to", "S1", 0},
	} {
		if got := fact(c.id, c.at, c.name); got != c.want {
			t.Errorf("%s at %v: %s: %q, not %q", c.id, c.at, c.name, got, c.want)
		}
	}
}
