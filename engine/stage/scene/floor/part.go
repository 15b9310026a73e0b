package floor

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
)

// FadingFor returns the opacity of something deleted that takes dur to fade.
func (g *Setting) FadingFor(gone, dur time.Duration) float64 {
	const clear = 0.7 // the less important text has 3:1 then
	if g.Options.Still {
		return clear
	}
	if g.At < gone+view.Keep {
		g.Moving = true
	}
	const readable = 0.85 // up to this part of dur it stays readable, though clearly deleted
	p := g.Passed(gone, dur)
	if p < readable {
		return geom.Mix(0.85, clear, p/readable)
	}
	return clear * (1 - p) / (1 - readable)
}

// Holds reports whether a znode is the one that lets its owner be inside.
func (t *cast) Holds(n *view.Node, owner int) bool {
	if t.Visitors || t.Observed {
		return !n.Gone && HasTurn(t.Part(n))
	}
	return owner >= 0 && !n.Gone && t.State.Clients[owner].Inside &&
		(t.State.Clients[owner].Belief.Path == n.Path || t.State.Clients[owner].Belief.Path == "")
}

// For a client that runs no recipe, only the role of its znodes among their siblings is known.

// findParts finds, for each such client, the znode whose role says most.
func (t *cast) findParts() {
	n := len(t.State.Clients)
	t.Parts = append(t.Parts[:0], make([]view.Part, n)...)
	t.Owned = append(t.Owned[:0], make([]int32, n)...)
	for i := range t.Owned {
		t.Owned[i] = -1
	}
	if !t.Visitors && !t.Observed {
		return
	}
	for i := range t.State.Tree.Nodes {
		n := &t.State.Tree.Nodes[i]
		if n.Gone || n.Owner == 0 && n.Creator == 0 || t.Kind == QueueKind && !under(n.Path, t.QueueOf) {
			continue
		}
		c := t.Owner(n)
		if c < 0 || n.Owner == 0 || n.Owner != t.State.Clients[c].Session {
			continue
		}
		if p := t.Part(n); t.Owned[c] < 0 || telling[p] > telling[t.Parts[c]] {
			t.Parts[c], t.Owned[c] = p, int32(i)
		}
	}
}

// telling ranks the roles by how much they say about a client that has several.
var telling = [...]int{view.Apart: 0, view.Member: 1, view.Item: 1, view.Later: 2, view.Waits: 3, view.First: 4,
	view.Unsure: 4, view.Inside: 5, view.Leads: 6}

// Part returns the role of a znode among its siblings. In the Zoo, clients announce that they are inside, so a single
// one that could be inside only counts as first: the picture shows whether it knows that it has the lock.
func (t *cast) Part(n *view.Node) view.Part {
	if !t.Visitors && !t.Observed {
		return view.Apart
	}
	k := t.State.Kin(n.Path)
	alone := !k.Shared() || t.contends(n)
	switch {
	case k.Part == view.First && k.Use != "": // first at a semaphore's door: it waits for a permit
		return view.Waits
	case t.Visitors && alone && HasTurn(k.Part):
		return view.First
	case t.Visitors && k.Part == view.Later:
		return view.Waits
	case t.Observed && (k.Part == view.First || k.Part == view.Later) && k.Use == "":
		return view.Apart
	}
	return k.Part
}

// contends reports whether a znode's owner is one of our contenders, which announce that they are inside.
func (t *cast) contends(n *view.Node) bool {
	c := t.Owner(n)
	return c >= 0 && t.State.Clients[c].Role == program.Contender
}

// HasTurn reports whether no znode is ahead of one with such a role.
func HasTurn(p view.Part) bool { return p == view.First || p == view.Inside || p == view.Leads }

// partWord returns the key of the word for a role, and its sign.
func partWord(p view.Part) (string, Sign) {
	switch p {
	case view.First:
		return "scene.first", Inside
	case view.Inside:
		return "scene.inside", Inside
	case view.Leads:
		return "scene.leads", Inside
	case view.Waits, view.Later:
		return "scene.waits", Plain
	case view.Unsure:
		return "scene.unsure", Plain
	case view.Member:
		return "scene.member", Plain
	}
	return "scene.owner", Plain
}
