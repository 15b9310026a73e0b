package panes

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// roster tells which znodes of a group hold, own and wait at a moment.
type roster struct {
	state  *view.State
	seq    event.Seq
	at     time.Duration
	g      *group
	family view.Siblings // of the group; without places for a single znode
	now    handover.Standing
}

// nothing reports whether the log has never had such a znode, nor an ephemeral one below it.
func (r *roster) nothing() bool {
	return r.state.Tree.Node(r.g.path) == nil && len(r.family.Places) == 0 && len(r.g.until(r.seq)) == 0 &&
		len(r.owned()) == 0 && r.family.Use == naming.Unknown
}

// single reports whether the group is a single znode.
func (r *roster) single() bool {
	if len(r.family.Places) > 0 {
		return false
	}
	if n := r.state.Tree.Node(r.g.path); n != nil && !n.Gone {
		return n.Owner != 0
	}
	turns := r.g.until(r.seq)
	return len(turns) > 0 && turns[len(turns)-1].changes[0].Hand.Path == r.g.path
}

// items reports whether it is a queue of items, which no client holds.
func (r *roster) items() bool {
	return r.family.Use == naming.Queue || len(r.family.Places) > 0 && r.family.Places[0].Part == view.Item
}

// lines reports whether clients that are not inside wait for others.
func (r *roster) lines() bool {
	return r.family.Use.Line() || r.family.Use == naming.Unknown && len(r.family.Places) > 0 && !r.items()
}

// owned returns the paths of the ephemeral children.
func (r *roster) owned() (paths []string) {
	for i := range r.state.Tree.Nodes {
		if n := &r.state.Tree.Nodes[i]; !n.Gone && n.Owner != 0 && parentOf(n.Path) == r.g.path {
			paths = append(paths, n.Path)
		}
	}
	return paths
}

// first returns the znode at the head of the queue, or nil.
func (r *roster) first() *view.Node {
	if len(r.family.Places) == 0 {
		return nil
	}
	return r.state.Tree.Node(r.family.Places[0].Path)
}

// queuer is a group of clients that wait for the same znode.
type queuer struct {
	nodes  []*view.Node
	first  int        // how many of them get in first: one of a herd, although all wait for the same znode
	after  *view.Node // the znode that they wait for, if known
	behind bool       // or it is only their predecessor
	blind  bool       // one of them has no watch that notifies it of its turn
}

// queue returns the first waiting clients, in order; all counts the waiting clients, and shown those in the list.
func (r *roster) queue(most int) (list []queuer, all, shown int) {
	after, behind, front := -2, false, -2
	for _, i := range r.now.Waiting {
		if all++; shown < all-1 {
			continue
		}
		p := &r.family.Places[i]
		at, by := r.state.Awaits(&r.family, i)
		only := by == view.WatchUnknown && r.family.Behind(i)
		switch {
		case at == after && only == behind:
		case len(list) < most:
			list, after, behind, front = append(list, queuer{behind: only}), at, only, p.After
			if at >= 0 {
				list[len(list)-1].after = r.state.Tree.Node(r.family.Places[at].Path)
			}
		default:
			continue
		}
		shown++
		w, n := &list[len(list)-1], r.state.Tree.Node(p.Path)
		w.nodes = append(w.nodes, n)
		if p.After == front {
			w.first = len(w.nodes)
		}
		w.blind = w.blind || by == view.WatchUnknown && r.at-n.Created >= blindAfter
	}
	return list, all, shown
}
