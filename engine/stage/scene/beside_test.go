package scene_test

import (
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
)

// TestBeside checks that two pictures stand side by side or one above the other, each with its caption in its own half,
// and that a hit tells which picture it belongs to.
func TestBeside(t *testing.T) {
	for _, o := range []scene.Options{{Width: 1024, Height: 576}, {Width: 390, Height: 620}} {
		o.Theme, o.Words = display.Light(), english
		var f scene.Frame
		f.DrawBeside(&[2]scene.Picture{
			{State: view.New(), Title: "one", Verdict: "kept"},
			{State: view.New(), Title: "two, whose name is much too long for half of so small a picture", Broken: true,
				Verdict: "broken, and in so many words that they do not fit beside it", Brief: "broken"},
		}, o)
		half := func(x, y float32) int {
			if o.Width > o.Height && float64(x) > o.Width/2 || o.Width < o.Height && float64(y) > o.Height/2 {
				return 1
			}
			return 0
		}
		seen := [2]bool{}
		for _, h := range f.Hits {
			if in := half(h.X, h.Y); in != h.Picture || in != half(h.X+h.W, h.Y+h.H) {
				t.Errorf("%.0f×%.0f: %s at %.0f, %.0f is of picture %d", o.Width, o.Height, h.ID, h.X, h.Y, h.Picture)
			}
			seen[h.Picture] = true
		}
		if !slices.ContainsFunc(f.Ops, func(op display.Op) bool { return op.Text == "broken" }) {
			t.Errorf("%.0f×%.0f: the verdict has been cut", o.Width, o.Height)
		}
		for i := range f.Ops {
			x, y, w, h := f.Ops[i].Bounds()
			if x < -1 || y < -1 || float64(x+w) > o.Width+1 || float64(y+h) > o.Height+1 {
				t.Errorf("%.0f×%.0f: %+v is cut off", o.Width, o.Height, f.Ops[i])
			}
		}
	}
}

// TestVerdictNamesItsRule checks that above a narrow picture a verdict first loses size, and its rule's name only if
// that isn't enough. It always says whether the rule is broken. Above a large picture it's large.
func TestVerdictNamesItsRule(t *testing.T) {
	const full, brief = "✗ S1 applies what isn't on a quorum's disks", "✗ broken"
	for _, c := range []struct {
		width float64
		want  string
		size  float32
	}{
		{1140, full, 19.5}, {760, full, 13}, {480, full, 10.01}, {250, brief, 10.01},
	} {
		var f scene.Frame
		p := scene.Picture{State: view.New(), Title: "The highest number leads", Verdict: full, Brief: brief}
		f.DrawBeside(&[2]scene.Picture{p, p}, scene.Options{Width: c.width, Height: c.width * 1.5, Theme: display.Light(),
			Words: english})
		var got []display.Op
		for _, o := range f.Ops {
			if o.Text == full || o.Text == brief {
				got = append(got, o)
			}
		}
		if len(got) != 2 || got[0].Text != c.want || got[0].Size != c.size {
			t.Errorf("%.0f px wide: %+v", c.width, got)
		}
	}
}

// TestTitleLosesSizeFirst checks that a title which is too long for half of a phone becomes smaller before it's cut,
// just small enough.
func TestTitleLosesSizeFirst(t *testing.T) {
	for title, verdict := range map[string]string{
		"Work, then delete it all": "", "No second look": "✗ broken", "D's znode stays": "✗ broken",
	} {
		var f scene.Frame
		p := scene.Picture{State: view.New(), Title: title, Verdict: verdict, Brief: verdict, Broken: true}
		f.DrawBeside(&[2]scene.Picture{p, p}, scene.Options{Width: 390, Height: 338, Theme: display.Light(), Words: english})
		if !hasText(&f, title) {
			t.Errorf("%q has been cut", title)
		}
	}
}
