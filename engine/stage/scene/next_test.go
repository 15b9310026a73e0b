package scene_test

import (
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
)

// TestNextComesByEverything checks that keys reach each thing that a pointer can select once, in a circle, both ways.
func TestNextComesByEverything(t *testing.T) {
	for name, s := range map[string]*view.State{
		"queue": queued("predecessor-lock", 12), "unique": unique(4), "crowd": queued("children-lock", 60),
		"nodes": majority(4), "beside": besideDatabase(3),
	} {
		var f scene.Frame
		f.Draw(s, now, scene.Options{Words: english, Width: 760, Height: 470, Theme: display.Light()})
		var want []string
		for _, h := range f.Hits {
			if !slices.Contains(want, h.ID) {
				want = append(want, h.ID)
			}
		}
		var got []string
		for id := f.Next("", 1); !slices.Contains(got, id); id = f.Next(id, 1) {
			got = append(got, id)
		}
		if !slices.Equal(sorted(got), sorted(want)) {
			t.Errorf("%s: the key comes by %q, the pointer by %q", name, got, want)
		}
		if !slices.Equal(got[:3], []string{"client-1", "client-2", "client-3"}) ||
			!slices.Contains([]string{root, "node-1"}, got[len(s.Clients)]) {
			t.Errorf("%s: the key comes by %q: want the clients first, then the rest", name, got)
		}
		var back []string
		for id := f.Next("", -1); !slices.Contains(back, id); id = f.Next(id, -1) {
			back = append(back, id)
		}
		if slices.Reverse(back); !slices.Equal(back, got) {
			t.Errorf("%s: back it comes by %q, forward by %q", name, back, got)
		}
		if id := f.Next("/none", 1); id != "client-1" {
			t.Errorf("%s: after what is not there comes %q", name, id)
		}
	}
	var empty scene.Frame
	if id := empty.Next("/a", 1); id != "/a" {
		t.Errorf("in an empty picture %q comes after /a", id)
	}
}

func sorted(ids []string) []string { return slices.Sorted(slices.Values(ids)) }
