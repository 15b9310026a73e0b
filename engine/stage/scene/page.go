package scene

import (
	"slices"
	"strings"
)

// If a list doesn't fit, the picture shows a page of it, and marks that lead to the other pages. The selection decides
// which page, so no state is needed: a mark selects the first element of the next page.

// span is the part of a list that is drawn: from the first element to before the last. Its zero value is empty.
type span struct{ from, to int }

// pageOf returns the page of a list of n that contains the chosen index, -1 for none. The first page holds first
// elements, all others hold rest.
func pageOf(n, first, rest, chosen int) span {
	first, rest = max(first, 1), max(rest, 1)
	if chosen < first {
		return span{0, min(first, n)}
	}
	from := first + (chosen-first)/rest*rest
	return span{from, min(from+rest, n)}
}

// chosen returns the path of the selected znode, or of the selected client's own znode, or "".
func (t *cast) chosen() string {
	if strings.HasPrefix(t.o.Selected, "/") {
		return t.o.Selected
	}
	for i, k := range t.owned {
		if k >= 0 && t.s.Clients[i].Name == t.o.Selected {
			return t.s.Nodes[k].Path
		}
	}
	return ""
}

// chosenSlot returns the slot of the chosen znode, or -1.
func (f *floor) chosenSlot(slots []slot) int {
	path := f.chosen()
	for i, s := range slots {
		if path != "" && s.node >= 0 && f.s.Nodes[s.node].Path == path {
			return i
		}
	}
	return -1
}

// more writes in r that there is more, and leads to path there.
func (z *znodes) more(to *[]nodePlan, s, path string, back bool, r rect) {
	a := z.m.note
	p := added(to)
	p.rect, p.hit, p.path, p.look, p.owner, p.alpha = r, r, path, asMore, -1, 1
	p.back = back
	p.name = text(s, r.x+3, r.midY()+a.size*0.36, a, Start, inkSoft, r.w-3)
}

// plus returns the short form of "n more".
func (w *writer) plus(n int) string { return w.say("+", w.grouped(n)).label() }

// turns returns how many slots at the head have the lock, at most most.
func (f *floor) turns(slots []slot, most int) int {
	for i, s := range slots[:min(len(slots), most)] {
		if s.node < 0 || !f.holds(&f.s.Nodes[s.node], f.owner(&f.s.Nodes[s.node])) {
			return i
		}
	}
	return min(len(slots), most)
}

// Turn returns what to select for the next page, or for the previous one if back is true, or "" if there is none.
func (p *Plan) Turn(back bool) string {
	leads := func(n nodePlan) bool { return n.look == asMore && n.back == back }
	for _, list := range [2][]nodePlan{p.l.znodes.rows, p.l.znodes.cards} {
		i := slices.IndexFunc(list, leads)
		for k := i + 1; !back && k < len(list) && i >= 0; k++ { // the last such mark leads past all rows
			if leads(list[k]) {
				i = k
			}
		}
		if i >= 0 {
			return list[i].path
		}
	}
	switch c := &p.l.crowd; {
	case !c.paged:
	case back && len(c.ticksBefore) > 0:
		return c.ticksBefore[len(c.ticksBefore)-1].path
	case !back && len(c.ticksAfter) > 0:
		return c.ticksAfter[0].path
	}
	return ""
}
