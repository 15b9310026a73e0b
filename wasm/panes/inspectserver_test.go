package panes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
	"github.com/zkviz/zkviz/wasm/panes"
)

// TestInspectServer: what a server of an ensemble does, its epochs, the heads of its log, and who is at it.
func TestInspectServer(t *testing.T) {
	s := &view.State{
		Clients: []view.Client{{Server: event.Server(2)}, {}, {Server: event.Server(2)}},
		Servers: []view.Server{
			{Current: 1, Accepted: 1, Logged: 1<<32 | 4},
			{Up: true, Phase: event.Broadcasting, Leader: event.Server(3), Current: 2, Accepted: 2, Logged: 2<<32 | 3,
				Synced: 2<<32 | 2, Delivered: 2<<32 | 1},
			{Up: true, Phase: event.Broadcasting, Leader: event.Server(3), Current: 2, Accepted: 2},
			{Up: true, Phase: event.Electing, Voter: view.Vote{For: event.Server(3)}, Current: 1, Accepted: 2},
			{Up: true, Paused: true}, {Up: true},
		},
	}
	for n, want := range []string{
		"state: is down, epoch: 1, in its log: 0x100000004, on its disk: 0x0, applied: 0x0",
		"state: follows, follows: S3, epoch: 2, in its log: 0x200000003, on its disk: 0x200000002, applied: 0x200000001, " +
			"clients: A C",
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
