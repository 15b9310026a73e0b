package watch

import (
	"math"

	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
)

// goal is the target of a client's line: a znode, with its slot or -1.
type goal struct {
	geom.Rect
	slot int32
	all  int  // number of clients that watch it, or that it notifies, like this line's client
	nth  int  // number of these left of this line's client
	left int  // number of these left of the znode
	told bool // the line is a notification's: no eye at its end
}

// Goal returns the target of client i's lines to a znode. It is false if the znode isn't visible.
func (ws *Watches) Goal(i int, path string, told bool) (goal, bool) {
	f := ws.f
	target, slot, ok := f.Find(path)
	g := goal{Rect: target, slot: slot, nth: i, all: len(f.State.Clients), told: told}
	if !ok || i < 0 || f.Crowded || len(f.State.Watches.List) > 2*floor.MaxGrid {
		return g, ok
	}
	ws.watchers = append(ws.watchers[:0], make([]bool, len(f.State.Clients))...)
	g.nth, g.all = 0, 0
	for k := range f.State.Watches.List {
		w := &f.State.Watches.List[k]
		c := f.Client(w.Client)
		if c < 0 || ws.watchers[c] || w.Path != path || w.Over != told || f.Faded(w) {
			continue
		}
		ws.watchers[c] = true
		g.all++
		if f.Spots[c].X < f.Spots[i].X {
			g.nth++
		}
		if f.Spots[c].X <= target.MidX() {
			g.left++
		}
	}
	return g, true
}

// Route traces the line from client i to its goal. It is false if the client has no place.
func (ws *Watches) Route(i int, target goal, out *geom.Path) bool {
	f := ws.f
	p := &f.Spots[i]
	if p.R <= 0 || p.Dot {
		return false
	}
	out.N = 0
	switch {
	case f.Routes.Tree:
		ws.routeTree(i, p, target, out)
	case target.slot >= 0 && f.Routes.Rows == 1, f.Routes.Solo && f.Routes.Rows == 1:
		x := ws.landing(i, target)
		sx, sy := TakeOff(p, x)
		out.Add(geom.Upright(sx, sy, x, target.Bottom()+f.EyeR()))
	case f.Routes.Free && target.slot >= 0:
		x := target.MidX()
		sx, sy := TakeOff(p, x)
		out.Add(geom.Upright(sx, sy, x, target.Bottom()+f.EyeR()))
	default:
		ws.routeGutter(i, p, target, out)
	}
	return true
}

// TakeOff returns the point where a line to x leaves a client.
func TakeOff(p *floor.Spot, x float64) (sx, sy float64) {
	ring := floor.RingOf(p.R) + 2
	a := 0.5
	if math.Abs(x-p.X) < 2 {
		a = 0.12
	}
	if x < p.X {
		a = -a
	}
	return p.X + ring*math.Sin(a), p.Y - ring*math.Cos(a)
}

// landing returns the x at which the line of client i meets the lower edge of the target.
func (ws *Watches) landing(i int, target goal) float64 {
	f := ws.f
	p := &f.Spots[i]
	if target.slot >= 0 { // towards the watcher, clear of the owner's line
		side, nth, all := 1.0, target.nth-target.left, target.all-target.left
		if p.X <= target.MidX() {
			side, nth, all = -1, target.left-1-target.nth, target.left
		}
		if all < 2 {
			return target.MidX() + side*target.W*0.27
		}
		step := min(2.3*f.EyeR(), target.W*0.38/float64(all-1))
		return target.MidX() + side*(target.W*0.1+float64(nth)*step)
	}
	n, k := max(len(f.Slots), 2), float64(p.Slot)
	if f.Routes.Free {
		n, k = max(len(f.State.Clients), 2), float64(p.Col)
	}
	if n > MaxEyes*2 {
		return target.MidX()
	}
	step := min(2.3*f.EyeR(), target.W*0.9/float64(n))
	return target.MidX() + (k-float64(n-1)/2)*step
}

