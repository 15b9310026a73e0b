package remote

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
	"github.com/zkviz/zkviz/engine/stage/scene/watch"
)

// wayPlan is a client's connection to a node, or its line to its place in a queue there.
type wayPlan struct {
	_      view.Incomparable
	way    geom.Path
	client int
	name   string // name of the client
	look   wayLook
	faint  bool       // one of many
	at     geom.Round // the scissors on a broken connection, or the eye at the end
}

type wayLook uint8

const (
	wayOpen   wayLook = iota
	wayBroken         // nothing gets through
	wayBegun          // the client is connecting
	wayGhost          // the node believes it is open, but the client is gone
	wayKept           // continues to its place in the queue
	wayWatch          // leads to what the client listens for
)

// mostFans is the maximum number of clients drawn with a line to each of the independent nodes.
const mostFans = 8

// cutFrom is the position of the scissors on a connection, as a part of the way from the client.
const cutFrom = 0.35

// ways plans the clients' connections to the nodes.
type ways struct {
	*Holdings
	lines []wayPlan
}

// planRemoteLinks plans the clients' connections to the nodes.
func (ws *ways) planRemoteLinks() {
	for i := range ws.f.Spots {
		ws.planRemoteLink(i)
	}
}

func (ws *ways) planRemoteLink(i int) {
	f := ws.f
	c, p := &f.State.Clients[i], &f.Spots[i]
	if p.R <= 0 || p.Dot || !c.Started || c.Exited || !c.Vanished && (c.Crashed || !c.Linked && !floor.Spoke(c)) {
		return
	}
	ws.planStanding(i)
	ws.planListening(i)
	if p.Gap > 0 || !f.Talks(c) {
		return
	}
	look := wayOpen
	switch {
	case c.Vanished:
		look = wayGhost
	case f.Connects(i, false):
		look = wayBegun
	case c.Cut || f.Severed(c):
		look = wayBroken
	case !c.Linked:
		look = wayBegun
	}
	first, last := ws.nodesOf(c, look == wayBegun)
	if f.Kind == floor.RemoteKind && ws.Holders[i].stands && look == wayOpen && first == last {
		return // planStanding draws it together with the rest of its line
	}
	for node := first; node <= last; node++ {
		if first < last && f.State.Remotes.Nodes[node].Down {
			continue
		}
		ws.lines = append(ws.lines, wayPlan{})
		w := &ws.lines[len(ws.lines)-1]
		w.client, w.name, w.look, w.faint = i, c.Name, look, first < last
		ws.remoteWay(i, node, &w.way)
		if r := &f.State.Remotes.Nodes[node]; look == wayOpen && (r.Down || c.Paused && r.Since > c.PausedAt) {
			w.look = wayBroken // the node has restarted since the pause; the client doesn't know
		}
		if w.look == wayBroken {
			x, y := w.way.At(cutFrom)
			r := max(6, 9*f.Sizes.K)
			w.at = geom.Round{X: x, Y: y, R: r}
			f.Shows(mark.Cut, text.Letter(i), "", geom.Around(x, y, r*1.5))
		}
	}
}

// nodesOf returns the first and the last node, from 0, to which a client has connections: all nodes of a system of
// independent ones, else the node it talks to, did, or begins to.
func (ws *ways) nodesOf(c *view.Client, begins bool) (first, last int) {
	node, y := ws.drawn(c.Talks)
	if node < 0 || begins && !c.Talking() {
		y, node = 0, ws.primaryOf(&ws.systems[0])
	}
	sys := &ws.systems[y]
	if sys.apart && sys.nodes > 1 && len(ws.f.State.Clients) <= mostFans {
		return sys.first, sys.first + sys.nodes - 1
	}
	if sys.apart && sys.nodes > 1 {
		return 0, -1
	}
	return node, node
}

