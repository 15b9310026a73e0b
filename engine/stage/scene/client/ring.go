package client

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
)

// planRing plans an arrow from each client of a ring to the one that it waits for.
func (cs *Clients) planRing() {
	ring := cs.f.Ring
	for i, a := range ring {
		cs.planArrow(a, ring[(i+1)%len(ring)])
	}
}

// planArrow plans a straight arrow between neighbours with room between them, and otherwise one over the heads.
func (cs *Clients) planArrow(a, b event.Actor) {
	f := cs.f
	p, q := &f.Spots[a-1], &f.Spots[b-1]
	if p.R <= 0 || p.Dot || q.Dot {
		return
	}
	far := floor.RingOf(p.R)
	dx, dy, lift := (q.X-p.X)/2, (q.Y-p.Y)/2, 0.0
	switch half := geom.Dist(dx, dy); {
	case a == b:
		dx, lift = -far*1.8, far*2.6
	case half > f.Routes.Pitch*0.8 || half < far*1.5:
		dx, dy, lift = dx*0.4, dy*0.4, min(far*1.4+half*0.25, far*4)
	}
	var c geom.Cubic
	c.X1, c.Y1, c.X2, c.Y2 = p.X+dx, p.Y+dy-lift, q.X-dx, q.Y-dy-lift
	c.X0, c.Y0 = towards(p.X, p.Y, c.X1, c.Y1, far*1.22)
	c.X3, c.Y3 = towards(q.X, q.Y, c.X2, c.Y2, far*1.22)
	f.Wires = append(f.Wires, paint.Wire{Cubic: c, Look: paint.RingWire})
	size := far * 0.3
	x, y := towards(c.X3, c.Y3, c.X2, c.Y2, size)
	dx, dy = (x-c.X3)*0.6, (y-c.Y3)*0.6
	f.Wire(x-dy, y+dx, c.X3, c.Y3, paint.RingHead)
	f.Wire(x+dy, y-dx, c.X3, c.Y3, paint.RingHead)
	f.Shows(mark.Ring, a.Letter(), b.Letter(), geom.Around(c.X3, c.Y3, size*1.5))
}

// towards returns the point at a distance from one point on the way to another.
//
//go:noinline
func towards(x, y, x3, y3, far float64) (float64, float64) {
	part := far / geom.Dist(x3-x, y3-y)
	return geom.Mix(x, x3, part), geom.Mix(y, y3, part)
}
