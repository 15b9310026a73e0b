package past

import (
	"github.com/zkviz/zkviz/engine/handover"
	"github.com/zkviz/zkviz/engine/naming"
	"github.com/zkviz/zkviz/engine/replay"
	"github.com/zkviz/zkviz/engine/wire"
)

// Turns follows a znode through transactions: when what it stands for changes hands.
type Turns struct {
	*handover.Tracker
	path  string
	begun bool
	use   naming.Use
	whose string
}

// NewTurns follows the znode at path.
func NewTurns(path string) *Turns { return &Turns{Tracker: handover.New(path), path: path} }

// Before takes what is there before a transaction, if it is the first.
func (of *Turns) Before(s *replay.State, t *wire.Txn) {
	if of.begun {
		return
	}
	of.begun = true
	for path, n := range s.Below(of.path) {
		of.Put(handover.Node{Path: path, Session: n.Owner, Data: n.Text, Bytes: n.Bytes, MadeMS: n.CtimeMS,
			Zxid: n.Czxid})
	}
	of.Begin(t.TimeMS)
}

// Take takes what a transaction has led to, and returns what that changes.
func (of *Turns) Take(t *wire.Txn, facts []replay.Fact) []handover.Change {
	for i := range facts {
		of.Apply(&facts[i].Event, t.TimeMS, facts[i].By)
	}
	list := of.Settle(t.TimeMS, t.Zxid)
	if use, whose := of.Tracker.Taken(); whose != "" {
		of.use, of.whose = use, whose
	}
	return list
}

// Taken returns what the children were taken for, when there were some the last time, and whose names those are.
func (of *Turns) Taken() (use naming.Use, whose string) { return of.use, of.whose }
