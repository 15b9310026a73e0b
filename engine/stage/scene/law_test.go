package scene_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
)

// pictures calls do with every fixture, and with every recipe at 1 to 40 clients, on every stage.
func pictures(t *testing.T, do func(t *testing.T, s *view.State, f *scene.Frame)) {
	t.Helper()
	states := fixtures()
	for n := 1; n <= 40; n++ {
		states[fmt.Sprintf("chain%d", n)] = queued("predecessor-lock", n)
		states[fmt.Sprintf("herd%d", n)] = release(queued("children-lock", n))
		states[fmt.Sprintf("star%d", n)] = unique(n)
		states[fmt.Sprintf("barrier%d", n)] = barrier(n, (n+1)/2, false)
		states[fmt.Sprintf("fifo%d", n)] = fifo(n, (n+2)/3, n)
		states[fmt.Sprintf("tree%d", n)] = tree(n)
		states[fmt.Sprintf("held%d", n)] = keyHeld(n, 10*time.Second).end()
		states[fmt.Sprintf("signalled%d", n)] = signalled(n)
		states[fmt.Sprintf("subscribed%d", n)] = subscribed(n)
		states[fmt.Sprintf("majority%d", n)] = majority(n)
		states[fmt.Sprintf("database%d", n)] = database(n)
		states[fmt.Sprintf("leases%d", n)] = leases(n)
		states[fmt.Sprintf("besidedb%d", n)] = besideDatabase(n)
		if n > 1 {
			states[fmt.Sprintf("expired%d", n)] = expiredHolder(n)
		}
	}
	var f scene.Frame
	for name, s := range states {
		for _, size := range sizes {
			f.Draw(s, now, scene.Options{Words: english, Width: size[0], Height: size[1], Theme: display.Light(),
				Selected: "client-1", Focus: []string{"client-2", "lock", "root"}})
			t.Run(fmt.Sprintf("%s/%.0f", name, size[0]), func(t *testing.T) { do(t, s, &f) })
		}
	}
}

// law is a rule for every picture. broken says how a picture breaks it, or returns "".
type law struct {
	name   string
	broken func(s *view.State, f *scene.Frame) string
}

var laws = []law{
	{"nothing is cut off", cutOff},
	{"no text is too small to read", tooSmall},
	{"no text lies on another", textOnText},
	{"no line runs across a text", lineOnText},
	{"every client can be hit", beyondReach},
	{"no client lies on the store", onStore},
	{"a few clients have their letters", asDot},
}

// TestLaws checks every picture of a fixture against the laws.
func TestLaws(t *testing.T) {
	pictures(t, func(t *testing.T, s *view.State, f *scene.Frame) {
		for _, l := range laws {
			if how := l.broken(s, f); how != "" {
				t.Errorf("%s: %s", l.name, how)
			}
		}
	})
}

func cutOff(_ *view.State, f *scene.Frame) string {
	for i := range f.Ops {
		x, y, w, h := f.Ops[i].Bounds()
		const slack = 0.5
		inside := x >= -slack && y >= -slack && float64(x+w) <= f.Width+slack && float64(y+h) <= f.Height+slack
		if !inside { // nor may there be a shape without a position
			o := &f.Ops[i]
			return fmt.Sprintf("op %d (kind %d, %q) lies at %.1f,%.1f %.1f×%.1f", i, o.Kind, o.Text, x, y, w, h)
		}
	}
	return ""
}

// asDot names the first of at most six clients that is drawn as a dot.
func asDot(s *view.State, f *scene.Frame) string {
	for i := range s.Clients {
		letter := string(rune('A' + i))
		if len(s.Clients) <= 6 && !slices.ContainsFunc(f.Ops, func(o display.Op) bool { return o.Text == letter }) {
			return letter + " is a dot"
		}
	}
	return ""
}

func tooSmall(_ *view.State, f *scene.Frame) string {
	for i := range f.Ops {
		if o := &f.Ops[i]; o.Kind == display.Text && o.Size < 9.9 {
			return fmt.Sprintf("%q has %.1f px", o.Text, o.Size)
		}
	}
	return ""
}

func textOnText(_ *view.State, f *scene.Frame) string {
	var texts []bounded // measuring takes longer than comparing
	for i := range f.Ops {
		if o := &f.Ops[i]; legible(o) {
			here := bounded{Op: o}
			here.x, here.y, here.w, here.h = o.Bounds()
			for _, t := range texts {
				if here.touches(t) {
					return fmt.Sprintf("%q lies on %q", o.Text, t.Text)
				}
			}
			texts = append(texts, here)
		}
	}
	return ""
}

// legible reports whether an op is a text that is not faded out.
func legible(o *display.Op) bool { return o.Kind == display.Text && o.Fill&0xff != 0 }

// bounded is a text with its bounds.
type bounded struct {
	*display.Op
	x, y, w, h float32
}

func (a bounded) touches(b bounded) bool {
	const slack = 1
	return a.x+slack < b.x+b.w && b.x+slack < a.x+a.w && a.y+slack < b.y+b.h && b.y+slack < a.y+a.h
}

