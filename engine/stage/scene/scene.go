// Package scene turns a view.State into a display list: what to draw and where, and what lies under the pointer.
//
// It works in two steps. Layout decides everything and makes a Plan of plain values: it asks each picture (queue, crowd,
// items, tree, remotes, servers, store, …) for its sizes, its places and its plan. Frame paints plans and decides nothing:
// each value becomes the same few shapes. A Frame may hold several pictures side by side.
//
// Each picture is a type with its own memory. All of them see one floor: what is drawn, when and how (setting), who the
// clients are (cast), and where everything stands.
//
// The package is pure: the same state, time and options give the same list. So a picture is a function of time and can
// be compared, printed and drawn by any caller. The package draws nothing on a screen: wasm/draw draws the list on a
// canvas, WriteSVG writes it to a document. It reads no events and judges nothing.
//
// Functions that are called from everywhere are not inlined (go:noinline). That makes the page's program 0.06 MB
// smaller to download, and no slower.
//
// # Where to change what
//
//   - which picture a log gets: kind.go and layout.go; event.Drawing is what a recipe says about it
//   - where znodes and clients stand: lock.go, items.go, tree.go and numbered.go plan, paint*.go paint
//   - which part is drawn if there's no room for all: page.go
//   - stores: store*.go; what a znode is to its siblings: part.go; two runs beside each other: beside.go
//   - servers of an ensemble: server*.go and paint_server.go (messages, fences, clocks, votes, catching up, cost)
//   - nodes of other systems: remote*.go and paint_remote.go; the short name of a command: command.go
//   - what a picture says in words, and a lesson's claims: the marks of mark.go, put into words in told.go
package scene

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/static/strings/words"
)

// Options says how to draw a State.
type Options struct {
	Width, Height float64 // CSS px, at least 320×240 to be readable
	Theme         Theme
	Selected      string      // "client-3", a znode's path, or ""
	Still         bool        // reduced motion: nothing is caught in mid-air, and nothing moves between events
	Focus         []string    // what to emphasize: "client-3", "root", a znode's path or its end, as "lock"
	Without       Figures     // figures to leave out
	Words         words.Words // the sentences of the language files
	// Stood is when the clock last stood still. What appeared by then is fully grown: the reader can't wait for it.
	Stood time.Duration
}

// Frame is a display list. Its zero value is ready to use. Draw into the same Frame repeatedly: it reuses its memory.
type Frame struct {
	Width, Height float64
	Paper         Colour // background of the whole frame; no Op paints it
	Ops           []Op
	Hits          []Hit
	// Parts of clients respond to the pointer, too: links only where there is no Hit, messages before any Hit.
	Parts []Hit
	// Moving reports whether the same State would look different later.
	Moving bool

	layouts [2]Layout // Draw uses the first, DrawBeside both
	picture int       // index of the picture being painted
	plans   []*Plan   // painted plans, valid until their Layout plans again
	names   [2]string // titles of two pictures
	paint   painter
}

// Draw makes the frame show only s, at a time that is not before s.At.
func (f *Frame) Draw(s *view.State, at time.Duration, o Options) {
	f.Clear(o.Width, o.Height, o.Theme.Paper)
	f.Paint(f.layouts[0].Plan(s, at, o), 0, 0)
}

// Clear empties the frame.
func (f *Frame) Clear(width, height float64, paper Colour) {
	f.Width, f.Height, f.Paper = width, height, paper
	f.Ops, f.Hits, f.Parts, f.Moving = f.Ops[:0], f.Hits[:0], f.Parts[:0], false
	f.picture, f.plans = 0, f.plans[:0]
}

// Paint adds a picture with its upper left corner at x, y. It keeps the plan only to describe it in words.
func (f *Frame) Paint(p *Plan, x, y float64) {
	f.plans = append(f.plans, p)
	set := &p.l.floor.setting
	f.paint = painter{f: f, t: &set.o.Theme, m: &set.m, x: float32(x), y: float32(y)}
	p.l.paint(&f.paint)
	f.Moving = f.Moving || p.Moving
}

// At returns the ID of the hit under the pointer.
func (f *Frame) At(x, y float64) (id string, ok bool) {
	for i := len(f.Hits) - 1; i >= 0; i-- {
		if h := &f.Hits[i]; h.holds(float32(x), float32(y), 0) {
			return h.ID, true
		}
	}
	return "", false
}

// Under is At with parts of clients: it prefers a message to what At returns, and that to a link. If it finds nothing,
// it accepts what is no further away than slack, since a finger is wider than its target.
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

// Find returns the rectangle of a selected ID.
func (f *Frame) Find(id string) (Hit, bool) {
	for i := range f.Hits {
		if f.Hits[i].ID == id {
			return f.Hits[i], true
		}
	}
	return Hit{}, false
}
