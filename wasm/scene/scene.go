// Package scene turns a view.State into a display list: what to draw where, and what lies under the pointer.
//
// It is pure: the same state, time and options give the same list, so a picture is a function of time and can
// be compared, printed and drawn by anyone. It draws nothing itself: wasm/draw puts the list on a canvas,
// WriteSVG into a document. It reads no event and judges nothing.
package scene

import (
	"time"

	"github.com/zkviz/zkviz/engine/view"
)

// Options says how to draw a State.
type Options struct {
	Width, Height float64 // CSS px
	Theme         Theme
	Selected      string   // "client-3", a znode's path, or empty
	Still         bool     // reduced motion: nothing is caught in mid-air, and nothing moves between events
	Focus         []string // ids to stress
	Words         *Words   // nil for English
}

// Frame is a picture as a display list. Its zero value is ready; draw into the same one again and again, since
// it keeps its memory.
type Frame struct {
	Width, Height float64
	Paper         Colour
	Ops           []Op
	Hits          []Hit
	// Moving reports whether a later time with the same State would look different.
	Moving bool
}

// Draw makes the frame show s at the time at, which is not before s.At.
func (f *Frame) Draw(s *view.State, at time.Duration, o Options) {
	f.Width, f.Height, f.Paper = o.Width, o.Height, o.Theme.Paper
	f.Ops, f.Hits, f.Moving = f.Ops[:0], f.Hits[:0], false
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
