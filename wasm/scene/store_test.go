package scene_test

import (
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/view"
	"github.com/zkviz/zkviz/wasm/scene"
)

// A store shows the greatest number that it has taken, and what it refused.
func TestStoreSaysWhatItRefuses(t *testing.T) {
	said := drawn(written(queued("unnoticed-expiry", 3), "ledger"))
	for _, want := range []string{"ledger", "greatest number 8", "A ends · 1 · refused"} {
		if !slices.Contains(said, want) {
			t.Errorf("the picture does not say %q, but %q", want, said)
		}
	}
}

// A store that clients will write to has its place before the first write, so that nothing moves then.
func TestStoreHasItsPlaceBeforeTheFirstWrite(t *testing.T) {
	before, after := queued("unnoticed-expiry", 3), written(queued("unnoticed-expiry", 3), "ledger")
	if a, b := place(before), place(after); a != b {
		t.Errorf("client-1 is at %v before the first write, and at %v after it", a, b)
	}
	if said := drawn(queued("predecessor-lock", 3)); slices.Contains(said, "store") {
		t.Errorf("a lock that nobody writes under has a store: %q", said)
	}
}

// Who has given up is not said to wait.
func TestGivingUpIsSaid(t *testing.T) {
	if said := drawn(gaveUp()); !slices.Contains(said, "gave up") {
		t.Errorf("the picture says %q", said)
	}
}

func drawn(s *view.State) (said []string) {
	var f scene.Frame
	f.Draw(s, now, scene.Options{Words: english, Width: 760, Height: 470, Theme: scene.Light()})
	for i := range f.Ops {
		if f.Ops[i].Kind == scene.Text {
			said = append(said, f.Ops[i].Text)
		}
	}
	return said
}

func place(s *view.State) (at [2]float32) {
	var f scene.Frame
	f.Draw(s, now, scene.Options{Words: english, Width: 760, Height: 470, Theme: scene.Light()})
	for _, h := range f.Hits {
		if h.ID == "client-1" {
			at = [2]float32{h.X, h.Y}
		}
	}
	return at
}
