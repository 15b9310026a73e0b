package scene

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// Picture is one of two pictures that DrawBeside draws.
type Picture struct {
	State    *view.State
	At       time.Duration
	Stood    time.Duration // see Options
	Selected string
	Focus    []string
	Title    string // written above the picture
	Verdict  string // follows the title
	Brief    string // the verdict without the rule's name, for a narrow picture
	Broken   bool   // the verdict is bad
}

// gutter is the gap between two pictures, in px.
const gutter = 9

// DrawBeside draws two pictures, side by side if the frame is wider than high, else one above the other. The options
// apply to both.
func (f *Frame) DrawBeside(pictures *[2]Picture, o Options) {
	f.Clear(o.Width, o.Height, o.Theme.Paper)
	places := Halves(o.Width, o.Height)
	size := 13 * max(1, min(places[0].W/760, places[0].H/496)) // a picture's words grow like that
	high := 2 * size
	for i := range pictures {
		p, r := &pictures[i], places[i]
		own := o
		own.Width, own.Height = r.W, r.H-high
		own.Selected, own.Focus, own.Stood = p.Selected, p.Focus, p.Stood
		plan := f.layouts[i].Plan(p.State, p.At, own)
		f.Paint(plan, r.X, r.Y+high)
		f.caption(p, r, size, &o.Theme)
		f.names[i] = p.Title
		f.picture++
	}
	f.divide(places, &o.Theme)
}

// Halves returns the rectangles of two pictures in a frame, captions included.
func Halves(width, height float64) [2]geom.Rect {
	if width > height*1.1 {
		w := (width - gutter) / 2
		return [2]geom.Rect{geom.R(0, 0, w, height), geom.R(w+gutter, 0, w, height)}
	}
	h := (height - gutter) / 2
	return [2]geom.Rect{geom.R(0, 0, width, h), geom.R(0, h+gutter, width, h)}
}

// caption writes the title of a picture and the verdict on its run, which first loses size, and then the rule's name. A
// title that still doesn't fit loses size, too.
func (f *Frame) caption(p *Picture, r geom.Rect, size float64, t *display.Theme) {
	const inset = 10.0
	d := paint.Painter{Theme: t, List: &f.List, Picture: f.picture, X: float32(r.X), Y: float32(r.Y)}
	d.Panel(geom.R(0, 0, r.W, 2*size), 0, t.Panel, paint.Pen{})
	bold, small := text.Face{Size: size, Bold: true}, text.Face{Size: size, Bold: p.Broken}
	y, ink, room := size*1.36, text.InkSoft, r.W-2*inset
	if p.Broken {
		ink = text.InkSignal
	}
	beside := room - inset - bold.Width(p.Title)
	says := p.Verdict
	if small.Width(says) > beside {
		less := text.Face{Size: size * 0.77}
		if less.Width(says) > beside {
			says = p.Brief
		}
		if small.Width(says) > beside { // the title may be very long
			small, beside = less, max(beside, room*0.4-inset)
		}
		says = small.Fit(beside, says)
	}
	verdict := text.At(says, r.W-inset, y, small, text.End, ink, room)
	room -= small.Width(says) + inset
	bold.Size = max(text.MinSize, min(size, size*room/bold.Width(p.Title)))
	title := text.At(string(bold.ElideEnd(nil, p.Title, room+1)), inset, y, bold, text.Start, text.InkPlain, room)
	d.Label(&title)
	d.Label(&verdict)
}

// divide draws the line between the two pictures.
func (f *Frame) divide(places [2]geom.Rect, t *display.Theme) {
	d := paint.Painter{Theme: t, List: &f.List, Picture: f.picture}
	how := paint.Pen{Colour: t.Edge, Width: 2}
	if second := places[1]; second.X > 0 {
		d.Line(second.X-gutter/2.0, 4, second.X-gutter/2.0, second.H-4, how)
	} else {
		d.Line(4, second.Y-gutter/2.0, second.W-4, second.Y-gutter/2.0, how)
	}
}
