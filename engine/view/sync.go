package view

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Sync is how a leader brings a server to its own state. Its zero value is for a server that is not being brought.
type Sync struct {
	Leader   event.Actor
	Since    time.Duration
	How      event.Op // DIFF, TRUNC or SNAP
	Rule     int32    // by which that was chosen, from 1
	Last     int64    // what the learner's log ended with
	To       int64    // of TRUNC what is left of that, else what it is brought to
	Min, Max int64    // the bounds of the last transactions that the leader has at hand
}

// chosen is a leader's choice.
func (s *State) chosen(e event.Event) {
	if n := s.server(e.Peer); n != nil {
		from, to, _ := event.Window(e.Text)
		n.Sync = Sync{Leader: e.Actor, Since: e.At, How: e.Op, Rule: e.Code, Last: e.Zxid, To: e.N, Min: from, Max: to}
	}
}

// Key is that of the sentence for it, whose arguments are the leader and, of DIFF and TRUNC, after what is sent or cut.
func (y *Sync) Key() string {
	switch {
	case y.How == event.Trunc:
		return "scene.sync.trunc"
	case y.How == event.Snap:
		return "scene.sync.snap"
	case y.Rule == 1:
		return "scene.sync.same"
	}
	return "scene.sync.diff"
}

// From is after what it is sent or cut.
func (y *Sync) From() int64 {
	if y.How == event.Trunc {
		return y.To
	}
	return y.Last
}
