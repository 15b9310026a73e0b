package scene

// cutAt is the position of the scissors on a link, as a part of the way down.
const cutAt = 0.72

// planLinks plans each client's connection: whole, broken or absent.
func (cs *clients) planLinks() {
	for i := range cs.spots {
		cs.planLink(i)
	}
}

func (cs *clients) planLink(i int) {
	c, p := &cs.s.Clients[i], &cs.spots[i]
	if p.r <= 0 || p.dot || p.gap > 0 {
		return
	}
	if !c.Started || c.Exited || c.Crashed || c.Session == 0 || !c.Linked && !spoke(c) {
		return
	}
	out := linkPlan{x: p.x, top: cs.box.bottom(), bottom: p.y - ringOf(p.r) - p.r*0.35, client: i,
		name: c.Name}
	out.broken = !c.Linked || cs.s.Lost || cs.severed(c)
	if out.broken {
		r := max(6, 9*cs.m.k)
		cs.shows(CutMark, letter(i), "", around(p.x, mix(out.top, out.bottom, cutAt), r*1.5))
	}
	out.back = cs.facts.back(c).long != ""
	if s := p.slot; !out.broken && s >= 0 && int(s) < len(cs.slots) && cs.slots[s].node >= 0 {
		out.stem = cs.stem(cs.slots[s].node, p.x)
	}
	cs.links = append(cs.links, out)
}

// stem returns the y at which the link reaches the client's own znode, or 0 if it doesn't.
func (cs *clients) stem(node int32, x float64) float64 {
	c := &cs.places[node]
	if !c.shown || cs.s.Nodes[node].Gone || x < c.x || x > c.right() {
		return 0
	}
	return c.bottom()
}
