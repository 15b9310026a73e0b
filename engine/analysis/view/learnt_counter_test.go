package view_test

import (
	"fmt"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// TestCounterCountsOnce checks the counter of a log that hears of znodes out of order, as with many clients. The
// next number is one more than the largest, and each plain znode adds one.
func TestCounterCountsOnce(t *testing.T) {
	s := view.NewFor(event.Header{Host: event.Tapped, Root: "/"})
	apply := func(path string, mode zoo.CreateMode) {
		s.Apply(event.Event{Seq: s.Seq + 1, Kind: event.ZnodeCreated, Path: path, Mode: uint8(mode)})
	}
	apply("/q", zoo.Persistent)
	apply("/q/plain", zoo.Persistent)
	for _, n := range []int{3, 1, 2, 5, 4} {
		apply(fmt.Sprintf("/q/x-%010d", n), zoo.EphemeralSequential)
	}
	if got := s.Tree.Node("/q").Next; got != 6 {
		t.Errorf("the next one is number %d", got)
	}
	apply("/q/other", zoo.Ephemeral)
	apply(fmt.Sprintf("/q/x-%010d", 7), zoo.EphemeralSequential)
	if got := s.Tree.Node("/q").Next; got != 8 {
		t.Errorf("behind a plain one and the next, the next one is number %d", got)
	}
}
