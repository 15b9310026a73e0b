package panes

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
)

// Piece is a part of a line: a client's chip, if it has a label, and a text.
type Piece struct {
	Who  Who
	Text string
}

// Answer is one line. Seq is the event at which a choice of the line puts the playhead, and Select what
// it selects; with neither there is nothing to choose.
type Answer struct {
	Name   string // of the fact, empty in lists
	Pieces []Piece
	Seq    event.Seq
	Select string
	Wrong  bool // it is what somebody on call looks for
}

// List is lines under a heading. There may be more than it has.
type List struct {
	Title string
	Lines []Answer
	More  string
}

// Panel is the answers of a moment: about one lock, election, queue or group of a log.
type Panel struct {
	Where string   // its path; empty if there is nothing to tell of
	Kind  string   // what it's taken for
	Now   []Answer // always as many
	Lists []List
	Aside string // what can't be known of this log
	Told  string // to be read aloud once it is another: who holds it, and why
}

// Holding is what is kept of one branch to answer from. Its zero value has followed nothing.
type Holding struct {
	group *group
	flows flows
}

// At answers for the playhead. It goes on with the group that was shown last, prefers, unless another is selected or
// has far more going on. unfinished reports that not all of the log has been looked at: ask again.
func (a *Holding) At(f *Facts, prefers string, say Say) (p Panel, unfinished bool) {
	a.flows.follow(f.History)
	at := f.At
	if seen := f.State.Unseen; seen > 0 { // nothing goes on that isn't seen
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
	q := inquiry{Facts: f, moments: newMoments(f, say), say: say, g: a.group, flows: &a.flows, crowds: crowds,
		unseen: at - f.At}
	return q.panel(), a.flows.behind(f.History) || a.group.behind(f.History)
}

// inquiry is a Panel in the making.
type inquiry struct {
	*Facts
	moments
	say    Say
	g      *group
	flows  *flows
	crowds []crowd
	unseen time.Duration // for how long it has been so that nothing can be seen; 0 while something can
	family view.Siblings // of the group; without places if one znode is all of it
}
