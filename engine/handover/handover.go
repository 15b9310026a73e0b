// Package handover tells when what a znode stands for changed hands, and why: a lock, a lead, a permit. Who holds it
// follows from the znode itself if it is ephemeral, and else from its children, as engine/naming takes them; if it
// knows nobody who names znodes like that, the first by its number holds it.
//
// It is pure, and goes by the facts of engine/replay. viz-server log calls it.
package handover

import (
	"cmp"
	"maps"
	"path"
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/naming"
	"github.com/zkviz/zkviz/engine/replay"
	"github.com/zkviz/zkviz/engine/wire"
)

// Hand is one who holds it, or held it.
type Hand struct {
	Path    string // of the znode by which it holds
	Session int64  // whose that is; 0 if nobody's
	Data    string // the start of the znode's data
	MadeMS  int64  // when the znode was made, in ms since 1970
	GotMS   int64  // when it got it; that is when the log begins if it had it then
	Had     bool   // it had it when the log began
}

// Change is that somebody got it, or has it no more.
type Change struct {
	TimeMS  int64 // since 1970
	Zxid    int64
	Got     bool
	Hand    Hand
	Reason  event.Reason // of the loss: why the znode went
	By      int64        // likewise: the session that asked for that
	Waiting int          // how many others are there
}

// Tracker follows one znode.
type Tracker struct {
	path  string
	begun bool
	whose naming.Guess
	nodes map[string]replay.Node // those of which somebody may hold it, by their paths
	hold  map[string]Hand        // likewise
}

// New follows the znode at path.
func New(path string) *Tracker {
	return &Tracker{path: path, nodes: map[string]replay.Node{}, hold: map[string]Hand{}}
}

// Guess returns what the children are taken for, nothing if nobody is known who names znodes like that.
func (t *Tracker) Guess() naming.Guess { return t.whose }

// Holding returns who holds it now, in the order of their znodes' names.
func (t *Tracker) Holding() (list []Hand) {
	for _, p := range slices.Sorted(maps.Keys(t.hold)) {
		list = append(list, t.hold[p])
	}
	return list
}

// Apply takes what a transaction has led to, with the state after it, and returns what that changes. What is there at
// the first transaction is no change.
func (t *Tracker) Apply(s *replay.State, x *wire.Txn, facts []replay.Fact) []Change {
	if !t.begun {
		t.begin(s)
		return nil
	}
	went := map[string]replay.Fact{}
	touched := false
	for i := range facts {
		f := &facts[i]
		if f.Path != t.path && path.Dir(f.Path) != t.path {
			continue
		}
		switch f.Kind {
		case event.ZnodeCreated:
			if n := s.Node(f.Path); n != nil {
				t.nodes[f.Path], touched = *n, true
			}
		case event.ZnodeDeleted:
			delete(t.nodes, f.Path)
			went[f.Path], touched = *f, true
		}
	}
	if !touched {
		return nil
	}
	return t.changes(x, went)
}

func (t *Tracker) begin(s *replay.State) {
	t.begun = true
	for p, n := range s.Below(t.path) {
		if p == t.path || path.Dir(p) == t.path {
			t.nodes[p] = *n
		}
	}
	for p := range t.holders() {
		n := t.nodes[p]
		t.hold[p] = Hand{Path: p, Session: n.Owner, Data: n.Text, MadeMS: n.CtimeMS, GotMS: s.TimeMS, Had: true}
	}
}

// changes compares who holds it with who did. Those who lose it come first.
func (t *Tracker) changes(x *wire.Txn, went map[string]replay.Fact) (list []Change) {
	now := t.holders()
	for _, p := range slices.Sorted(maps.Keys(t.hold)) {
		if !now[p] {
			f := went[p]
			list = append(list, Change{Hand: t.hold[p], Reason: f.Reason, By: f.By})
			delete(t.hold, p)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(now)) {
		if _, had := t.hold[p]; had {
			continue
		}
		n := t.nodes[p]
		h := Hand{Path: p, Session: n.Owner, Data: n.Text, MadeMS: n.CtimeMS, GotMS: x.TimeMS}
		t.hold[p] = h
		list = append(list, Change{Got: true, Hand: h})
	}
	waiting := len(t.nodes) - len(t.hold)
	_, own := t.nodes[t.path]
	if _, holds := t.hold[t.path]; own && !holds {
		waiting--
	}
	for i := range list {
		list[i].TimeMS, list[i].Zxid, list[i].Waiting = x.TimeMS, x.Zxid, waiting
	}
	return list
}

// holders are the znodes by which somebody holds it.
func (t *Tracker) holders() map[string]bool {
	if n, there := t.nodes[t.path]; there && n.Owner != 0 {
		return map[string]bool{t.path: true}
	}
	children := make([]naming.Child, 0, len(t.nodes))
	for p, n := range t.nodes {
		if p != t.path {
			children = append(children, naming.Child{Name: path.Base(p), Owner: n.Owner})
		}
	}
	slices.SortFunc(children, func(a, b naming.Child) int { return cmp.Compare(a.Name, b.Name) })
	now := map[string]bool{}
	g, ok := naming.Of(children)
	if !ok {
		if first := firstOf(children); first != "" {
			now[path.Join(t.path, first)] = true
		}
		return now
	}
	t.whose = g
	for _, place := range g.Places {
		if place.Inside {
			now[path.Join(t.path, place.Child.Name)] = true
		}
	}
	return now
}

// firstOf is the child that is first by its number among those that live as long as a session; empty if there is none.
func firstOf(children []naming.Child) (name string) {
	least := int64(-1)
	for _, c := range children {
		if n := event.Number(c.Name); c.Owner != 0 && n >= 0 && (least < 0 || n < least) {
			name, least = c.Name, n
		}
	}
	return name
}
