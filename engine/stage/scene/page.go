package scene

import (
	"slices"

	"github.com/zkviz/zkviz/engine/stage/scene/znode"
)

// Turn returns what to select for the next page, or for the previous one if back is true, or "" if there is none.
func (p *Plan) Turn(back bool) string {
	leads := func(n znode.NodePlan) bool { return n.Look == znode.AsMore && n.Back == back }
	for _, list := range [2][]znode.NodePlan{p.l.znodes.Rows, p.l.znodes.Cards} {
		i := slices.IndexFunc(list, leads)
		for k := i + 1; !back && k < len(list) && i >= 0; k++ { // the last such mark leads past all rows
			if leads(list[k]) {
				i = k
			}
		}
		if i >= 0 {
			return list[i].Path
		}
	}
	switch c := &p.l.crowd; {
	case !c.Paged:
	case back && len(c.TicksBefore) > 0:
		return c.TicksBefore[len(c.TicksBefore)-1].Path
	case !back && len(c.TicksAfter) > 0:
		return c.TicksAfter[0].Path
	}
	return ""
}
