package floor

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// Setting is what every part of a picture is planned from: the state at a moment, how to draw it, and the sizes that
// follow. It writes texts and records marks.
type Setting struct {
	text.Writer
	State   *view.State
	At      time.Duration
	Options Options
	Sizes   paint.Sizes
	Kind    kind
	// Visitors reports whether any program may be a client, and only contenders report their beliefs. Observed reports
	// whether no recipe runs and clients are known only as owners of ephemeral znodes.
	Visitors, Observed bool
	QueueOf            string        // parent of the queue's znodes
	Ring               []event.Actor // see view.State.Ring
	Marks              []mark.Mark
	Moving             bool // the same state would look different later
}

func (g *Setting) begin(s *view.State, at time.Duration, o Options) {
	g.Options, g.State, g.Words = o, s, o.Words
	g.Marks, g.Moving = g.Marks[:0], false
	if o.Still {
		at = s.At
	} else if s.Ended {
		at = min(at, s.At+view.Keep)
	}
	g.At, g.Ring = max(at, s.At), s.Ring()
	s.Tree.Order()
	g.decide()
}
