package panes

import (
	"slices"
	"sort"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// release holds some znodes and the clients that the end of any of them wakes.
type release struct {
	nodes []*view.Node
	whom  []event.Actor
}

// wakes says which clients the end of each holder's znode wakes, or of the one that keeps all out, as far as known; if
// there are many, those that wake most.
func (q *inquiry) wakes() (lines []Answer) {
	paths := q.roster.holders()
	several := len(paths) != 1 // or no holder: then the line says whose end it is
	if first := q.roster.first(); len(paths) == 0 && first != nil {
		paths = []string{first.Path}
	}
	if len(paths) == 0 || !q.roster.lines() && !q.roster.single() && !q.roster.family.Use.Excludes() {
		return nil
	}
	how := q.knowsWatches(parentOf(paths[0]))
	if how == "" {
		return nil
	}
	all := q.roster.releases(paths)
	sort.SliceStable(all, func(i, j int) bool { return len(all[i].whom) > len(all[j].whom) })
	for _, r := range all[:min(len(all), maxHolders)] {
		lines = append(lines, q.release(r, several, how))
	}
	if more := q.people.more(len(all) - maxHolders); more != nil {
		lines = append(lines, Answer{Pieces: more})
	}
	return lines
}

// release says whom a release wakes, and for several holders whose release; how is the key of how that is known.
func (q *inquiry) release(r release, several bool, how string) Answer {
	l := Answer{Name: q.say("holding.wakes"), Select: r.nodes[0].Path,
		Wrong: q.roster.lines() && len(r.whom) >= handover.Herd}
	on := Short(l.Select)
	if several {
		l.Name = q.say("holding.wakes.whose")
		l.Pieces = append(q.people.together(r.nodes), Piece{Text: "→"})
	}
	if len(r.nodes) > 1 {
		on = q.say("holding.wakes.theirs")
	}
	l.Pieces = append(l.Pieces, q.named(r.whom)...)
	l.Pieces = append(l.Pieces, Piece{Text: "· " + q.say(how, sentence.Grouped(len(r.whom)), on)})
	return l
}

// named returns a few clients, those at the head of the queue first.
func (q *inquiry) named(whom []event.Actor) (all []Piece) {
	var line []event.Actor
	for i := 0; i < len(q.roster.family.Places) && len(line) < maxHolders; i++ {
		owner := q.State.Tree.Node(q.roster.family.Places[i].Path).Owner
		owns := func(who event.Actor) bool { return q.State.Clients.Get(who).Session == owner }
		if j := slices.IndexFunc(whom, owns); j >= 0 {
			line = with(line, whom[j])
		}
	}
	for _, who := range whom[:min(len(whom), maxHolders)] {
		line = with(line, who)
	}
	for _, who := range line[:min(len(whom), maxHolders)] {
		all = append(all, Piece{Who: q.say.who(who)})
	}
	return append(all, q.people.more(len(whom)-len(all))...)
}

// knowsWatches returns the key of how the watches below a znode are known, or "". A log has every watch that its
// clients set, or what servers reported. Once a child is deleted after the last report, another one may have the lock.
func (q *inquiry) knowsWatches(list string) string {
	t, n := q.Host.Traits(), q.State.Tree.Node(list)
	switch {
	case t.Visitors || t.Recipe:
		return "holding.wakes.all"
	case q.State.Watches.Asked > 0 && n != nil && n.ChildGone < q.State.Watches.Asked:
		return "holding.wakes.least"
	}
	return ""
}

// with adds a client to a list, unless it is there.
func with(list []event.Actor, who event.Actor) []event.Actor {
	if slices.Contains(list, who) {
		return list
	}
	return append(list, who)
}
