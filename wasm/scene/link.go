package scene

// cutAt is where on a link the scissors are, as a part of the way down.
const cutAt = 0.72

// planLinks plans each client's connection: whole, broken, or none.
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

// stem is up to where the link goes on to the client's own znode, 0 if it does not.
func (l *Layout) stem(node int32, x float64) float64 {
	c := &l.places[node]
	if !c.shown || l.s.Nodes[node].Gone || x < c.x || x > c.right() {
		return 0
	}
	return c.bottom()
}