// primaryOf returns the primary node of a system.
func (ws *ways) primaryOf(y *remoteSystem) int {
	for node := y.first; node < y.first+y.nodes; node++ {
		if !ws.f.State.Remotes.Nodes[node].Replica {
			return node
		}
	}
	return y.first
}

// remoteWay traces the line from client i to the nearer edge of a node. The lines arrive in the order of the clients.
func (ws *ways) remoteWay(i, node int, out *geom.Path) {
	f := ws.f
	p, b, z := &f.Spots[i], ws.boxes[node], &ws.sizes
	out.N = 0
	inset := max(5, 10*f.Sizes.K)
	x := min(max(p.X+p.Gap, b.X+inset), b.Right()-inset)
	if len(ws.boxes) > 1 {
		in := f.Inner()
		x = geom.Mix(b.X+inset, b.Right()-inset, (p.X+p.Gap-in.X)/in.W)
	}
	if f.Kind != floor.RemoteKind {
		out.Add(geom.Upright(p.X, z.low, x, b.Y))
		return
	}
	top := p.Y - floor.RingOf(p.R) - p.R*0.35
	if p.Gap > 0 {
		out.Add(geom.Straight(p.X+p.Gap, p.Y, p.X+p.Gap, z.low))
		top = z.low
	}
	out.Add(geom.Upright(p.X+p.Gap, top, x, b.Bottom()))
}

// planStanding plans the line from a client whose request waits to its place in the queue.
func (ws *ways) planStanding(i int) {
	f := ws.f
	k, c := &ws.Holders[i], &f.State.Clients[i]
	node, _ := ws.drawn(c.KeptAt)
	if !k.stands || node < 0 || f.Kind != floor.RemoteKind {
		return
	}
	ws.lines = append(ws.lines, wayPlan{})
	w := &ws.lines[len(ws.lines)-1]
	w.client, w.name, w.look = i, c.Name, wayKept
	ws.remoteWay(i, node, &w.way)
	x, y := w.way.At(1)
	w.way.Add(geom.Upright(x, y, k.x, k.y))
}

// planListening plans the line from a client to the entry or channel it listens for, with an eye next to that.
func (ws *ways) planListening(i int) {
	f := ws.f
	c, p := &f.State.Clients[i], &f.Spots[i]
	node, y := ws.drawn(c.ListensAt)
	at := -1
	if f.Listens(c) {
		at = ws.cell(c.ListensAt, c.Listens)
	}
	if node < 0 || at < 0 {
		return
	}
	cell, ok := ws.cellRect(node, &ws.systems[y], at%len(ws.items))
	if !ok {
		return
	}
	card, q := ws.cardRect(cell), &ws.queues[at]
	gap := cell.W - card.W // the eye must not reach the next card
	r := min(f.EyeR(), max(2.5, gap*0.5+2))
	n, step := float64(min(q.told, watch.MaxEyes)), r*2.3
	if n > 1 {
		step = min(step, (card.H-2*r)/(n-1))
	}
	k := float64(min(q.eyes, watch.MaxEyes-1))
	q.eyes++
	x, eye := card.Right()+max(1, min(gap*0.4, r)), card.MidY()+(k-(n-1)/2)*step
	ws.lines = append(ws.lines, wayPlan{})
	w := &ws.lines[len(ws.lines)-1]
	w.client, w.name, w.look, w.at = i, c.Name, wayWatch, geom.Round{X: x, Y: eye, R: r}
	low := ws.boxes[node].Bottom()
	sx, sy := watch.TakeOff(p, x)
	if p.Gap > 0 {
		sx, sy = p.X+p.Gap, ws.sizes.low
		w.way.Add(geom.Straight(p.X+p.Gap, p.Y, sx, sy))
	}
	w.way.Add(geom.Upright(sx, sy, x, low))
	w.way.Add(geom.Straight(x, low, x, eye))
	noted := len(f.Marks)
	f.Shows(mark.Watch, text.Letter(i), c.Listens, geom.Around(x, eye, r))
	f.Saying(noted, ws.fullName(c.Listens))
}
