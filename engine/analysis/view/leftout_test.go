package view_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// TestMissingRoot checks that a missing root is reported as a missing chroot: without a chroot the root always exists.
func TestMissingRoot(t *testing.T) {
	for path, want := range map[string]string{"/": "left.missing.root()", "/app": "left.missing(/app)"} {
		if got := view.LeftOut(event.Event{Reason: event.LeftMissing, Path: path}).String(); got != want {
			t.Errorf("without %s it says %s, not %s", path, got, want)
		}
	}
}
