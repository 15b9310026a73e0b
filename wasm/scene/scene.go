// Package scene turns a view.State into a display list: what to draw where, and what lies under the pointer.
//
// It does so in two steps. Layout decides everything and makes a Plan, which is plain values; there is a file for each
// kind of picture. Frame paints plans, which is to decide nothing: each value becomes the same few shapes. A Frame may
// hold several pictures side by side.
//
// The package is pure: the same state, time and options give the same list, so a picture is a function of time and can
// be compared, printed and drawn by anyone. It puts nothing on a screen itself: wasm/draw puts the list on a canvas,
// WriteSVG into a document. It reads no event and judges nothing.
//
// What is called from everywhere is not inlined (go:noinline): that makes the page's program 0.06 MB smaller to
// download, and no slower.
package scene

import (
	"time"

	"github.com/zkviz/zkviz/engine/view"
	"github.com/zkviz/zkviz/static/strings/words"
)

// Options says how to draw a State.
type Options struct {
	Width, Height float64 // CSS px, at least 320×240 to be readable
	Theme         Theme
	Selected      string      // "client-3", a znode's path, or empty
	Still         bool        // reduced motion: nothing is caught in mid-air, and nothing moves between events
	Focus         []string    // what to stress: "client-3", "root", a znode's path or the end of it, as "lock"
	Without       Figures     // what is left out
	Words         words.Words // the sentences of the language files
	// Stood is when time last stood still. What had come by then is all there: nobody can wait for it to grow.
	Stood time.Duration
}

// Frame is a display list. Its zero value is ready; draw into the same one again and again, since it keeps its memory.
type Frame struct {
	Width, Height float64
	Paper         Colour // of the whole frame, which no Op paints
	Ops           []Op
	Hits          []Hit
	// Parts of clients answer to the pointer, too: links, where there is no Hit, and then messages, before any Hit.
	Parts []Hit
	// Moving reports whether a later time with the same State would look different.
	Moving bool

	layouts [2]Layout // of Draw the first, of DrawBeside both
	picture int       // which of those beside each other is painted
	plans   []*Plan   // what is painted, for as long as nothing else is planned in their place
	names   [2]string // of two beside each other
	paint   painter
}

// Draw makes the frame show s at the time at, which is not before s.At, and nothing else.
func (f *Frame) Draw(s *view.State, at time.Duration, o Options) {
	f.Clear(o.Width, o.Height, o.Theme.Paper)
	f.Paint(f.layouts[0].Plan(s, at, o), 0, 0)
}

// Clear makes the frame show nothing.
func (f *Frame) Clear(width, height float64, paper Colour) {
	f.Width, f.Height, f.Paper = width, height, paper
	f.Ops, f.Hits, f.Parts, f.Moving = f.Ops[:0], f.Hits[:0], f.Parts[:0], false
	f.picture, f.plans = 0, f.plans[:0]
}

// Paint adds a picture with its upper left corner at x, y. Of the plan it keeps no more than what to tell of it.
func (f *Frame) Paint(p *Plan, x, y float64) {
	f.plans = append(f.plans, p)
	f.paint = painter{f: f, p: p, t: p.theme, m: &p.m, x: float32(x), y: float32(y)}
	f.paint.plan()
	f.Moving = f.Moving || p.Moving
}

// At is what lies under the pointer.
func (f *Frame) At(x, y float64) (id string, ok bool) {
	for i := len(f.Hits) - 1; i >= 0; i-- {
		if h := &f.Hits[i]; h.holds(float32(x), float32(y), 0) {
			return h.ID, true
		}
	}
	return "", false
}

// Under is At for parts of clients, too: a message, else what At gives, else a link. Where there is none it takes what
// is no further away than slack, since a finger is broader than what it means.
func (f *Frame) Under(x, y, slack float64) (Hit, bool) {
	for _, slack := range [2]float32{0, float32(slack)} {
		if h, ok := f.within(float32(x), float32(y), slack); ok {
			return h, true
		}
	}
	return Hit{}, false
}

func (f *Frame) within(x, y, slack float32) (Hit, bool) {
	i := len(f.Parts) - 1
	for ; i >= 0 && f.Parts[i].Part == MessagePart; i-- {
		if f.Parts[i].holds(x, y, slack) {
			return f.Parts[i], true
		}
	}
	for k := len(f.Hits) - 1; k >= 0; k-- {
		if f.Hits[k].holds(x, y, slack) {
			return f.Hits[k], true
		}
	}
	for ; i >= 0; i-- {
		if f.Parts[i].Part == LinkPart && f.Parts[i].holds(x, y, slack) {
			return f.Parts[i], true
		}
	}
	return Hit{}, false
}

// Find is the rectangle of what is selected, as a whole.
func (f *Frame) Find(id string) (Hit, bool) {
	for i := range f.Hits {
		if f.Hits[i].ID == id {
			return f.Hits[i], true
		}
	}
	return Hit{}, false
}
