package panes

import (
	"slices"
	"strings"
	"time"

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

// holders returns the paths of the holders' znodes.
func (r *roster) holders() (paths []string) {
	if n := r.state.Tree.Node(r.g.path); n != nil && !n.Gone && n.Owner != 0 {
		return []string{n.Path}
	}
	if len(r.family.Places) == 0 {
		return r.owned()
	}
	for i := range r.family.Places {
		switch p := &r.family.Places[i]; p.Part {
		case view.Inside, view.Leads, view.Member:
			paths = append(paths, p.Path)
		case view.Unsure:
			if r.g.holds(p.Path, r.seq) { // it was inside before there was a doubt
				paths = append(paths, p.Path)
			}
		case view.First:
			if n := r.state.Tree.Node(p.Path); n != nil && n.Owner != 0 && r.family.Use == naming.Unknown {
				paths = append(paths, p.Path)
			}
		}
	}
	return paths
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

// unsure returns the first znode that may or may not hold it, and how many there are.
func (r *roster) unsure() (first view.Sibling, n int) {
	for i := range r.family.Places {
		if p := r.family.Places[i]; p.Part == view.Unsure && !r.g.holds(p.Path, r.seq) {
			if n++; n == 1 {
				first = p
			}
		}
	}
	return first, n
}

// first returns the znode at the head of the queue, or nil.
func (r *roster) first() *view.Node {
	if len(r.family.Places) == 0 {
		return nil
	}
	return r.state.Tree.Node(r.family.Places[0].Path)
}

// door returns the clients at the door of a semaphore, in order. The first may already have created its permit's znode.
func (r *roster) door() []view.Sibling {
	seats := naming.Seats(r.g.path)
	if r.state.Tree.Node(seats) == nil {
		seats = r.g.path
	}
	for _, at := range naming.Doors(seats) {
		if r.family.Use == naming.Semaphore && at != "" && r.state.Siblings(at).Use.Line() {
			return r.state.Siblings(at).Places
		}
	}
	return nil
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
	for i := range r.family.Places {
		p := &r.family.Places[i]
		if p.Stray || p.Part != view.Waits && p.Part != view.Later {
			continue
		}
		if all++; shown < all-1 {
			continue
		}
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

// releases returns the releases of sibling znodes, as far as they wake any client.
func (r *roster) releases(paths []string) (all []release) {
	list := parentOf(paths[0])
	on := r.watchers(list, paths)
	same := release{whom: on[list]}
	for _, path := range paths {
		one := release{[]*view.Node{r.state.Tree.Node(path)}, on[path]}
		owner := func(who event.Actor) bool { return r.state.Clients.Get(who).Session == one.nodes[0].Owner }
		if len(one.whom) == 0 && !slices.ContainsFunc(same.whom, owner) {
			same.nodes = append(same.nodes, one.nodes...)
			continue
		}
		for _, who := range same.whom {
			one.whom = with(one.whom, who)
		}
		if one.whom = slices.DeleteFunc(one.whom, owner); len(one.whom) > 0 {
			all = append(all, one)
		}
	}
	if len(same.nodes) > 0 && len(same.whom) > 0 {
		all = append(all, same)
	}
	return all
}

// watchers returns the clients notified of the end of each path, and under their parent's path those notified of all.
func (r *roster) watchers(list string, paths []string) map[string][]event.Actor {
	all := map[string][]event.Actor{list: nil}
	for _, path := range paths {
		all[path] = nil
	}
	for i := range r.state.Watches.List {
		w := &r.state.Watches.List[i]
		path := w.Path
		switch {
		case w.Kind == event.RecursiveWatch && strings.HasPrefix(list+"/", strings.TrimSuffix(path, "/")+"/"):
			path = list
		case path == list && w.Kind != event.ChildWatch && w.Kind != event.PersistentWatch:
			continue // a watch on the parent's data
		}
		told, wanted := all[path]
		if c := r.state.Clients.Get(w.Client); wanted && !w.Over && c != nil && c.Session != 0 && c.Ended == view.Alive {
			all[path] = with(told, w.Client)
		}
	}
	return all
}
