package scene

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
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
	Brief    string // the verdict in short, for a narrow picture
	Broken   bool   // the verdict is bad
}

// captionHeight is the height of the caption above a picture, and gutter the gap between two pictures, both in px.
const (
	captionHeight = 26
	gutter        = 9
)

// DrawBeside draws two pictures, side by side if the frame is wider than high, else one above the other. The options
// apply to both.
func (f *Frame) DrawBeside(pictures *[2]Picture, o Options) {
	f.Clear(o.Width, o.Height, o.Theme.Paper)
	places := Halves(o.Width, o.Height)
	for i := range pictures {
		p, r := &pictures[i], places[i]
		own := o
		own.Width, own.Height = r.w, r.h-captionHeight
		own.Selected, own.Focus, own.Stood = p.Selected, p.Focus, p.Stood
		plan := f.layouts[i].Plan(p.State, p.At, own)
		f.Paint(plan, r.x, r.y+captionHeight)
		f.caption(p, r, &o.Theme)
		f.names[i] = p.Title
		f.picture++
	}
	f.divide(places, &o.Theme)
}

// Halves returns the rectangles of two pictures in a frame, captions included.
func Halves(width, height float64) [2]rect {
	if width > height*1.1 {
		w := (width - gutter) / 2
		return [2]rect{{0, 0, w, height}, {w + gutter, 0, w, height}}
	}
	h := (height - gutter) / 2
	return [2]rect{{0, 0, width, h}, {0, h + gutter, width, h}}
}

// caption writes the title of a picture and the verdict on its run.
func (f *Frame) caption(p *Picture, r rect, t *Theme) {
	const size, inset = 13.0, 10.0
	d := painter{f: f, t: t, x: float32(r.x), y: float32(r.y)}
	d.panel(rect{0, 0, r.w, captionHeight}, 0, t.Panel, pen{})
	bold, small := face{size: size, bold: true}, face{size: size, bold: p.Broken}
	y, ink, room := captionHeight/2+size*0.36, inkSoft, r.w-2*inset
	if p.Broken {
		ink = inkSignal
	}
	says := small.fit(room-inset-min(bold.width(p.Title), room*0.4), p.Verdict, p.Brief)
	verdict := text(says, r.w-inset, y, small, End, ink, room)
	room -= small.width(says) + inset
	title := text(string(bold.elideEnd(nil, p.Title, room)), inset, y, bold, Start, inkPlain, room)
	d.label(&title)
	d.label(&verdict)
}

// divide draws the line between the two pictures.
func (f *Frame) divide(places [2]rect, t *Theme) {
	d := painter{f: f, t: t}
	how := pen{colour: t.Edge, width: 2}
	if second := places[1]; second.x > 0 {
		d.line(second.x-gutter/2.0, 4, second.x-gutter/2.0, second.h-4, how)
	} else {
		d.line(4, second.y-gutter/2.0, second.w-4, second.y-gutter/2.0, how)
	}
}
