package scene

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event/program"
)

// For a client that runs no recipe, only the role of its znodes among their siblings is known.

// findParts finds, for each such client, the znode whose role says most.
func (l *Layout) findParts() {
	l.watched = false
	l.parts, l.owned = resize(l.parts, len(l.s.Clients)), resize(l.owned, len(l.s.Clients))
	for i := range l.owned {
		l.owned[i] = -1
	}
	if !l.visitors && !l.observed {
		return
	}
	for i := range l.s.Nodes {
		n := &l.s.Nodes[i]
		if n.Gone || n.Owner == 0 && n.Creator == 0 || l.kind == queueKind && !under(n.Path, l.queueOf) {
			continue
		}
		c := l.owner(n)
		if c < 0 || n.Owner == 0 || n.Owner != l.s.Clients[c].Session {
			continue
		}
		if p := l.part(n); l.owned[c] < 0 || telling[p] > telling[l.parts[c]] {
			l.parts[c], l.owned[c] = p, int32(i)
		}
	}
}

// telling ranks the roles by how much they say about a client that has several.
var telling = [...]int{view.Apart: 0, view.Member: 1, view.Item: 1, view.Later: 2, view.Waits: 3, view.First: 4,
	view.Unsure: 4, view.Inside: 5, view.Leads: 6}

// part returns the role of a znode among its siblings. In the Zoo, clients announce that they are inside, so a single
// one that could be inside only counts as first: the picture shows whether it knows that it has the lock.
func (l *Layout) part(n *view.Node) view.Part {
	if !l.visitors && !l.observed {
		return view.Apart
	}
	k := l.s.Kin(n.Path)
	alone := !k.Shared() || l.contends(n)
	switch {
	case k.Part == view.First && k.Use != "": // first at a semaphore's door: it waits for a permit
		return view.Waits
	case l.visitors && alone && hasTurn(k.Part):
		return view.First
	case l.visitors && k.Part == view.Later:
		return view.Waits
	case l.observed && (k.Part == view.First || k.Part == view.Later) && k.Use == "":
		return view.Apart
	}
	return k.Part
}

// contends reports whether a znode's owner is one of our contenders, which announce that they are inside.
func (l *Layout) contends(n *view.Node) bool {
	c := l.owner(n)
	return c >= 0 && l.s.Clients[c].Role == program.Contender
}

// hasTurn reports whether no znode is ahead of one with such a role.
func hasTurn(p view.Part) bool { return p == view.First || p == view.Inside || p == view.Leads }

// partWord returns the key of the word for a role, and its sign.
func partWord(p view.Part) (string, sign) {
	switch p {
	case view.First:
		return "scene.first", inside
	case view.Inside:
		return "scene.inside", inside
	case view.Leads:
		return "scene.leads", inside
	case view.Waits, view.Later:
		return "scene.waits", plain
	case view.Unsure:
		return "scene.unsure", plain
	case view.Member:
		return "scene.member", plain
	}
	return "scene.owner", plain
}
