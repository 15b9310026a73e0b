package scene_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
)

// TestUndescribedRecipesAreDrawnDecently checks that a log keeps the laws, and shows every client and znode, even if
// its header names no drawing or an unknown one.
func TestUndescribedRecipesAreDrawnDecently(t *testing.T) {
	var f scene.Frame
	moments(t, 8, func(m *moment) {
		for _, d := range []event.Drawing{{}, {Kind: "galaxy", Queue: "stars"}} {
			m.state.Header.Drawing = d
			for _, st := range stages {
				f.Draw(m.state, m.at, scene.Options{Words: english, Width: st.width, Height: st.height, Theme: display.Light(),
					Still: true})
				for _, l := range laws {
					if how := l.broken(m.state, &f); how != "" {
						t.Errorf("%v, %s: %s: %s", m, st.name, l.name, how)
					}
				}
			}
		}
		m.state.Header.Drawing = m.log.Header.Drawing
	})
}

// TestEveryWayOfDrawingIsUsed checks that the catalogue has a recipe for each kind of drawing.
func TestEveryWayOfDrawingIsUsed(t *testing.T) {
	used := map[event.DrawingKind]string{}
	moments(t, 1, func(m *moment) { used[m.log.Header.Drawing.Kind] = m.recipe })
	kinds := []event.DrawingKind{event.DrawTree, event.DrawQueue, event.DrawName, event.DrawBarrier, event.DrawItems}
	for _, k := range kinds {
		if _, ok := used[k]; !ok {
			t.Errorf("no recipe is drawn as %q", k)
		}
	}
}

// TestStoresAreDescribed checks that a recipe that writes to a store declares it. The store then has its place from the
// start, and nothing moves at the first write.
func TestStoresAreDescribed(t *testing.T) {
	runs, err := catalogue()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range runs {
		writes := slices.ContainsFunc(p.log.Events, func(e event.Event) bool {
			return strings.HasPrefix(e.Kind.String(), "store.")
		})
		if writes && len(p.log.Header.Drawing.Stores) == 0 {
			t.Errorf("%s, %s: it writes to a store, and its description does not say so", p.recipe, p.condition)
		}
	}
}
