package scene

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event/program"
)

// For a client that runs no recipe, only the role of its znodes among their siblings is known.

// findParts finds, for each such client, the znode whose role says most.
func (t *cast) findParts() {
	t.parts, t.owned = resize(t.parts, len(t.s.Clients)), resize(t.owned, len(t.s.Clients))
	for i := range t.owned {
		t.owned[i] = -1
	}
	if !t.visitors && !t.observed {
		return
	}
	for i := range t.s.Nodes {
		n := &t.s.Nodes[i]
		if n.Gone || n.Owner == 0 && n.Creator == 0 || t.kind == queueKind && !under(n.Path, t.queueOf) {
			continue
		}
		c := t.owner(n)
		if c < 0 || n.Owner == 0 || n.Owner != t.s.Clients[c].Session {
			continue
		}
		if p := t.part(n); t.owned[c] < 0 || telling[p] > telling[t.parts[c]] {
			t.parts[c], t.owned[c] = p, int32(i)
		}
	}
}

// telling ranks the roles by how much they say about a client that has several.
var telling = [...]int{view.Apart: 0, view.Member: 1, view.Item: 1, view.Later: 2, view.Waits: 3, view.First: 4,
	view.Unsure: 4, view.Inside: 5, view.Leads: 6}

// part returns the role of a znode among its siblings. In the Zoo, clients announce that they are inside, so a single
// one that could be inside only counts as first: the picture shows whether it knows that it has the lock.
func (t *cast) part(n *view.Node) view.Part {
	if !t.visitors && !t.observed {
		return view.Apart
	}
	k := t.s.Kin(n.Path)
	alone := !k.Shared() || t.contends(n)
	switch {
	case k.Part == view.First && k.Use != "": // first at a semaphore's door: it waits for a permit
		return view.Waits
	case t.visitors && alone && hasTurn(k.Part):
		return view.First
	case t.visitors && k.Part == view.Later:
		return view.Waits
	case t.observed && (k.Part == view.First || k.Part == view.Later) && k.Use == "":
		return view.Apart
	}
	return k.Part
}

// contends reports whether a znode's owner is one of our contenders, which announce that they are inside.
func (t *cast) contends(n *view.Node) bool {
	c := t.owner(n)
	return c >= 0 && t.s.Clients[c].Role == program.Contender
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
