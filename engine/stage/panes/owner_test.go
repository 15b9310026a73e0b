package panes_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/stage/panes"
)

// factLines returns the inspector's facts, one a line.
func factLines(in panes.Inspected) []string {
	var lines []string
	for _, f := range in.Facts {
		lines = append(lines, f.Name+": "+f.Value)
	}
	return lines
}

// TestInspectTheObserved checks that the inspector says of an observed cluster only what an observer knows: not whether
// an owner is inside or blocked, nor how long its session lasts.
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
	const use = "taken for: a lock, by the names of the ZooKeeper recipes"
	s := f.StateAtSeq(event.Seq(f.Len()))
	for selected, want := range map[string][]string{
		"client-2": {
			"session: 0x20", "believes: only it knows", "owns: /app/lock-0000000012",
			use, "place: waits, 2 ahead",
			"comes after: lock-009, of client A, session 0x10", "created: 2023-11-14 22:13:20 UTC",
		},
		"/app/lock-0000000009": {
			"path: /app/lock-0000000009", "kind: ephemeral, sequential", "owner: client A, session 0x10",
			use, "place: waits, 1 ahead", "comes after: ghost-lock-007", "created: 2023-11-14 22:13:20 UTC",
			"created by: zxid 0x7", "data: me (4 bytes)",
		},
		"/app/ghost-lock-0000000007": {
			"path: /app/ghost-lock-0000000007", "kind: persistent, sequential", "owner: nobody: it stays",
			use, "place: is first in the queue", "created: 2023-11-14 22:13:20 UTC",
			"created by: zxid 0x7", "data: dead (4 bytes)",
		},
		"/app/lock-0000000012": {
			"path: /app/lock-0000000012", "kind: ephemeral, sequential", "owner: client B, session 0x20",
			use, "place: waits, 2 ahead", "comes after: lock-009, of client A, session 0x10",
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

// TestInspectUntold checks that the inspector invents nothing about a znode from before the log that has only changed.
func TestInspectUntold(t *testing.T) {
	f := view.NewHistoryFor(event.Header{Host: event.Tapped, Root: "/"})
	f.AppendAll([]event.Event{
		{At: time.Second, Kind: event.ZnodeChanged, Peer: 1, Path: "/lock/lock-0000000001", Text: "x", N: 1, Zxid: 7},
		{At: time.Second, Kind: event.ZnodeCreated, Peer: 2, Path: "/lock/lock-0000000002", Session: 2, Zxid: 8,
			Mode: uint8(zoo.EphemeralSequential)},
	})
	s := f.StateAtSeq(event.Seq(f.Len()))
	const untold = "unknown: it was there before this log began"
	want := []string{"path: /lock/lock-0000000001", "kind: " + untold, "owner: " + untold, "created: " + untold,
		"changed: 1.000 s", "changed by: zxid 0x7", "data: x (1 byte)"}
	if got := factLines(panes.Inspect(s, time.Second, "/lock/lock-0000000001", "", say(t))); !slices.Equal(got, want) {
		t.Errorf("it says\n%s", strings.Join(got, "\n"))
	}
	if k := s.Kin("/lock/lock-0000000001"); k != (view.Kin{}) {
		t.Errorf("it's taken for %+v", k)
	}
}

// TestInspectSiblings checks what the inspector says about a znode among its siblings: inside, member, item, leader, or
// next in the queue.
func TestInspectSiblings(t *testing.T) {
	const uuid = "_c_9f3a6c1e-0b7d-4f55-9a1b-0123456789ab-"
	for _, c := range []struct {
		names string // a name that ends in ! is persistent
		want  []string
	}{
		{uuid + "__READ__0000000001 " + uuid + "__READ__0000000002 " + uuid + "__READ__0000000003 " + uuid +
			"__WRIT__0000000004 " + uuid + "__READ__0000000005", []string{
			"is inside, with 2 more", "is inside, with 2 more", "is inside, with 2 more",
			"waits, 3 ahead < READ-003, of client C, session 0x3", "waits, 4 ahead < WRIT-004, of client D, session 0x4",
		}},
		{"lock-0000000000 lock-0000000001", []string{"is inside", "waits, 1 ahead < lock-000, of client A, session 0x1"}},
		{uuid + "lease-0000000000 " + uuid + "lease-0000000001", []string{
			"inside: has one of 2 permits that are taken", "inside: has one of 2 permits that are taken"}},
		{"n_0000000004 n_0000000005", []string{"leads", "waits, 1 ahead < n-004, of client A, session 0x1"}},
		{"1 2 3", []string{"is a member, one of 3", "is a member, one of 3", "is a member, one of 3"}},
		{"log-0000000000! log-0000000001!", []string{"item 1 of 2", "item 2 of 2"}},
		{"~0000000000! ~0000000001!", []string{"item 1 of 2", "item 2 of 2"}},
		{"~0000000000 ~0000000001", []string{"number 1 of 2, by their numbers",
			"number 2 of 2, by their numbers < ~-000, of client A, session 0x1"}},
	} {
		f := view.NewHistoryFor(event.Header{Host: "observed", Root: "/app"})
		names := strings.Fields(c.names)
		for i, name := range names {
			session, who := int64(i+1), event.Actor(i+1)
			if strings.HasSuffix(name, "!") {
				session, who = 0, 0
			} else {
				f.Append(event.Event{Kind: event.ClientStarted, Actor: who})
				f.Append(event.Event{Kind: event.SessionCreated, Peer: who, Session: session})
			}
			names[i] = "/app/" + strings.TrimSuffix(name, "!")
			f.Append(event.Event{Kind: event.ZnodeCreated, Path: names[i], Peer: who, Session: session,
				Mode: modeOf(names[i], who)})
		}
		s := f.StateAtSeq(event.Seq(f.Len()))
		for i, name := range names {
			in := panes.Inspect(s, time.Second, name, "", say(t))
			got := value(in, "place")
			if after := value(in, "comes after"); after != "" {
				got += " < " + after
			}
			if got != c.want[i] {
				t.Errorf("%s: %q, want %q", name, got, c.want[i])
			}
		}
	}
}
