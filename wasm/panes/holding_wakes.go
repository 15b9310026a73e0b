package panes

import (
	"slices"
	"sort"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/sentence"
	"github.com/zkviz/zkviz/engine/view"
)

// release is whom the end of each of some znodes wakes: the same clients.
type release struct {
	nodes []*view.Node
	whom  []event.Actor
}

// wakes says whom the ends of those who hold it wake, or of what keeps all out, as far as that is known; of many it's
// those whose ends wake most.
func (q *inquiry) wakes() (lines []Answer) {
	paths := q.holders()
	several := len(paths) != 1 // or nobody: then it's said whose end it is
	if first := q.first(); len(paths) == 0 && first != nil {
		paths = []string{first.Path}
	}
	if len(paths) == 0 || !q.lines() && !q.single() && !q.family.Use.Excludes() {
		return nil
	}
	how := q.knowsWatches(parentOf(paths[0]))
	if how == "" {
		return nil
	}
	all := q.releases(paths)
	sort.SliceStable(all, func(i, j int) bool { return len(all[i].whom) > len(all[j].whom) })
	for _, r := range all[:min(len(all), maxHolders)] {
		lines = append(lines, q.release(r, several, how))
	}
	if more := q.more(len(all) - maxHolders); more != nil {
		lines = append(lines, Answer{Pieces: more})
	}
	return lines
}

// release says whom it wakes, and if it isn't one who holds it whose end does; how is the key of how that's known.
func (q *inquiry) release(r release, several bool, how string) Answer {
	l := Answer{Name: q.say("holding.wakes"), Select: r.nodes[0].Path, Wrong: q.lines() && len(r.whom) > few}
	on := Short(l.Select)
	if several {
		l.Name = q.say("holding.wakes.whose")
		l.Pieces = append(q.together(r.nodes), Piece{Text: "→"})
	}
	if len(r.nodes) > 1 {
		on = q.say("holding.wakes.theirs")
	}
	l.Pieces = append(l.Pieces, q.named(r.whom)...)
	l.Pieces = append(l.Pieces, Piece{Text: "· " + q.say(how, sentence.Grouped(len(r.whom)), on)})
	return l
}

// named are a few clients, those first who are first in line.
func (q *inquiry) named(whom []event.Actor) (all []Piece) {
	var line []event.Actor
	for i := 0; i < len(q.family.Places) && len(line) < maxHolders; i++ {
		owner := q.State.Node(q.family.Places[i].Path).Owner
		if j := slices.IndexFunc(whom, func(who event.Actor) bool { return q.State.Client(who).Session == owner }); j >= 0 {
			line = with(line, whom[j])
		}
	}
	for _, who := range whom[:min(len(whom), maxHolders)] {
		line = with(line, who)
	}
	for _, who := range line[:min(len(whom), maxHolders)] {
		all = append(all, Piece{Who: q.say.who(who)})
	}
	return append(all, q.more(len(whom)-len(all))...)
}

// knowsWatches is the key of how it's known who watches what is in a list; empty if it isn't. A log has every watch
// that its clients set, or what servers said when they were asked. Once something has gone since then, another may hold
// it.
func (q *inquiry) knowsWatches(list string) string {
	t, n := q.Host.Traits(), q.State.Node(list)
	switch {
	case t.Visitors || t.Recipe:
		return "holding.wakes.all"
	case q.State.Asked > 0 && n != nil && n.ChildGone < q.State.Asked:
		return "holding.wakes.least"
	}
	return ""
}

// releases are those of znodes in one list, as far as they wake anybody.
func (q *inquiry) releases(paths []string) (all []release) {
	list := parentOf(paths[0])
	on := q.watchers(list, paths)
	same := release{whom: on[list]}
	for _, path := range paths {
		r := release{[]*view.Node{q.State.Node(path)}, on[path]}
		owner := func(who event.Actor) bool { return q.State.Client(who).Session == r.nodes[0].Owner }
		if len(r.whom) == 0 && !slices.ContainsFunc(same.whom, owner) {
			same.nodes = append(same.nodes, r.nodes...)
			continue
		}
		for _, who := range same.whom {
			r.whom = with(r.whom, who)
		}
		if r.whom = slices.DeleteFunc(r.whom, owner); len(r.whom) > 0 {
			all = append(all, r)
		}
	}
	if len(same.nodes) > 0 && len(same.whom) > 0 {
		all = append(all, same)
	}
	return all
}

// with is a list that has a client, once.
func with(list []event.Actor, who event.Actor) []event.Actor {
	if slices.Contains(list, who) {
		return list
	}
	return append(list, who)
}

// watchers are the clients that are told of the ends of some znodes, by their paths; by that of their list those that
// are told of each.
func (q *inquiry) watchers(list string, paths []string) map[string][]event.Actor {
	all := map[string][]event.Actor{list: nil}
	for _, path := range paths {
		all[path] = nil
	}
	for i := range q.State.Watches {
		w := &q.State.Watches[i]
		path := w.Path
		switch {
		case w.Kind == event.RecursiveWatch && strings.HasPrefix(list+"/", strings.TrimSuffix(path, "/")+"/"):
			path = list
		case path == list && w.Kind != event.ChildWatch && w.Kind != event.PersistentWatch:
			continue // it's of the list's data
		}
		told, wanted := all[path]
		if c := q.State.Client(w.Client); wanted && !w.Over && c != nil && c.Session != 0 && c.Ended == view.Alive {
			all[path] = with(told, w.Client)
		}
	}
	return all
}
