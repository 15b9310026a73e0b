package floor

import (
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
)

// KnowsNone reports whether a log without a transaction proves that there was none: an observed log may lack some.
func (g *Setting) KnowsNone() bool {
	t := g.State.Header.Host.Traits()
	return t.Computed || t.Machines
}

// rail is a line from a znode to those below it: down to y, then to both sides, with a drop to each znode.
type rail struct {
	from      geom.Rect
	y, Lo, Hi float64
}

// NewRail returns a rail below a znode. part says how far down it lies on the way to the znodes below.
func NewRail(from geom.Rect, to, part float64) rail {
	x := from.MidX()
	return rail{from, from.Bottom() + max(3, (to-from.Bottom())*part), x, x}
}

// Drop plans a line from a rail down to a znode.
func (f *Floor) Drop(r *rail, x, to float64) {
	f.Wire(x, r.y, x, to, paint.StraightWire)
	r.Lo, r.Hi = min(r.Lo, x), max(r.Hi, x)
}

// PlanRail plans the part that all drops share.
func (f *Floor) PlanRail(r rail) {
	f.Wire(r.from.MidX(), r.from.Bottom(), r.from.MidX(), r.y, paint.StraightWire)
	f.Wire(r.Lo, r.y, r.Hi, r.y, paint.StraightWire)
}
