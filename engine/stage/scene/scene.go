package scene

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
)

// Frame is a display list. Its zero value is ready to use. Draw into the same Frame repeatedly: it reuses its memory.
type Frame struct {
	Width, Height float64
	Paper         display.Colour // background of the whole frame; no Op paints it
	display.List
	// Moving reports whether the same State would look different later.
	Moving bool
	// Told says in words what a picture shows that isn't from a Plan. Clear removes it.
	Told []string

	layouts [2]Layout // Draw uses the first, DrawBeside both
	picture int       // index of the picture being painted
	plans   []*Plan   // painted plans, valid until their Layout plans again
	names   [2]string // titles of two pictures
	paint   paint.Painter
}

// Draw makes the frame show only s, at a time that is not before s.At.
func (f *Frame) Draw(s *view.State, at time.Duration, o Options) {
	f.Clear(o.Width, o.Height, o.Theme.Paper)
	f.Paint(f.layouts[0].Plan(s, at, o), 0, 0)
}

// Clear empties the frame.
func (f *Frame) Clear(width, height float64, paper display.Colour) {
	f.Width, f.Height, f.Paper = width, height, paper
	f.Ops, f.Hits, f.Parts, f.Moving = f.Ops[:0], f.Hits[:0], f.Parts[:0], false
	f.picture, f.plans, f.Told = 0, f.plans[:0], nil
}

// Paint adds a picture with its upper left corner at x, y. It keeps the plan only to describe it in words.
func (f *Frame) Paint(p *Plan, x, y float64) {
	f.plans = append(f.plans, p)
	set := &p.l.floor.Setting
	f.paint = paint.Painter{Theme: &set.Options.Theme, Sizes: &set.Sizes, List: &f.List, Picture: f.picture,
		X: float32(x), Y: float32(y)}
	p.l.paint(&f.paint)
	f.Moving = f.Moving || p.Moving
}

// At returns the ID of the hit under the pointer.
func (f *Frame) At(x, y float64) (id string, ok bool) {
	for i := len(f.Hits) - 1; i >= 0; i-- {
		if h := &f.Hits[i]; h.Under(float32(x), float32(y), 0) {
			return h.ID, true
		}
	}
	return "", false
}

// Under is At with parts of clients: it prefers a message to what At returns, and that to a link. If it finds nothing,
// it accepts what is no further away than slack, since a finger is wider than its target.
func (f *Frame) Under(x, y, slack float64) (display.Hit, bool) {
	for _, slack := range [2]float32{0, float32(slack)} {
		if h, ok := f.within(float32(x), float32(y), slack); ok {
			return h, true
		}
	}
	return display.Hit{}, false
}

func (f *Frame) within(x, y, slack float32) (display.Hit, bool) {
	for _, part := range [...]display.Part{display.MessagePart, display.Whole, display.LinkPart, display.ServerPart} {
		list := f.Parts
		if part == display.Whole {
			list = f.Hits
		}
		for i := len(list) - 1; i >= 0; i-- {
			if h := &list[i]; h.Part == part && h.Under(x, y, slack) {
				return *h, true
			}
		}
	}
	return display.Hit{}, false
}

// Find returns the rectangle of a selected ID.
func (f *Frame) Find(id string) (display.Hit, bool) {
	for i := range f.Hits {
		if f.Hits[i].ID == id {
			return f.Hits[i], true
		}
	}
	return display.Hit{}, false
}
