package story

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// painter paints a plan.
type painter struct {
	paint.Painter
	p *Plan
	c *Cause // nil if nothing is selected
}

// pale is how much is seen of what didn't lead to the selected event.
const pale = 0.28

// Draw makes a frame show the plan. What led to the event of c is strong, the rest is pale; if c is nil, nothing is
// selected.
func (p *Plan) Draw(f *scene.Frame, theme display.Theme, c *Cause) {
	f.Clear(p.Width, p.Height, theme.Paper)
	f.Told = p.Tell()
	d := &painter{Painter: paint.Painter{Theme: &theme, List: &f.List}, p: p, c: c}
	d.axis()
	for i := range p.Lanes {
		d.lane(&p.Lanes[i])
	}
	for _, kind := range [...]BarKind{Lives, Votes, Apart, Down, Keeps} {
		d.bars(kind)
	}
	for i := range p.Messages {
		d.message(&p.Messages[i])
	}
	for _, kind := range [...]BarKind{Waits, Leads, Inside, Believes, Thinks, Paused, Stalled} {
		d.bars(kind)
	}
	d.path()
	for i := range p.Marks {
		d.mark(&p.Marks[i])
	}
	for i := range p.Labels {
		d.word(p.Labels[i])
	}
	d.legend()
}

// some reports whether there is a bar of a kind.
func (p *Plan) some(k BarKind) bool {
	return slices.ContainsFunc(p.Bars, func(b Bar) bool { return b.Kind == k })
}

// legend says what the bars of clients are, if there are any.
func (d *painter) legend() {
	p, t := d.p, d.Theme
	if !p.some(Believes) {
		return
	}
	x, y := 8.0, p.Height-12
	colour := t.Soft
	for i, key := range [...]string{"story.legend.inside", "story.legend.believes", "story.legend.thinks"} {
		says := p.words.Say(key)
		long := 22 + foldFace.Width(says)
		if x+long > p.Width || i == 2 && !p.some(Thinks) {
			return
		}
		switch i {
		case 0:
			d.Panel(geom.R(x, y-barHalf, 16, 2*barHalf), 2, colour, paint.Pen{})
		case 1:
			d.Panel(geom.R(x, y-1.5, 16, 3), 1.5, colour.Fade(0.65), paint.Pen{})
		case 2:
			d.Panel(geom.R(x, y-2.5, 16, 5), 2, t.Paper, paint.Pen{Colour: t.Signal, Width: 1.6})
		}
		b := text.CentredFrom(says, x+20, y, foldFace, text.InkSoft, long)
		d.Label(&b)
		x += long + 14
	}
}

// alpha returns how strongly something is drawn that an event began.
func (d *painter) alpha(seq event.Seq) float64 {
	if d.c.has(seq) {
		return 1
	}
	return pale
}

// line draws a line between two places along the time and across it.
func (d *painter) line(a, across, b, to float64, how paint.Pen) {
	x0, y0 := d.p.point(a, across)
	x1, y1 := d.p.point(b, to)
	d.Line(x0, y0, x1, y1, how)
}

// axis draws times, and folded stretches as bands with two strokes at their heads.
func (d *painter) axis() {
	t, p := d.Theme, d.p
	first := p.across
	last := first
	if n := len(p.Lanes); n > 0 {
		last = p.Lanes[n-1].At + p.Lanes[0].At - first
	}
	for i := range p.Pieces {
		x := &p.Pieces[i]
		if !x.Folded {
			continue
		}
		d.Panel(p.rect(x.A, first, x.B-x.A, last-first), 0, t.Panel, paint.Pen{})
		how := paint.Pen{Colour: t.Edge, Width: 1, Dash: 2, Gap: 3}
		d.line(x.A, first, x.A, last, how)
		d.line(x.B, first, x.B, last, how)
		mid, sign := (x.A+x.B)/2, paint.Pen{Colour: t.Soft, Width: 1.2}
		for _, off := range [...]float64{-2, 2} {
			if p.Down {
				d.line(mid+off-2, first-1, mid+off+2, first+7, sign)
			} else {
				d.line(mid+off-2, first-1, mid+off+2, first-8, sign)
			}
		}
		d.Label(&x.Says)
	}
	for i := range p.Ticks {
		k := &p.Ticks[i]
		d.line(k.At, first-5, k.At, first-1, paint.Pen{Colour: t.Soft, Width: 1})
		d.line(k.At, first, k.At, last, paint.Pen{Colour: t.Faint, Width: 1})
		d.Label(&k.Text)
	}
}