// routeGutter leads a line up the gutter next to the client's column.
func (ws *Watches) routeGutter(i int, p *floor.Spot, target goal, out *geom.Path) {
	f := ws.f
	g := &f.Routes
	x := ws.landing(i, target)
	gx := ws.gutter(i, p, x, target.slot)
	low := f.Box.Bottom()
	if g.Rows == 1 {
		sx, sy := TakeOff(p, gx)
		out.Add(geom.Upright(sx, sy, gx, low-2))
	} else {
		if g.Solo { // nothing is in the way above the clients
			low = g.ClientTop
		}
		ring := floor.RingOf(p.R)
		side := ring * 0.8
		if gx < p.X {
			side = -side
		}
		out.Add(geom.Curve(p.X+side, p.Y-ring*0.62, gx, p.Y-ring*0.8, gx, p.Y-ring, gx, p.Y-ring*1.4))
		out.Add(geom.Straight(gx, p.Y-ring*1.4, gx, low-2))
	}
	end := target.Bottom() + f.EyeR()
	switch turn := min(g.CardTop-1, low-3); {
	case g.Solo:
		out.Add(geom.Upright(gx, low-2, x, end))
	case target.slot >= 0 && end < low-6:
		out.Add(geom.Straight(gx, low-2, gx, end+4))
		out.Add(geom.Curve(gx, end+4, gx, end, x, end+4, x, end))
	case target.slot >= 0:
		out.Add(geom.Curve(gx, low-2, gx, end, x, low, x, end))
	default:
		out.Add(geom.Straight(gx, low-2, gx, turn))
		out.Add(geom.Curve(gx, turn, gx, geom.Mix(turn, end, 0.7), x, geom.Mix(turn, end, 0.45), x, end))
	}
}

// gutter returns the x of the gutter for a line from client i to x.
func (ws *Watches) gutter(i int, p *floor.Spot, x float64, slot int32) float64 {
	f := ws.f
	g := &f.Routes
	col := float64(p.Col)
	if x > p.X {
		col++
	}
	if g.Free {
		col = min(max(math.Round((p.X-g.Left)/g.Pitch), 0), float64(g.Cols))
	}
	if slot >= 0 && g.Rows > 1 { // the gutter right or left of the target's column
		col = float64(p.Col)
		if tc := float64(int(slot) % g.Cols); tc > col {
			col++
		}
	}
	gx := g.Left + col*g.Pitch
	if g.Free {
		gx -= max(5, 10*f.Sizes.K) / 2 // cards begin at the left of their column
	}
	lane := float64(i%3 - 1)
	if g.Rows == 1 && !g.Free { // neighbours that share a gutter keep to their own sides, so that their lines don't cross
		lane = 1
		if gx > p.X {
			lane = -1
		}
	}
	return gx + lane*min(2.5*f.Sizes.K, g.Pitch*0.05)
}

// lowest reports whether nothing is drawn below a rectangle in a tree.
func (ws *Watches) lowest(r geom.Rect) bool {
	f := ws.f
	if f.Routes.More {
		return false
	}
	for i := range f.Places {
		if p := &f.Places[i]; p.Shown && p.Y > r.MidY() {
			return false
		}
	}
	for i := range f.Hubs {
		if f.Hubs[i].Y > r.MidY() {
			return false
		}
	}
	return true
}

// routeTree leads a line up a lane of its own at the right of the box, and to the right edge of the row. For a znode in
// a row of several it runs below the row, clear of their names, or straight up to it if that row is the last.
func (ws *Watches) routeTree(i int, p *floor.Spot, target goal, out *geom.Path) {
	f := ws.f
	g := &f.Routes
	lane := g.TreeX + float64(i+1)*g.TreeStep
	r := f.EyeR()
	third, middle := float64(target.nth%3), float64(target.all-1)/2 // no eye covers another, no line crosses one
	if target.told {
		third = 0
	}
	x, y := target.Right()+r+2+third*r*2.4, target.MidY()
	if target.slot >= 0 {
		x = target.MidX() + (third-1)*min(r*1.6, target.W*0.3)
		y = target.Bottom() + (1.5+third)*f.Sizes.K
	} else {
		x = min(x, lane-min(10*f.Sizes.K, 8))
		y += (middle - float64(target.nth)) * min(r*1.6, (target.H-1.75*r)/max(2*middle, 1)) // between other boxes
	}
	low := f.Box.Bottom()
	if target.slot >= 0 && g.Rows <= 1 && ws.lowest(target.Rect) { // nothing is in the way
		sx, sy := TakeOff(p, x)
		out.Add(geom.Upright(sx, sy, x, target.Bottom()+r))
		return
	}
	sx, sy := TakeOff(p, lane)
	out.Add(geom.Upright(sx, sy, lane, low))
	bend := min(10*f.Sizes.K, (low-y)*0.5)
	out.Add(geom.Straight(lane, low, lane, y+bend))
	out.Add(geom.Curve(lane, y+bend, lane, y, lane, y, lane-bend, y))
	out.Add(geom.Straight(lane-bend, y, x, y))
}
