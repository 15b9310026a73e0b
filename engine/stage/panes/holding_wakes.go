package panes

import (
	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// wakes says which clients the end of each holder's znode wakes, or of the one that keeps all out, as far as known; if
// there are many, those that wake most.
func (q *inquiry) wakes() (lines []Answer) {
	all := q.roster.now.Releases
	for _, r := range all[:min(len(all), maxHolders)] {
		lines = append(lines, q.release(r))
	}
	if more := q.people.more(len(all) - maxHolders); more != nil {
		lines = append(lines, Answer{Pieces: more})
	}
	return lines
}

// release says whom a release wakes and, unless there is one holder, whose release.
func (q *inquiry) release(r handover.Release) Answer {
	var nodes []*view.Node
	for _, i := range r.Of {
		nodes = append(nodes, q.State.Tree.Node(q.roster.now.All[i].Path))
	}
	l := Answer{Name: q.say("holding.wakes"), Select: nodes[0].Path,
		Wrong: q.roster.lines() && len(r.Whom) >= handover.Herd}
	on := Short(l.Select)
	if len(q.roster.now.Holding) != 1 {
		l.Name = q.say("holding.wakes.whose")
		l.Pieces = append(q.people.together(nodes), Piece{Text: "→"})
	}
	if len(nodes) > 1 {
		on = q.say("holding.wakes.theirs")
	}
	how := "holding.wakes.least"
	if t := q.Host.Traits(); t.Visitors || t.Recipe {
		how = "holding.wakes.all"
	}
	for _, session := range r.Whom[:min(len(r.Whom), maxHolders)] {
		l.Pieces = append(l.Pieces, q.people.chip(session))
	}
	l.Pieces = append(l.Pieces, q.people.more(len(r.Whom)-maxHolders)...)
	l.Pieces = append(l.Pieces, Piece{Text: "· " + q.say(how, sentence.Grouped(len(r.Whom)), on)})
	return l
}