func (d *painter) lane(l *Lane) {
	start, end := d.p.ends()
	d.line(start, l.At, end, l.At, paint.Pen{Colour: d.Theme.Edge, Width: 1})
	if l.Index < 0 {
		d.Label(&l.Name)
		return
	}
	r := nameFace.Size * 0.85
	y := l.Name.Y - l.Name.Face.Size*0.36
	colour := d.Theme.Of(l.Index)
	if w := nameFace.Width(l.Name.Text)/2 + 3; w > r { // a number of several digits
		d.Panel(geom.R(l.Name.X-w, y-r, 2*w, 2*r), r, colour, paint.Pen{})
	} else {
		d.Circle(l.Name.X, y, r, colour, paint.Pen{})
	}
	name := l.Name
	name.Anchor = text.Middle
	d.Inked(&name, paint.On(colour))
}

func (d *painter) bars(kind BarKind) {
	for i := range d.p.Bars {
		if b := &d.p.Bars[i]; b.Kind == kind {
			d.bar(b)
		}
	}
}

// barRect returns the rectangle of a bar on its lane.
func (p *Plan) barRect(b *Bar) geom.Rect {
	half := barHalf
	if b.Kind == Paused || b.Kind == Stalled || b.Kind == Down {
		half = barHalf + 2
	}
	return p.rect(b.A, p.Lanes[b.Lane].At-half, max(b.B-b.A, 1.5), 2*half)
}

func (d *painter) bar(b *Bar) {
	t, at, a := d.Theme, d.p.Lanes[b.Lane].At, d.alpha(b.Begun)
	own := t.Soft
	if i := d.p.Lanes[b.Lane].Index; i >= 0 {
		own = t.Of(i)
	}
	own = own.Fade(a)
	believes := d.p.rect(b.A, at+beliefOff-1.5, max(b.B-b.A, 1.5), 3)
	switch b.Kind {
	case Lives:
		d.line(b.A, at, b.B, at, paint.Pen{Colour: own, Width: 1.6})
	case Waits:
		d.line(b.A, at, b.B, at, paint.Pen{Colour: own.Fade(0.45), Width: 4})
	case Votes:
		d.line(b.A, at, b.B, at, paint.Pen{Colour: t.Signal.Fade(a), Width: 2, Dash: 1, Gap: 4})
	case Inside:
		d.Panel(d.p.barRect(b), 2, own, paint.Pen{})
	case Leads:
		d.Panel(d.p.barRect(b), 2, t.Accent.Fade(a), paint.Pen{})
	case Believes:
		d.Panel(believes, 1.5, own.Fade(0.65), paint.Pen{})
	case Thinks:
		d.Panel(believes.Grown(1), 2, t.Paper, paint.Pen{Colour: t.Signal.Fade(a), Width: 1.6})
	case Keeps:
		d.line(b.A, at, b.B, at, paint.Pen{Colour: t.Of(int(b.Peer) - 1).Fade(a), Width: 5})
	case Down:
		d.Panel(d.p.barRect(b), 0, t.Paper, paint.Pen{Colour: t.Grey.Fade(a), Width: 1, Dash: 3, Gap: 3})
	case Paused, Stalled:
		d.hatched(d.p.barRect(b), paint.Pen{Colour: t.Ink.Fade(a), Width: 1})
	case Apart:
		mid := d.p.between(b)
		d.line(b.A, mid, b.B, mid, paint.Pen{Colour: t.Signal.Fade(a), Width: 1.4, Dash: 5, Gap: 4})
	}
}

// hatched draws a rectangle of slanted lines.
func (d *painter) hatched(r geom.Rect, how paint.Pen) {
	d.Panel(r, 0, d.Theme.Paper.Fade(0.4), how)
	const step = 6
	for s := step - r.H; s < r.W; s += step { // s is where the line meets the bottom
		x0, x1 := max(s, 0), min(s+r.H, r.W)
		if x1 > x0 {
			d.Line(r.X+x0, r.Bottom()-(x0-s), r.X+x1, r.Bottom()-(x1-s), how)
		}
	}
}

