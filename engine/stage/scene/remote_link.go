package scene

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
)

// wayPlan is a client's connection to a node, or its line to its place in a queue there.
type wayPlan struct {
	way    path
	client int
	name   string // name of the client
	look   wayLook
	faint  bool     // one of many
	at     spotMark // the scissors on a broken connection, or the eye at the end
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
	*holdings
	lines []wayPlan
}

// planRemoteLinks plans the clients' connections to the nodes.
func (ws *ways) planRemoteLinks() {
	for i := range ws.spots {
		ws.planRemoteLink(i)
	}
}

func (ws *ways) planRemoteLink(i int) {
	c, p := &ws.s.Clients[i], &ws.spots[i]
	if p.r <= 0 || p.dot || !c.Started || c.Exited || c.Crashed && !c.Vanished || !c.Linked && !spoke(c) && !c.Vanished {
		return
	}
	ws.planStanding(i)
	ws.planListening(i)
	if p.gap > 0 || !ws.talks(c) {
		return
	}
	first, last := ws.nodesOf(c)
	look := wayOpen
	switch {
	case c.Vanished:
		look = wayGhost
	case c.Cut || ws.severed(c):
		look = wayBroken
	case !c.Linked:
		look = wayBegun
	}
	if ws.kind == remoteKind && ws.holders[i].stands && look == wayOpen && first == last {
		return // planStanding draws it together with the rest of its line
	}
	for node := first; node <= last; node++ {
		if first < last && ws.s.Remotes[node].Down {
			continue
		}
		w := added(&ws.lines)
		w.client, w.name, w.look, w.faint = i, c.Name, look, first < last
		ws.remoteWay(i, node, &w.way)
		if r := &ws.s.Remotes[node]; look == wayOpen && (r.Down || c.Paused && r.Since > c.PausedAt) {
			w.look = wayBroken // the node has restarted since the pause; the client doesn't know
		}
		if w.look == wayBroken {
			x, y := w.way.at(cutFrom)
			r := max(6, 9*ws.m.k)
			w.at = spotMark{x, y, r}
			ws.shows(CutMark, letter(i), "", around(x, y, r*1.5))
		}
	}
}

// nodesOf returns the first and the last node, from 0, to which a client has connections: all nodes of a system of
// independent ones, else the node it talks to, or would.
func (ws *ways) nodesOf(c *view.Client) (first, last int) {
	node, y := ws.drawn(c.Talks)
	if node < 0 {
		y, node = 0, ws.primaryOf(&ws.systems[0])
	}
	sys := &ws.systems[y]
	if sys.apart && sys.nodes > 1 && len(ws.s.Clients) <= mostFans {
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
		if !ws.s.Remotes[node].Replica {
			return node
		}
	}
	return y.first
}

// remoteWay traces the line from client i to the nearer edge of a node. The lines arrive in the order of the clients.
func (ws *ways) remoteWay(i, node int, out *path) {
	p, b, z := &ws.spots[i], ws.boxes[node], &ws.sizes
	out.n = 0
	inset := max(5, 10*ws.m.k)
	x := min(max(p.x+p.gap, b.x+inset), b.right()-inset)
	if len(ws.boxes) > 1 {
		in := ws.inner()
		x = mix(b.x+inset, b.right()-inset, (p.x+p.gap-in.x)/in.w)
	}
	if ws.kind != remoteKind {
		out.add(upright(p.x, z.low, x, b.y))
		return
	}
	top := p.y - ringOf(p.r) - p.r*0.35
	if p.gap > 0 {
		out.add(straight(p.x+p.gap, p.y, p.x+p.gap, z.low))
		top = z.low
	}
	out.add(upright(p.x+p.gap, top, x, b.bottom()))
}

// planStanding plans the line from a client whose request waits to its place in the queue.
func (ws *ways) planStanding(i int) {
	k, c := &ws.holders[i], &ws.s.Clients[i]
	node, _ := ws.drawn(c.KeptAt)
	if !k.stands || node < 0 || ws.kind != remoteKind {
		return
	}
	w := added(&ws.lines)
	w.client, w.name, w.look = i, c.Name, wayKept
	ws.remoteWay(i, node, &w.way)
	x, y := w.way.at(1)
	w.way.add(upright(x, y, k.x, k.y))
}

// listens reports whether a client waits for a notification from a node.
func (g *setting) listens(c *view.Client) bool {
	return c.Listens != "" && g.kind == remoteKind && !c.Belief.Phase.Inside() && !c.Belief.Phase.Traits().Over &&
		!c.Crashed && !c.Exited
}

// planListening plans the line from a client to the entry or channel it listens for, with an eye next to that.
func (ws *ways) planListening(i int) {
	c, p := &ws.s.Clients[i], &ws.spots[i]
	node, y := ws.drawn(c.ListensAt)
	at := -1
	if ws.listens(c) {
		at = ws.cell(c.ListensAt, c.Listens)
	}
	if node < 0 || at < 0 {
		return
	}
	cell, ok := ws.cellRect(node, &ws.systems[y], at%len(ws.items))
	if !ok || ws.o.Height < 300 { // the lane is too low
		return
	}
	card, q := ws.cardRect(cell), &ws.queues[at]
	gap := cell.w - card.w // the eye must not reach the next card
	r := min(ws.eyeR(), max(2.5, gap*0.5+2))
	n, step := float64(min(q.told, maxEyes)), r*2.3
	if n > 1 {
		step = min(step, (card.h-2*r)/(n-1))
	}
	k := float64(min(q.eyes, maxEyes-1))
	q.eyes++
	x, eye := card.right()+max(1, min(gap*0.4, r)), card.midY()+(k-(n-1)/2)*step
	w := added(&ws.lines)
	w.client, w.name, w.look, w.at = i, c.Name, wayWatch, spotMark{x, eye, r}
	sx, sy := takeOff(p, x)
	low := ws.boxes[node].bottom()
	if p.gap > 0 {
		sx, sy = p.x+p.gap, ws.sizes.low
		w.way.add(straight(p.x+p.gap, p.y, sx, sy))
	}
	w.way.add(upright(sx, sy, x, low))
	w.way.add(straight(x, low, x, eye))
	mark := len(ws.marks)
	ws.shows(WatchMark, letter(i), c.Listens, around(x, eye, r))
	ws.saying(mark, ws.fullName(c.Listens))
}
