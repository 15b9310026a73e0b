package remote

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// belongs records an entry of a client: it is inside by it, or has it at one node of many.
func (h *Holdings) belongs(x *view.Entry, i int32) {
	f := h.f
	c := f.Client(x.Owner)
	node, y := h.drawn(x.Node)
	if node < 0 { // only the last system may have nodes that aren't drawn
		node, y = x.Node.Number()-1, len(h.systems)-1
	}
	if c < 0 || x.Gone || x.Node.Kind() != event.ANode {
		return
	}
	switch p, sys := &h.Holders[c], &h.systems[y]; {
	case node < sys.first || node >= sys.first+sys.all:
	case sys.apart && sys.all > 1:
		p.Nodes |= 1 << (node - sys.first)
		p.Of = sys.all
	case node < len(h.boxes) && x.Path == f.State.Clients[c].Belief.Path && !f.State.Remotes.Nodes[node].Replica:
		p.Entry = i
	}
}
