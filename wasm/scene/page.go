package scene

import (
	"slices"
	"strings"
)

// Where there is more than fits, a part is drawn, and where it goes on. What is selected says which part, so that
// nothing has to be remembered: whatever leads to the next part selects the first there.

// part of a list that is drawn: from the first to before the last. Its zero value is none of it.
type span struct{ from, to int }

// pageOf is the page of n things with the one that is chosen, -1 for none. On the first page there is room for so many,
// on the others for rest.
func pageOf(n, first, rest, chosen int) span {
	first, rest = max(first, 1), max(rest, 1)
	if chosen < first {
		return span{0, min(first, n)}
	}
	from := first + (chosen-first)/rest*rest
	return span{from, min(from+rest, n)}
}

// chosen is the path of what is selected: that of a client's own znode, too. It is empty without.
func (l *Layout) chosen() string {
	if strings.HasPrefix(l.o.Selected, "/") {
		return l.o.Selected
	}
	for i, k := range l.owned {
		if k >= 0 && l.s.Clients[i].Name == l.o.Selected {
			return l.s.Nodes[k].Path
		}
	}
	return ""
}

// chosenSlot is which of some slots has the znode that is chosen, -1 for none.
func (l *Layout) chosenSlot(slots []slot) int {
	path := l.chosen()
	for i, s := range slots {
		if path != "" && s.node >= 0 && l.s.Nodes[s.node].Path == path {
			return i
		}
	}
	return -1
}

// more says in r that there is more of something, and leads to path there.
func (l *Layout) more(to *[]nodePlan, s, path string, back bool, r rect) {
	a := l.m.note
	p := added(to)
	p.rect, p.hit, p.path, p.look, p.owner, p.alpha = r, r, path, asMore, -1, 1
	p.back = back
	p.name = text(s, r.x+3, r.midY()+a.size*0.36, a, Start, inkSoft, r.w-3)
}

// plus is how many more there are, in short.
func (l *Layout) plus(n int) string { return l.say("+", l.grouped(n)).label() }

// turns is how many of the slots at their head have a turn, at most most.
func (l *Layout) turns(slots []slot, most int) int {
	for i, s := range slots[:min(len(slots), most)] {
		if s.node < 0 || !l.holds(&l.s.Nodes[s.node], l.owner(&l.s.Nodes[s.node])) {
			return i
		}
	}
	return min(len(slots), most)
}

// Turn is what to select for the next page, or back for the one before. It is empty where there is none.
func (p *Plan) Turn(back bool) string {
	leads := func(n nodePlan) bool { return n.look == asMore && n.back == back }
	for _, list := range [2][]nodePlan{p.rows, p.cards} {
		i := slices.IndexFunc(list, leads)
		for k := i + 1; !back && k < len(list) && i >= 0; k++ { // what comes after all there is
			if leads(list[k]) {
				i = k
			}
		}
		if i >= 0 {
			return list[i].path
		}
	}
	switch {
	case !p.paged:
	case back && len(p.before) > 0:
		return p.before[len(p.before)-1].path
	case !back && len(p.ticks) > 0:
		return p.ticks[0].path
	}
	return ""
}
