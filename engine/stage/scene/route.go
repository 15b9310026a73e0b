package scene

import "math"

// routing says how lines get from the clients to the znodes without crossing the cards: through the gutters between the
// columns.
type routing struct {
	rows, cols      int
	left, pitch     float64
	cardTop         float64
	clientTop       float64 // top of the first row
	solo            bool    // one card alone: nothing is in the way
	tree            bool    // lines arrive from the right
	treeX, treeStep float64
	fine            bool // many lines: thin lines, small pulses
	free            bool // cards stand anywhere in one row: lines take the nearest gap
}

// goal is the target of a client's line: a znode, with its slot or -1.
type goal struct {
	rect
	slot int32
	all  int  // number of clients that watch it, or that it notifies, like this line's client
	nth  int  // number of these left of this line's client
	left int  // number of these left of the znode
	told bool // the line is a notification's: no eye at its end
}

// goal returns the target of client i's lines to a znode. It is false if the znode isn't visible.
func (ws *watches) goal(i int, path string, told bool) (goal, bool) {
	target, slot, ok := ws.find(path)
	g := goal{rect: target, slot: slot, nth: i, all: len(ws.s.Clients), told: told}
	if !ok || i < 0 || ws.crowded || len(ws.s.Watches) > 2*maxGrid {
		return g, ok
	}
	ws.watchers = resize(ws.watchers, len(ws.s.Clients))
	g.nth, g.all = 0, 0
	for k := range ws.s.Watches {
		w := &ws.s.Watches[k]
		c := ws.client(w.Client)
		if c < 0 || ws.watchers[c] || w.Path != path || w.Over != told || ws.faded(w) {
			continue
		}
		ws.watchers[c] = true
		g.all++
		if ws.spots[c].x < ws.spots[i].x {
			g.nth++
		}
		if ws.spots[c].x <= target.midX() {
			g.left++
		}
	}
	return g, true
}

// route traces the line from client i to its goal. It is false if the client has no place.
func (ws *watches) route(i int, target goal, out *path) bool {
	p := &ws.spots[i]
	if p.r <= 0 || p.dot {
		return false
	}
	out.n = 0
	switch {
	case ws.routes.tree:
		ws.routeTree(i, p, target, out)
	case target.slot >= 0 && ws.routes.rows == 1, ws.routes.solo && ws.routes.rows == 1:
		x := ws.landing(i, target)
		sx, sy := takeOff(p, x)
		out.add(upright(sx, sy, x, target.bottom()+ws.eyeR()))
	case ws.routes.free && target.slot >= 0:
		x := target.midX()
		sx, sy := takeOff(p, x)
		out.add(upright(sx, sy, x, target.bottom()+ws.eyeR()))
	default:
		ws.routeGutter(i, p, target, out)
	}
	return true
}

func (f *floor) eyeR() float64 {
	return min(max(4, 5.5*f.m.k), max(3, f.routes.pitch*0.12))
}

// takeOff returns the point where a line to x leaves a client.
func takeOff(p *spot, x float64) (sx, sy float64) {
	ring := ringOf(p.r) + 2
	a := 0.5
	if math.Abs(x-p.x) < 2 {
		a = 0.12
	}
	if x < p.x {
		a = -a
	}
	return p.x + ring*math.Sin(a), p.y - ring*math.Cos(a)
}

// landing returns the x at which the line of client i meets the lower edge of the target.
func (ws *watches) landing(i int, target goal) float64 {
	p := &ws.spots[i]
	if target.slot >= 0 { // towards the watcher, clear of the owner's line
		side, nth, all := 1.0, target.nth-target.left, target.all-target.left
		if p.x <= target.midX() {
			side, nth, all = -1, target.left-1-target.nth, target.left
		}
		if all < 2 {
			return target.midX() + side*target.w*0.27
		}
		step := min(2.3*ws.eyeR(), target.w*0.38/float64(all-1))
		return target.midX() + side*(target.w*0.1+float64(nth)*step)
	}
	n, k := max(len(ws.slots), 2), float64(p.slot)
	if ws.routes.free {
		n, k = max(len(ws.s.Clients), 2), float64(p.col)
	}
	if n > maxEyes*2 {
		return target.midX()
	}
	step := min(2.3*ws.eyeR(), target.w*0.9/float64(n))
	return target.midX() + (k-float64(n-1)/2)*step
}

// routeGutter leads a line up the gutter next to the client's column.
func (ws *watches) routeGutter(i int, p *spot, target goal, out *path) {
	g := &ws.routes
	x := ws.landing(i, target)
	gx := ws.gutter(i, p, x, target.slot)
	low := ws.box.bottom()
	if g.rows == 1 {
		sx, sy := takeOff(p, gx)
		out.add(upright(sx, sy, gx, low-2))
	} else {
		if g.solo { // nothing is in the way above the clients
			low = g.clientTop
		}
		ring := ringOf(p.r)
		side := ring * 0.8
		if gx < p.x {
			side = -side
		}
		out.add(cubic{p.x + side, p.y - ring*0.62, gx, p.y - ring*0.8, gx, p.y - ring, gx, p.y - ring*1.4})
		out.add(straight(gx, p.y-ring*1.4, gx, low-2))
	}
	end := target.bottom() + ws.eyeR()
	switch turn := min(g.cardTop-1, low-3); {
	case g.solo:
		out.add(upright(gx, low-2, x, end))
	case target.slot >= 0 && end < low-6:
		out.add(straight(gx, low-2, gx, end+4))
		out.add(cubic{gx, end + 4, gx, end, x, end + 4, x, end})
	case target.slot >= 0:
		out.add(cubic{gx, low - 2, gx, end, x, low, x, end})
	default:
		out.add(straight(gx, low-2, gx, turn))
		out.add(cubic{gx, turn, gx, mix(turn, end, 0.7), x, mix(turn, end, 0.45), x, end})
	}
}

// gutter returns the x of the gutter for a line from client i to x.
func (ws *watches) gutter(i int, p *spot, x float64, slot int32) float64 {
	g := &ws.routes
	col := float64(p.col)
	if x > p.x {
		col++
	}
	if g.free {
		col = min(max(math.Round((p.x-g.left)/g.pitch), 0), float64(g.cols))
	}
	if slot >= 0 && g.rows > 1 { // the gutter right or left of the target's column
		col = float64(p.col)
		if tc := float64(int(slot) % g.cols); tc > col {
			col++
		}
	}
	gx := g.left + col*g.pitch
	if g.free {
		gx -= max(5, 10*ws.m.k) / 2 // cards begin at the left of their column
	}
	return gx + float64(i%3-1)*min(2.5*ws.m.k, g.pitch*0.05)
}
