package view_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// TestWall checks that a log with a starting time gives the wall-clock time of every moment.
func TestWall(t *testing.T) {
	began := time.Date(2026, 11, 25, 23, 59, 58, 0, time.UTC)
	for _, test := range []struct {
		first event.Event
		want  string
	}{
		{event.Event{Kind: event.RunStarted, N: began.UnixMilli()}, "2026-11-26T00:00:00.5Z"},
		{event.Event{Kind: event.RunStarted}, ""},
		{event.Event{Kind: event.ClientStarted, Actor: 1, N: began.UnixMilli()}, ""},
	} {
		h := view.NewHistoryFor(event.Header{Host: event.Joined})
		test.first.Seq = 1
		h.Append(test.first)
		got := ""
		if at, ok := h.Wall(2500 * time.Millisecond); ok {
			got = at.Format(time.RFC3339Nano)
		}
		if got != test.want {
			t.Errorf("after %v it's %q, not %q", test.first.Kind, got, test.want)
		}
	}
	if _, ok := view.NewHistoryFor(event.Header{}).Wall(0); ok {
		t.Error("an empty log knows the time")
	}
}
