package floor

import (
	"strings"
)

// If a list doesn't fit, the picture shows a page of it, and marks that lead to the other pages. The selection decides
// which page, so no state is needed: a mark selects the first element of the next page.

// Span is the part of a list that is drawn: from the first element to before the last. Its zero value is empty.
type Span struct{ From, To int }

// PageOf returns the page of a list of n that contains the chosen index, -1 for none. The first page holds first
// elements, all others hold rest.
func PageOf(n, first, rest, chosen int) Span {
	first, rest = max(first, 1), max(rest, 1)
	if chosen < first {
		return Span{0, min(first, n)}
	}
	from := first + (chosen-first)/rest*rest
	return Span{from, min(from+rest, n)}
}

// Chosen returns the path of the selected znode, or of the selected client's own znode, or "".
func (t *cast) Chosen() string {
	if strings.HasPrefix(t.Options.Selected, "/") {
		return t.Options.Selected
	}
	for i, k := range t.Owned {
		if k >= 0 && t.State.Clients[i].Name == t.Options.Selected {
			return t.State.Tree.Nodes[k].Path
		}
	}
	return ""
}

// ChosenSlot returns the slot of the chosen znode, of the first in focus if none is chosen, or -1.
func (f *Floor) ChosenSlot(slots []Slot) int {
	path := f.Chosen()
	for i, s := range slots {
		if s.Node < 0 {
			continue
		}
		if at := f.State.Tree.Nodes[s.Node].Path; at == path || path == "" && f.Stressed(at) {
			return i
		}
	}
	return -1
}

// Turns returns how many slots at the head have the lock, at most most.
func (f *Floor) Turns(slots []Slot, most int) int {
	for i, s := range slots[:min(len(slots), most)] {
		if s.Node < 0 || !f.Holds(&f.State.Tree.Nodes[s.Node], f.Owner(&f.State.Tree.Nodes[s.Node])) {
			return i
		}
	}
	return min(len(slots), most)
}
