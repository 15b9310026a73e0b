package view_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// TestPersistentWatchesStay checks that a standard watch ends when it fires, while persistent and recursive ones
// stay; a recursive one also fires for what is below.
func TestPersistentWatchesStay(t *testing.T) {
	for kind, standing := range map[event.Watch]int{
		event.DataWatch: 0, event.PersistentWatch: 1, event.RecursiveWatch: 1,
	} {
		fired := "/a"
		if kind == event.RecursiveWatch {
			fired = "/a/b"
		}
		s := view.New()
		for i, e := range []event.Event{
			{Kind: event.ClientStarted, Actor: 1},
			{Kind: event.WatchSet, Peer: 1, Path: "/a", Watch: kind},
			{Kind: event.WatchFired, Peer: 1, Path: fired, Watch: kind, Type: uint8(zoo.NodeDataChanged)},
			{Kind: event.WatchDelivered, Actor: 1, Path: fired, Type: uint8(zoo.NodeDataChanged), Cause: 3},
		} {
			e.Seq, e.At = event.Seq(i+1), time.Duration(i)*time.Second
			s.Apply(e)
		}
		left := 0
		for _, w := range s.Watches.List {
			if !w.Over {
				left++
			}
		}
		if left != standing {
			t.Errorf("%v: %d watches stand, want %d", kind, left, standing)
		}
	}
}
