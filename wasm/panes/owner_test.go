package panes_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
	"github.com/zkviz/zkviz/engine/zoo"
	"github.com/zkviz/zkviz/wasm/panes"
)

// factLines is what the inspector says, a fact a line.
func factLines(in panes.Inspected) []string {
	var lines []string
	for _, f := range in.Facts {
		lines = append(lines, f.Name+": "+f.Value)
	}
	return lines
}

// The inspector says of an observed cluster what an observer knows, and no more: whether an owner is inside, or
// blocked, or how long its session lives it is not told.
func TestInspectTheObserved(t *testing.T) {
	f := view.NewHistoryFor(event.Header{Host: "observed", Root: "/app"})
	made := func(path string, who event.Actor, mode zoo.CreateMode, text string) {
		session := int64(who) * 0x10
		if who != 0 {
			f.AppendAll([]event.Event{
				{Kind: event.ClientStarted, Actor: who},
				{Kind: event.SessionCreated, Peer: who, Session: session},
			})
		}
		f.AppendAll([]event.Event{
			{At: time.Second, Kind: event.ZnodeCreated, Peer: who, Session: session, Mode: uint8(mode), Path: path, Text: text,
				N: 4, Zxid: 7},
			{At: time.Second, Kind: event.ZnodeFound, Path: path, N: 1_700_000_000_000},
		})
	}
	made("/app/ghost-lock-0000000007", 0, zoo.PersistentSequential, "dead")
	made("/app/lock-0000000009", 1, zoo.EphemeralSequential, "me")
	made("/app/lock-0000000012", 2, zoo.EphemeralSequential, "")
	s := f.StateAtSeq(event.Seq(f.Len()))
	for selected, want := range map[string][]string{
		"client-2": {
			"session: 0x20", "believes: only it knows", "owns: /app/lock-0000000012", "place: waits, 2 ahead",
			"comes after: lock-009, of client A, session 0x10", "created: 2023-11-14 22:13:20 UTC",
		},
		"/app/lock-0000000009": {
			"path: /app/lock-0000000009", "kind: ephemeral, sequential", "owner: client A, session 0x10",
			"place: waits, 1 ahead", "comes after: ghost-lock-007", "created: 2023-11-14 22:13:20 UTC", "created by: zxid 0x7",
			"data: me (4 bytes)",
		},
		"/app/ghost-lock-0000000007": {
			"path: /app/ghost-lock-0000000007", "kind: persistent, sequential", "owner: nobody: it stays",
			"place: is first in the queue", "created: 2023-11-14 22:13:20 UTC", "created by: zxid 0x7", "data: dead (4 bytes)",
		},
		"/app/lock-0000000012": {
			"path: /app/lock-0000000012", "kind: ephemeral, sequential", "owner: client B, session 0x20",
			"place: waits, 2 ahead", "comes after: lock-009, of client A, session 0x10",
			"created: 2023-11-14 22:13:20 UTC", "created by: zxid 0x7",
			"data: may not be read (4 bytes)",
		},
	} {
		if got := factLines(panes.Inspect(s, 2*time.Second, selected, "", say(t))); !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", selected, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	f.AppendAll([]event.Event{
		{At: 3 * time.Second, Kind: event.ZnodeDeleted, Peer: 2, Path: "/app/lock-0000000012", Reason: event.ByUnknown},
		{At: 3 * time.Second, Kind: event.SessionClosed, Peer: 2, Session: 0x20},
	})
	s = f.StateAtSeq(event.Seq(f.Len()))
	want := []string{"session: 0x20, has owned no znode here since 3.0 s"}
	if got := factLines(panes.Inspect(s, 4*time.Second, "client-2", "", say(t))); !slices.Equal(got, want) {
		t.Errorf("who owns nothing any more: %q", got)
	}
}
