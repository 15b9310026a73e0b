package check_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

func TestNewestClauses(t *testing.T) {
	const (
		change = "1 writes /c\n1 published /c 2\n"
		ask    = "2 sends-get /c\n2 peeks /c\n"
	)
	for _, rule := range []string{promise.Newest, promise.CaughtUp} {
		judgeClauses(t, rule, onSim, []clause{
			// A client that asks after the report has what was reported, or something newer.
			{change + ask + "...", []string{"2 saw /c 1", "2 saw /c 0", "3 sends-get /c; 1 published /c 3; !2 saw /c 1"},
				[]string{"", "2 saw /c 2", "2 saw /c 3", "2 saw /d 1", "3 saw /c 1", "2 published /c 1",
					"2 waiting /c"}},
			// What it does before it reads is part of its asking,
			{"2 sends-sync /c\n...\n" + ask + "2 saw /c 1", []string{"2 waiting; 1 writes /c; 1 published /c 2; 2 sends-sync /c",
				"2 saw /c 1; 1 published /c 2"},
				[]string{"", "1 writes /c; 1 published /c 2", "1 published /c 2; 3 sends-get /c", "1 published /d 2",
					"1 waiting /c 2", "1 writes /c"}},
			// and a client that has not asked has read nothing.
			{change + "...\n2 saw /c 1", []string{"2 sends-get /c", "2 sends-get /d"}, []string{"", "3 sends-get /c",
				"2 peeks /c", "2 sends-get /c; 2 waiting"}},
			// Among several the first that it lacks counts, and a repeated report is no news.
			{"1 published /c 1\n2 sends-get /c\n...\n2 peeks /c\n2 saw /c 1", nil, []string{"1 published /c 2",
				"1 published /c 1", "3 published /c 0"}},
			{"1 published /c 3\n...\n2 sends-get /c\n2 saw /c 2", []string{"", "1 published /c 1", "3 published /c 4"}, nil},
		})
	}
}

// TestCaughtUpUnderALeader: what another leader published after the reader's server last heard from one is missing
// for a reason.
func TestCaughtUpUnderALeader(t *testing.T) {
	const epoch = int64(1) << 32
	for _, c := range []struct {
		name             string
		wrote, read      int64
		newest, caughtUp string
	}{
		{"the same leader", 2*epoch + 5, 2*epoch + 4, promise.Newest, promise.CaughtUp},
		{"a later leader", 2*epoch + 5, epoch + 9, promise.Newest, ""},
		{"an earlier leader", epoch + 5, 2*epoch + 1, promise.Newest, promise.CaughtUp},
	} {
		for rule, want := range map[string]string{promise.Newest: c.newest, promise.CaughtUp: c.caughtUp} {
			checker := check.New([]string{rule}, event.Header{Host: event.Simulated, Clients: 2})
			for i, e := range []event.Event{
				{Kind: event.ZnodeChanged, Peer: 1, Path: "/c", Zxid: c.wrote},
				{Kind: event.RecipePhase, Actor: 1, Text: string(program.Published), Path: "/c", N: 2},
				{Kind: event.OpSent, Actor: 2, Op: event.Get, Path: "/c"},
				{Kind: event.OpDone, Actor: 2, Op: event.Get, Path: "/c", Zxid: c.read},
				{Kind: event.RecipePhase, Actor: 2, Text: string(program.Saw), Path: "/c", N: 1},
			} {
				e.Seq = event.Seq(i + 1)
				checker.Append(e)
			}
			compare(t, c.name, checker.Report(), want)
		}
	}
}

// TestNewestRemembersSome: the remembered reports also judge a client that is further behind.
func TestNewestRemembersSome(t *testing.T) {
	const many = 40
	text := ""
	for range many {
		text += "1 published /c 1\n"
	}
	events := script(t, text+"2 sends-get /c\n2 saw /c 0")
	for i := range many {
		events[i].N = int64(i + 1)
	}
	events[many] = didOrReported(t, events[many])
	if v := judgeClause(promise.Newest, onSim, events); len(v) != 1 {
		t.Errorf("broken %d times, want once: %+v", len(v), v)
	}
}
