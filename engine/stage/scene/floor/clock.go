package floor

import (
	"time"

	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// OffClock plans, at x on a line, the clock of a server or a node whose time is off, if it is. It returns the clock's
// face and the width that all of it takes, of what is free.
func (f *Floor) OffClock(ahead time.Duration, id string, x, base, free float64, end text.Anchor) (face geom.Round,
	w float64) {
	if ahead == 0 {
		return face, 0
	}
	a, key, sign := f.Sizes.Note, "scene.clock.ahead", "+"
	if ahead < 0 {
		ahead, key, sign = -ahead, "scene.clock.behind", "−"
	}
	says := f.Say(sign, f.Seconds(ahead.Seconds())).Label()
	radius := a.Size * 0.55
	number := a.Fit(free-4*radius, says)
	w = a.Width(number)
	if end == text.Start {
		x += w + 3*radius
	}
	face = geom.Round{X: x - w - radius*1.5, Y: base - a.Size*0.36, R: radius}
	first := len(f.Marks)
	f.Shows(mark.Ahead, id, says, geom.Around(face.X, face.Y, radius))
	f.Saying(first, f.Phrase(key, f.Seconds(ahead.Seconds())))
	f.Texts = append(f.Texts, text.At(number, x, base, a, text.End, text.InkSignal, w))
	return face, w + 3*radius
}
