package scene

// cutAt is the position of the scissors on a link, as a part of the way down.
const cutAt = 0.72

// planLinks plans each client's connection: whole, broken or absent.
func (l *Layout) planLinks() {
	for i := range l.spots {
		l.planLink(i)
	}
}

func (l *Layout) planLink(i int) {
	c, p := &l.s.Clients[i], &l.spots[i]
	if p.r <= 0 || p.dot || p.gap > 0 {
		return
	}
	if !c.Started || c.Exited || c.Crashed || c.Session == 0 || !c.Linked && !spoke(c) {
		return
	}
	out := linkPlan{x: p.x, top: l.box.bottom(), bottom: p.y - ringOf(p.r) - p.r*0.35, client: i,
		name: c.Name}
	out.broken = !c.Linked || l.s.Lost || l.severed(c)
	if out.broken {
		r := max(6, 9*l.m.k)
		l.shows(CutMark, letter(i), "", around(p.x, mix(out.top, out.bottom, cutAt), r*1.5))
	}
	out.back = l.back(c).long != ""
	if s := p.slot; !out.broken && s >= 0 && int(s) < len(l.slots) && l.slots[s].node >= 0 {
		out.stem = l.stem(l.slots[s].node, p.x)
	}
	l.p.links = append(l.p.links, out)
}

// stem returns the y at which the link reaches the client's own znode, or 0 if it doesn't.
func (l *Layout) stem(node int32, x float64) float64 {
	c := &l.places[node]
	if !c.shown || l.s.Nodes[node].Gone || x < c.x || x > c.right() {
		return 0
	}
	return c.bottom()
}
