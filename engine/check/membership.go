package check

import (
	"path"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/sentence"
	"github.com/zkviz/zkviz/engine/zoo"
)

// membership compares how many members an observer says that a group has with how many there were while it
// looked. A live host hears late who came and went, so there it judges nothing.
type membership struct {
	groups  map[string]*group // by path, unless nobody is in it and nobody looks at it
	glances []glance          // by client: its latest
}

// glance is a look at a group, from the request to what the observer makes of the answer.
type glance struct {
	group string
	size  int // that the group had,
	at    int // after so many of its changes
}

func newMembership() *membership {
	return &membership{groups: make(map[string]*group)}
}

func (m *membership) append(c *Checker, e event.Event) {
	switch {
	case c.late:
	case e.Kind == event.ZnodeCreated:
		m.change(path.Dir(e.Path), 1)
	case e.Kind == event.ZnodeDeleted:
		m.change(path.Dir(e.Path), -1)
	case e.Kind == event.OpSent && e.Op == event.Children:
		if g := slot(&m.glances, e.Actor); g != nil {
			m.look(g, e.Path)
		}
	case e.Kind == event.RecipePhase && zoo.Phase(e.Text) == zoo.Saw:
		m.see(c, e)
	}
}

// look begins another glance.
func (m *membership) look(g *glance, path string) {
	old := g.group
	*g = glance{}
	if path != "" {
		now := m.group(path)
		now.watch()
		*g = glance{path, now.size, now.changes}
	}
	if old != "" {
		m.groups[old].leave()
		m.tidy(old, m.groups[old])
	}
}

func (m *membership) group(path string) *group {
	g := m.groups[path]
	if g == nil {
		g = &group{}
		m.groups[path] = g
	}
	return g
}

// tidy forgets a group that there is nothing to know of.
func (m *membership) tidy(path string, g *group) {
	if g.size == 0 && g.watchers == 0 {
		delete(m.groups, path)
	}
}

func (m *membership) change(path string, by int) {
	g := m.group(path)
	g.change(by)
	if len(g.lows)+len(g.highs) > 2*len(m.glances)+fewExtremes {
		g.lows, g.highs = m.needed(path, g.lows), m.needed(path, g.highs)
	}
	m.tidy(path, g)
}

// fewExtremes are always kept of a group.
const fewExtremes = 64

// needed are those extremes of a group that a glance at it is judged by: of each, the first since.
func (m *membership) needed(path string, all []extreme) []extreme {
	keep := make([]bool, len(all)+1)
	for i := range m.glances {
		if g := &m.glances[i]; g.group == path {
			keep[firstSince(all, g.at)] = true
		}
	}
	kept := all[:0]
	for i, x := range all {
		if keep[i] {
			kept = append(kept, x)
		}
	}
	return kept
}

func (m *membership) see(c *Checker, e event.Event) {
	g := slot(&m.glances, e.Actor)
	if g == nil || g.group == "" || g.group != e.Path {
		return
	}
	least, most := m.groups[g.group].since(g.at)
	least, most = min(least, g.size), max(most, g.size)
	if int64(least) <= e.N && e.N <= int64(most) {
		return
	}
	key := "broken.membership-true"
	if least != most {
		key = "broken.membership-true.between"
	}
	c.violate(broken(MembershipTrue, e, []event.Actor{e.Actor}, sentence.Of(key,
		sentence.Client(e.Actor), sentence.Number(e.N), sentence.Path(e.Path), sentence.Time(e.At),
		sentence.Number(least), sentence.Number(most))))
}
