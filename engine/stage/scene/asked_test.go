package scene_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
)

// asked returns a queue of three whose servers report watches: the holder is silent, the second client watches it, the
// third watches nothing.
func asked() *view.State {
	s := view.NewFor(event.Header{Host: event.Joined, Root: "/locks"})
	const sessionTimeout = 12 * time.Second
	at := now - 8*time.Second
	apply := func(e event.Event) {
		e.Seq, e.At = s.Seq+1, at
		s.Apply(e)
	}
	apply(event.Event{Kind: event.ZnodeFound, Path: "/locks", Zxid: 1})
	for i := range 3 {
		who := event.Actor(i + 1)
		apply(event.Event{Kind: event.ClientStarted, Actor: who})
		apply(event.Event{Kind: event.SessionCreated, Peer: who, Session: int64(i + 7), N: int64(sessionTimeout)})
		apply(event.Event{Kind: event.ZnodeCreated, Path: fmt.Sprintf("/locks/lock-%010d", i), Zxid: int64(i + 2), Peer: who,
			Session: int64(i + 7), Mode: 3})
	}
	at += 2 * time.Second
	apply(event.Event{Kind: event.SessionSilent, Peer: 1, Session: 7, N: int64(time.Second)})
	apply(event.Event{Kind: event.WatchSet, Peer: 2, Path: "/locks/lock-0000000000", Watch: event.DataWatch,
		Reason: event.ServerSays})
	apply(event.Event{Kind: event.WatchesAsked, N: 1})
	return s
}

// TestAsked checks that the silent client is marked, and the one that waits without a watch on its predecessor.
func TestAsked(t *testing.T) {
	var layout scene.Layout
	p := layout.Plan(asked(), now, scene.Options{Words: english, Width: 1024, Height: 576, Theme: display.Light()})
	var marks []string
	for _, m := range p.Marks() {
		switch m.Kind {
		case mark.Silent, mark.Unwatched, mark.Watch, mark.Session:
			marks = append(marks, m.String())
		}
	}
	slices.Sort(marks)
	want := []string{"session A 0.4", "silent A", "unwatched C /locks/lock-0000000001", "watch B /locks/lock-0000000000"}
	if marks = slices.Compact(marks); !slices.Equal(marks, want) {
		t.Errorf("it marks %q, not %q", marks, want)
	}
	told := ""
	for _, e := range p.Tell() {
		told += e.Text + "\n"
	}
	for _, part := range []string{"nothing has been heard from it", "C: waits; didn't watch lock-001"} {
		if !strings.Contains(told, part) {
			t.Errorf("it tells %q, without %q", told, part)
		}
	}
}

// TestAskedOfWhoWatchesTheList checks that no client is marked if none in the queue watches its predecessor.
func TestAskedOfWhoWatchesTheList(t *testing.T) {
	s := asked()
	s.Apply(event.Event{Kind: event.WatchRemoved, Seq: s.Seq + 1, At: now, Peer: 2, Path: "/locks/lock-0000000000",
		Watch: event.DataWatch, Reason: event.ServerSays})
	var layout scene.Layout
	for _, m := range layout.Plan(s, now, scene.Options{Words: english, Width: 1024, Height: 576}).Marks() {
		if m.Kind == mark.Unwatched {
			t.Errorf("it marks %s", m)
		}
	}
}
