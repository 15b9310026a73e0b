package alarm

import (
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/ensemble"
	"github.com/zkviz/zkviz/engine/observe/locks"
)

// Kinds of what a webhook learns about servers, besides the kinds of locks' troubles.
const (
	Quorum    locks.Kind = "quorum"    // no quorum is in sight
	Unreached locks.Kind = "unreached" // no server can be reached
	Leader    locks.Kind = "leader"    // another one leads
)

// ServerChange says that a trouble of the servers is new or has ended, or that another one leads.
type ServerChange struct {
	Kind   locks.Kind
	State  string // stateNew or stateEnded, or stateHappened for Leader
	Says   sentence.Sentence
	TimeMS int64 // in ms since 1970
	Number int64 // counts them from 1; an end has the number of its trouble
}

// ServerDiff finds what a webhook should learn from states of the same servers. Its zero value knows nothing yet.
type ServerDiff struct {
	looked  bool
	last    int64 // the number of the last ServerChange that isn't an end
	noted   int   // the number of the last ensemble.Change that is reported, or came before the first state
	quorum  openTrouble
	unheard openTrouble
}

// openTrouble is a trouble that hasn't ended; its number is 0 if there is none.
type openTrouble struct {
	number int64
	says   sentence.Sentence // as it was last
	goneMS int64             // since when it has been gone; 0 while it is there
}

// Update returns what is new since the last call. A trouble ends once it has been gone for locks.EndsAfterMS. While no
// server says whether there is a quorum, its loss neither begins nor ends.
func (d *ServerDiff) Update(s *ensemble.State) (all []ServerChange) {
	if !d.looked {
		d.looked, d.noted = true, s.Last()
	}
	away, lost := s.Quorum == ensemble.Unreached, s.Quorum == ensemble.Lost
	all = d.trouble(all, Unreached, &d.unheard, s, away, !away)
	all = d.trouble(all, Quorum, &d.quorum, s, lost, s.Quorum == ensemble.Serves)
	for _, c := range s.After(d.noted) {
		if c.Kind == ensemble.NewLeader {
			d.last++
			all = append(all, ServerChange{Leader, stateHappened, c.Tells(s.Name), c.MS, d.last})
		}
	}
	d.noted = s.Last()
	return all
}

// trouble adds that a trouble is new or has ended, by whether it is there or is gone in this state.
func (d *ServerDiff) trouble(
	all []ServerChange, kind locks.Kind, o *openTrouble, s *ensemble.State, there, gone bool,
) []ServerChange {
	switch {
	case there && o.number == 0:
		d.last++
		*o = openTrouble{number: d.last, says: s.Says()}
		return append(all, ServerChange{kind, stateNew, o.says, s.Since.MS, o.number})
	case there:
		o.says, o.goneMS = s.Says(), 0
	case !gone || o.number == 0:
		o.goneMS = 0
	case o.goneMS == 0:
		o.goneMS = s.AtMS
	case s.AtMS-o.goneMS >= locks.EndsAfterMS:
		all = append(all, ServerChange{kind, stateEnded, o.says, o.goneMS, o.number})
		*o = openTrouble{}
	}
	return all
}
