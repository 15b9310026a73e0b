package replay

import (
	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Fact is an event caused by a transaction. Seq and Cause number the transaction's facts from 1. Nearly always the
// first fact causes the others. Actor and Peer are unset; By names the session.
type Fact struct {
	event.Event
	By   int64 // the session; 0 if a server acted by itself
	Went Node  // the deleted znode's last state; zero if it was created before everything known
	// Part says which of that many Parts made a multi fail, from 1. Its path is unknown.
	Part, Parts int
	Type        int32 // an unknown transaction type's number; else 0
}

// Lived returns how long a znode deleted at timeMS existed, in ms. It reports false if that is unknown, for
// instance because the clock went back.
func (f *Fact) Lived(timeMS int64) (ms int64, known bool) {
	ms = timeMS - f.Went.CtimeMS
	return ms, f.Kind == event.ZnodeDeleted && f.Went.Czxid != 0 && f.Went.CtimeMS <= timeMS && ms >= 0
}

// Why returns why a deleted znode went.
func (f *Fact) Why() handover.Why {
	return handover.WhyGone(f.Reason, f.Went.Owner, f.By, zoo.CreateMode(f.Went.Mode))
}
