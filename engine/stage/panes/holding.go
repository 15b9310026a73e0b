package panes

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
)

// Piece is a part of a line: a client's chip, if it has a label, and a text.
type Piece struct {
	_    view.Incomparable
	Who  Who
	Text string
}

// Answer is one line. Choosing it moves the playhead to the event Seq and selects Select; without both it can't be
// chosen.
type Answer struct {
	Name   string // name of the fact, "" in lists
	Pieces []Piece
	Seq    event.Seq
	Select string
	Wrong  bool // what an operator looks for
}

// List holds lines under a heading. More says how many are left out.
type List struct {
	Title string
	Lines []Answer
	More  string
}

// Panel holds the answers for a moment, about one lock, election, queue or group.
type Panel struct {
	Where string   // its path; "" if there is nothing to show
	Kind  string   // what it is taken for
	Now   []Answer // a fixed number of lines
	Lists []List
	Aside string // what this log can't tell
	Told  string // read aloud when it changes: who holds it, and why
}

// Holding keeps what it needs of one branch to answer. Its zero value has read nothing.
type Holding struct {
	group *group
	flows flows
}

// At answers for the playhead. It stays with the path shown last, prefers, unless another one is selected or has far
// more activity. unfinished reports that it hasn't read the whole log: call it again.
func (a *Holding) At(f *Facts, prefers string, say Say) (p Panel, unfinished bool) {
	a.flows.follow(f.History)
	at := f.At
	if seen := f.State.Unseen; seen > 0 { // nothing happens unseen
		was := *f
		was.At = min(at, seen)
		f = &was
	}
	crowds := crowdsOf(f.State)
	where := f.Selected
	if !a.flows.emptied(where, f.Seq) {
		where = choose(f.State, crowds, f.Selected, prefers)
	}
	if a.group == nil || a.group.path != where {
		a.group = newGroup(where)
	}
	a.group.follow(f.History)
	q := inquiry{Facts: f, moments: newMoments(f, say), say: say, people: people{f.State, say}, g: a.group,
		flows: &a.flows, crowds: crowds, unseen: at - f.At}
	return q.panel(), a.flows.behind(f.History) || a.group.behind(f.History)
}

// inquiry is a Panel being built.
type inquiry struct {
	*Facts
	moments
	say    Say
	g      *group
	flows  *flows
	crowds []crowd
	unseen time.Duration // how long nothing could be seen; 0 if it can now
	roster roster
	people people
	use    naming.Use // what it is taken for: of a single znode, by its own name,
	like   string     // and whose names are like that
}
