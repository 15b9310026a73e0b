// Package scene turns a view.State into a display list: what to draw where, and what lies under the pointer.
//
// It does so in two steps. Layout decides everything and makes a Plan, which is plain values; there is a file for each
// kind of picture. Frame paints plans, which is to decide nothing: each value becomes the same few shapes. A Frame may
// hold several pictures side by side.
//
// The package is pure: the same state, time and options give the same list, so a picture is a function of time and can
// be compared, printed and drawn by anyone. It puts nothing on a screen itself: wasm/draw puts the list on a canvas,
// WriteSVG into a document. It reads no event and judges nothing.
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
	Words         words.Words // the sentences of the language files
	// Stood is when time last stood still. What had come by then is all there: nobody can wait for it to grow.
	Stood time.Duration
}

// Frame is a display list. Its zero value is ready; draw into the same one again and again, since it keeps its memory.
type Frame struct {
	Width, Height float64
	Paper         Colour
	Ops           []Op
	Hits          []Hit
	// Moving reports whether a later time with the same State would look different.
	Moving bool

	layout Layout // of Draw
	paint  painter
}

// Draw makes the frame show s at the time at, which is not before s.At, and nothing else.
func (f *Frame) Draw(s *view.State, at time.Duration, o Options) {
	f.Clear(o.Width, o.Height, o.Theme.Paper)
	f.Paint(f.layout.Plan(s, at, o), 0, 0)
}

// Clear makes the frame show nothing.
func (f *Frame) Clear(width, height float64, paper Colour) {
	f.Width, f.Height, f.Paper = width, height, paper
	f.Ops, f.Hits, f.Moving = f.Ops[:0], f.Hits[:0], false
}

// Paint adds a picture with its upper left corner at x, y. It does not keep the plan.
func (f *Frame) Paint(p *Plan, x, y float64) {
	f.paint = painter{f: f, p: p, t: p.theme, m: &p.m, x: float32(x), y: float32(y)}
	f.paint.plan()
	f.Moving = f.Moving || p.Moving
}

// At is what lies under the pointer.
func (f *Frame) At(x, y float64) (id string, ok bool) {
	for i := len(f.Hits) - 1; i >= 0; i-- {
		h := &f.Hits[i]
		if dx, dy := float32(x)-h.X, float32(y)-h.Y; dx >= 0 && dy >= 0 && dx < h.W && dy < h.H {
			return h.ID, true
		}
	}
	return "", false
}
