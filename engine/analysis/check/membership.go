package check

import (
	"path"
	"sort"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// membership compares the size of a group as an observer reports it with its sizes while it looked. A live host
// learns late who came and went, so there it judges nothing.
type membership struct {
	groups       map[string]*group // by path, unless it is empty and nobody looks at it
	observations []observation     // by client, its latest
	// lagging means that there are several servers, any of which may answer with an earlier state. Then the size at
	// the answer's zxid counts, so all sizes of each group are kept.
	lagging bool
	sizes   map[string][]sizeAt
}

// sizeAt is the size of a group from a transaction on.
type sizeAt struct {
	zxid int64
	size int
}

// observation is a look at a group, from the request to what the observer makes of the answer.
type observation struct {
	group string
	size  int   // the group's size then,
	at    int   // after that many of its changes
	zxid  int64 // in the answer
}

func newMembership(h event.Header) *membership {
	m := &membership{groups: make(map[string]*group)}
	if m.lagging = len(h.Systems) > 0 && h.Systems[0].Servers > 1; m.lagging {
		m.sizes = make(map[string][]sizeAt)
	}
	return m
}

func (*membership) reads() []event.Kind {
	return []event.Kind{
		event.ZnodeCreated, event.ZnodeDeleted, event.OpSent, event.OpDone, event.RecipePhase,
	}
}

func (m *membership) append(c *Checker, e event.Event) {
	switch {
	case c.late:
	case e.Kind == event.ZnodeCreated:
		m.change(path.Dir(e.Path), 1, e.Zxid)
	case e.Kind == event.ZnodeDeleted:
		m.change(path.Dir(e.Path), -1, e.Zxid)
	case e.Kind == event.OpSent && e.Op == event.Children:
		if g := slot(&m.observations, e.Actor); g != nil {
			m.look(g, e.Path)
		}
	case m.lagging && e.Kind == event.OpDone && e.Op == event.Children:
		if g := slot(&m.observations, e.Actor); g != nil {
			g.zxid = e.Zxid
		}
	case e.Kind == event.RecipePhase && program.Phase(e.Text) == program.Saw:
		m.see(c, e)
	}
}

// look begins another glance.
func (m *membership) look(g *observation, path string) {
	old := g.group
	*g = observation{}
	if path != "" {
		now := m.group(path)
		now.watch()
		*g = observation{group: path, size: now.size, at: now.changes}
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

// tidy forgets a group about which there is nothing to know.
func (m *membership) tidy(path string, g *group) {
	if g.size == 0 && g.watchers == 0 {
		delete(m.groups, path)
	}
}

func (m *membership) change(path string, by int, zxid int64) {
	g := m.group(path)
	g.change(by)
	if m.lagging {
		m.sizes[path] = append(m.sizes[path], sizeAt{zxid, g.size})
	}
	if len(g.lows)+len(g.highs) > 2*len(m.observations)+fewExtremes {
		g.lows, g.highs = m.needed(path, g.lows), m.needed(path, g.highs)
	}
	m.tidy(path, g)
}

// fewExtremes is the number of a group's extremes that are always kept.
const fewExtremes = 64

// needed returns the extremes by which the glances at a group are judged: the first since each glance.
func (m *membership) needed(path string, all []extreme) []extreme {
	keep := make([]bool, len(all)+1)
	for i := range m.observations {
		if g := &m.observations[i]; g.group == path {
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

// sizeAt returns the size of a group at a transaction.
func (m *membership) sizeAt(path string, zxid int64) int {
	all := m.sizes[path]
	i := sort.Search(len(all), func(i int) bool { return all[i].zxid > zxid })
	if i == 0 {
		return 0
	}
	return all[i-1].size
}

func (m *membership) see(c *Checker, e event.Event) {
	g := slot(&m.observations, e.Actor)
	if g == nil || g.group == "" || g.group != e.Path {
		return
	}
	least, most := m.groups[g.group].since(g.at)
	least, most = min(least, g.size), max(most, g.size)
	if m.lagging {
		least = m.sizeAt(g.group, g.zxid)
		most = least
	}
	if int64(least) <= e.N && e.N <= int64(most) {
		return
	}
	key := "broken.membership-true"
	if least != most {
		key = "broken.membership-true.between"
	}
	c.violate(broken(promise.MembershipTrue, e, []event.Actor{e.Actor}, sentence.Of(key,
		sentence.Client(e.Actor), sentence.Number(e.N), sentence.Path(e.Path), sentence.Time(e.At),
		sentence.Number(least), sentence.Number(most))))
}
