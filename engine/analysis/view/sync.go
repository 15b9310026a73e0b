package view

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Sync describes how a leader brings a server up to date. Its zero value means that it doesn't.
type Sync struct {
	Leader   event.Actor
	Since    time.Duration
	How      event.Op // DIFF, TRUNC or SNAP
	Rule     int32    // the rule that chose it, from 1
	Last     int64    // the last transaction in the learner's log
	To       int64    // for TRUNC, the last transaction that remains; else the one that it is brought to
	Min, Max int64    // the range of recent transactions that the leader has at hand
}

// Key returns the key of the sentence about it. Its arguments are the leader and, for DIFF and TRUNC, From.
func (y *Sync) Key() string {
	switch {
	case y.How == event.Trunc:
		return "scene.sync.trunc"
	case y.How == event.Snap:
		return "scene.sync.snap"
	case y.Same():
		return "scene.sync.same"
	}
	return "scene.sync.diff"
}

// Same reports whether the server's log is its leader's already, so that nothing is sent or cut.
func (y *Sync) Same() bool { return y.How == event.Diff && y.Rule == 1 }

// From returns the transaction after which the leader sends or cuts.
func (y *Sync) From() int64 {
	if y.How == event.Trunc {
		return y.To
	}
	return y.Last
}

// chosen records a leader's choice.
func (m *Ensemble) chosen(e event.Event) {
	if n := m.ensure(e.Peer); n != nil {
		from, to, _ := event.Window(e.Text)
		n.Sync = Sync{Leader: e.Actor, Since: e.At, How: e.Op, Rule: e.Code, Last: e.Zxid, To: e.N, Min: from, Max: to}
	}
}
