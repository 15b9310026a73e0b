package check

import (
	"fmt"
	"path"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// membership compares how many members an observer says that a group has with how many there were while it
// looked. A live host hears late who came and went, so there it judges nothing.
type membership struct {
	sizes   map[string]int // by the path of the group, unless it is empty
	glances []glance       // by client: its latest
}

// glance is a look at a group, from the request to what the observer makes of the answer, and the fewest and the
// most members that there were.
type glance struct {
	group       string
	least, most int
}

func newMembership() *membership {
	return &membership{sizes: make(map[string]int)}
}

func (m *membership) append(c *Checker, e event.Event) {
	switch {
	case c.late:
	case e.Kind == event.ZnodeCreated:
		m.change(path.Dir(e.Path), 1)
	case e.Kind == event.ZnodeDeleted:
		m.change(path.Dir(e.Path), -1)
	case e.Kind == event.OpSent && e.Op == event.Children:
		if g := m.glance(e.Actor); g != nil {
			n := m.sizes[e.Path]
			*g = glance{e.Path, n, n}
		}
	case e.Kind == event.RecipePhase && zoo.Phase(e.Text) == zoo.Saw:
		m.see(c, e)
	}
}

// glance is the client's latest; for ZooKeeper and for what no host writes, nil.
func (m *membership) glance(a event.Actor) *glance {
	if a < 1 || a > event.MaxActor {
		return nil
	}
	for int(a) > len(m.glances) {
		m.glances = append(m.glances, glance{})
	}
	return &m.glances[a-1]
}

func (m *membership) change(group string, by int) {
	n := m.sizes[group] + by
	m.sizes[group] = n
	if n == 0 {
		delete(m.sizes, group)
	}
	for i := range m.glances {
		if g := &m.glances[i]; g.group == group {
			g.least, g.most = min(g.least, n), max(g.most, n)
		}
	}
}

func (m *membership) see(c *Checker, e event.Event) {
	g := m.glance(e.Actor)
	if g == nil || g.group == "" || g.group != e.Path || int64(g.least) <= e.N && e.N <= int64(g.most) {
		return
	}
	were := fmt.Sprint(g.least)
	if g.least != g.most {
		were = fmt.Sprintf("between %d and %d", g.least, g.most)
	}
	c.violate(Violation{
		Rule: MembershipTrue, At: e.At, Seq: e.Seq, Clients: []event.Actor{e.Actor},
		Text: fmt.Sprintf("%s counted %d in %s at %s, and there were %s while it looked",
			e.Actor, e.N, name(e.Path), seconds(e.At), were),
	})
}
