package floor

import (
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// Shows records that the datum is drawn at r.
//
//go:noinline
func (g *Setting) Shows(kind mark.Kind, subject, value string, r geom.Rect) {
	g.Marks = append(g.Marks, mark.At(kind, subject, value, r))
}

// Saying records the picture's words for the marks from the n-th on.
func (g *Setting) Saying(n int, said string) {
	for ; n < len(g.Marks); n++ {
		g.Marks[n].Said = said
	}
}

// Labelled records that a text shows the datum, unless the text is empty.
func (g *Setting) Labelled(kind mark.Kind, subject, value string, b *text.Label) {
	if b.Text != "" && b.Alpha > 0.02 { // else it is faded out
		g.Shows(kind, subject, value, b.Bounds())
	}
}

// Moved changes the place of the last mark with that kind and subject.
func (g *Setting) Moved(kind mark.Kind, subject string, r geom.Rect) {
	for i := len(g.Marks) - 1; i >= 0; i-- {
		if m := &g.Marks[i]; m.Kind == kind && m.Subject == subject {
			m.X, m.Y, m.W, m.H = r.X, r.Y, r.W, r.H
			return
		}
	}
}