func (d *painter) message(m *Message) {
	t := d.Theme
	how := paint.Pen{Colour: t.Soft.Fade(0.8), Width: 1}
	if m.Index >= 0 {
		how.Colour = t.Of(m.Index)
	}
	switch {
	case m.Lost:
		how = paint.Pen{Colour: t.Signal, Width: 1.2, Dash: 3, Gap: 3}
	case m.Look == Notice:
		how.Colour, how.Width = t.Signal, 1.5
	case m.Look == Reply:
		how.Colour = how.Colour.Fade(0.7)
	case m.Look == Request:
		how.Width = 1.3
	}
	if m.Poll {
		how.Colour = how.Colour.Fade(0.4)
	}
	how.Colour = how.Colour.Fade(d.alpha(m.Seq))
	d.Line(m.X0, m.Y0, m.X1, m.Y1, how)
	if m.Lost {
		d.Cross(m.X1, m.Y1, 3.5, paint.Pen{Colour: how.Colour, Width: 1.8})
		return
	}
	if m.Look == Notice {
		d.arrow(m.X0, m.Y0, m.X1, m.Y1, how)
	}
}

// arrow draws the head of an arrow.
func (d *painter) arrow(x0, y0, x1, y1 float64, how paint.Pen) {
	long := geom.Dist(x1-x0, y1-y0)
	if long == 0 {
		return
	}
	ux, uy := (x1-x0)/long, (y1-y0)/long
	const back, side = 6, 3
	how.Dash = 0
	d.Line(x1, y1, x1-ux*back-uy*side, y1-uy*back+ux*side, how)
	d.Line(x1, y1, x1-ux*back+uy*side, y1-uy*back-ux*side, how)
}

func (d *painter) mark(m *Mark) {
	t, a := d.Theme, d.alpha(m.Seq)
	signal := paint.Pen{Colour: t.Signal.Fade(a), Width: 2}
	own := t.Ink
	if who := max(m.Peer, 0); who.Kind() == event.AClient {
		own = t.Of(int(who) - 1)
	} else if m.Actor.Kind() == event.AClient {
		own = t.Of(int(m.Actor) - 1)
	}
	own = own.Fade(a)
	page := geom.Around(m.X, m.Y, markHalf)
	switch m.Kind {
	case Expired:
		d.Circle(m.X, m.Y, markHalf+2, t.Paper, paint.Pen{})
		d.Clock(m.X, m.Y, markHalf+1, paint.Pen{Colour: signal.Colour, Width: 1.4})
	case Crashed, Vanished, Cut:
		d.Cross(m.X, m.Y, markHalf, signal)
	case Written:
		d.Panel(page, 1, own, paint.Pen{Colour: t.Paper, Width: 1})
	case Torn, Twice:
		d.Panel(page.Grown(1.5), 1, own, paint.Pen{Colour: signal.Colour, Width: 1.6})
		d.torn(page.Grown(1.5), paint.Pen{Colour: t.Paper, Width: 1.6})
	case Refused:
		d.Panel(page, 1, t.Paper, paint.Pen{Colour: own, Width: 1.4})
		d.Cross(m.X, m.Y, markHalf, signal)
	case Reports:
		d.Circle(m.X, m.Y, 3.4, own, paint.Pen{Colour: t.Paper, Width: 1})
	case Commits:
		d.Circle(m.X, m.Y, 3, t.Accent.Fade(a), paint.Pen{Colour: t.Paper, Width: 1})
	case Jumped:
		d.Circle(m.X, m.Y, markHalf+2, t.Paper, paint.Pen{})
		d.Clock(m.X, m.Y, markHalf+1, paint.Pen{Colour: t.Ink.Fade(a), Width: 1.4})
	}
}

// torn draws a tear through a page.
func (d *painter) torn(r geom.Rect, how paint.Pen) {
	x := r.MidX()
	d.Line(x-2, r.Y, x+2, r.Y+r.H/3, how)
	d.Line(x+2, r.Y+r.H/3, x-2, r.Y+2*r.H/3, how)
	d.Line(x-2, r.Y+2*r.H/3, x+1, r.Bottom(), how)
}

// word writes a word on a ground of its own, since lines pass below it.
func (d *painter) word(b text.Label) {
	r := b.Bounds()
	d.Panel(geom.R(r.X-1.5, r.Y-0.5, r.W+3, r.H+1), 2, d.Theme.Paper.Fade(0.82), paint.Pen{})
	if d.c != nil {
		b = b.Faded(0.6)
	}
	d.Label(&b)
}

// path draws what led to the selected event.
func (d *painter) path() {
	if d.c == nil {
		return
	}
	how := paint.Pen{Colour: d.Theme.Accent, Width: 2.6}
	for i, q := range d.c.Path {
		if i > 0 {
			from := d.c.Path[i-1]
			d.Line(from.X, from.Y, q.X, q.Y, how)
			if from.X != q.X && from.Y != q.Y {
				d.arrow(from.X, from.Y, q.X, q.Y, how)
			}
		}
		d.Circle(q.X, q.Y, 2.4, d.Theme.Accent, paint.Pen{})
	}
}