// lineOnText finds a curve that is drawn after a text and crosses it: watches must stay off the names.
func lineOnText(_ *view.State, f *scene.Frame) string {
	for i := range f.Ops {
		if f.Ops[i].Kind != display.Curve {
			continue
		}
		for j := range f.Ops[:i] {
			if f.Ops[j].Kind == display.Text && crosses(&f.Ops[i], &f.Ops[j]) {
				return fmt.Sprintf("a curve runs across %q", f.Ops[j].Text)
			}
		}
	}
	return ""
}

func beyondReach(s *view.State, f *scene.Frame) string {
	found := map[string]bool{}
	for _, h := range f.Hits {
		if id, ok := f.At(float64(h.X+h.W/2), float64(h.Y+h.H/2)); ok {
			found[id] = true
		}
	}
	for i := range s.Clients {
		if !found[s.Clients[i].Name] {
			return s.Clients[i].Name + " cannot be hit"
		}
	}
	return ""
}

// onStore finds a client that overlaps the store's name.
func onStore(s *view.State, f *scene.Frame) string {
	for i := range f.Ops {
		o := &f.Ops[i]
		if o.Kind != display.Text || !o.Bold || len(s.Stores) == 0 || o.Text != s.Stores[0].Name {
			continue
		}
		_, top, _, _ := o.Bounds()
		for k := range s.Clients {
			if c, ok := f.Find(s.Clients[k].Name); ok && c.Y+c.H > top {
				return fmt.Sprintf("%s reaches %.1f, and %q begins at %.1f", s.Clients[k].Name, c.Y+c.H, o.Text, top)
			}
		}
	}
	return ""
}

// TestMoving checks Frame.Moving: if it is false, no later time looks different; if it is true, some later time does.
func TestMoving(t *testing.T) {
	for name, s := range fixtures() {
		for _, ended := range []bool{false, true} {
			s.Ended = ended
			var f, g scene.Frame
			o := scene.Options{Words: english, Width: 760, Height: 470, Theme: display.Light()}
			for _, after := range []time.Duration{0, 300 * time.Millisecond, 2 * time.Second, 5 * time.Second, time.Minute} {
				f.Draw(s, now+after, o)
				same := true
				for _, later := range []time.Duration{16 * time.Millisecond, 200 * time.Millisecond, time.Second, 3 * time.Second,
					time.Hour} {
					g.Draw(s, now+after+later, o)
					same = same && slices.Equal(f.Ops, g.Ops)
				}
				if same == f.Moving {
					t.Errorf("%s (ended %v) after %v: Moving is %v, and a later picture being the same is %v", name, ended, after,
						f.Moving, same)
				}
			}
		}
	}
}

func TestStillDoesNotMove(t *testing.T) {
	for name, s := range fixtures() {
		var f, g scene.Frame
		o := scene.Options{Words: english, Width: 760, Height: 470, Theme: display.Dark(), Still: true}
		f.Draw(s, now, o)
		g.Draw(s, now+700*time.Millisecond, o)
		if f.Moving || !slices.Equal(f.Ops, g.Ops) {
			t.Errorf("%s moves", name)
		}
	}
}

// TestSameListEveryTime checks that a picture doesn't depend on the pictures drawn before.
func TestSameListEveryTime(t *testing.T) {
	var used scene.Frame
	for name, s := range fixtures() {
		var fresh scene.Frame
		o := scene.Options{Words: english, Width: 640, Height: 400, Theme: display.Light()}
		used.Draw(s, now, o)
		fresh.Draw(s, now, o)
		if !slices.Equal(used.Ops, fresh.Ops) || !slices.Equal(used.Hits, fresh.Hits) {
			t.Errorf("%s differs", name)
		}
	}
}

func TestDrawKeepsItsMemory(t *testing.T) {
	for name, s := range fixtures() {
		var f scene.Frame
		at := now
		o := scene.Options{Words: english, Width: 760, Height: 470, Theme: display.Light(), Selected: "client-1"}
		draw := func() { at += time.Millisecond; f.Draw(s, at, o) }
		draw()
		at = now
		draw()
		if n := testing.AllocsPerRun(20, draw); n > 0 {
			t.Errorf("%s: %v allocations a picture", name, n)
		}
	}
}

func crosses(c, text *display.Op) bool {
	x, y, w, h := text.Bounds()
	cx, cy, cw, ch := c.Bounds()
	if cx > x+w || x > cx+cw || cy > y+h || y > cy+ch {
		return false
	}
	for k := range 41 {
		t := float32(k) / 40
		u := 1 - t
		px := u*u*u*c.X + 3*u*u*t*c.X1 + 3*u*t*t*c.X2 + t*t*t*c.X3
		py := u*u*u*c.Y + 3*u*u*t*c.Y1 + 3*u*t*t*c.Y2 + t*t*t*c.Y3
		if px > x+1 && px < x+w-1 && py > y+1 && py < y+h-1 {
			return true
		}
	}
	return false
}
