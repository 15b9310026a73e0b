package challenge

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// ledger is what is known about the servers of an ensemble while a log is read.
type ledger struct {
	leaders map[event.Actor]bool      // servers that consider themselves the leader
	asked   map[event.Seq]event.Seq   // the write behind a proposal, or behind a message on the way to one
	zxid    map[event.Seq]int64       // the zxid under which a request was proposed
	last    map[event.Actor]event.Seq // a client's last request
	applied map[int64]bool            // whether the transaction succeeded
	doubts  []doubt
}

// doubt is a write whose outcome its client doesn't know.
type doubt struct {
	who  event.Actor
	zxid int64 // 0 if nobody has proposed it
}

func newLedger() ledger {
	return ledger{leaders: map[event.Actor]bool{}, asked: map[event.Seq]event.Seq{}, zxid: map[event.Seq]int64{},
		last: map[event.Actor]event.Seq{}, applied: map[int64]bool{}}
}

func (b *Book) readServers(e event.Event) {
	l := &b.ledger
	switch e.Kind {
	case event.LeaderActivated:
		l.leaders[e.Actor] = true
		b.forget(e)
		b.happened(Leads+e.Actor.String(), e, e.Actor)
		if len(l.leaders) > 1 {
			b.happened(TwoLeaders, e, e.Actor)
		}
	case event.LeaderLost, event.ServerStopped:
		delete(l.leaders, e.Actor)
		if e.Reason == event.LostQuorum {
			b.happened(NoQuorum, e, e.Actor)
		}
	case event.LogTruncated:
		b.happened(Cut, e, e.Actor)
	case event.SnapshotLoaded:
		b.happened(Copied, e, e.Actor)
	default:
		b.readWrites(e)
	}
}

// readWrites follows a write from its client to the servers, and its outcome.
func (b *Book) readWrites(e event.Event) {
	l := &b.ledger
	switch e.Kind {
	case event.OpSent:
		l.last[e.Actor] = e.Seq
		if writes(e.Op) {
			l.asked[e.Seq] = e.Seq
		}
	case event.MsgSent, event.MsgReceived:
		if e.Op == event.Forward && l.asked[e.Cause] > 0 {
			l.asked[e.Seq] = l.asked[e.Cause]
		}
	case event.TxnProposed:
		if request := l.asked[e.Cause]; request > 0 {
			l.zxid[request] = e.Zxid
		}
	case event.OpDone:
		if e.Code == int32(zoo.ErrConnectionLoss) && writes(e.Op) {
			b.doubt(e, doubt{e.Actor, l.zxid[l.last[e.Actor]]})
		}
	case event.TxnApplied:
		b.settle(e)
	}
}

// doubt begins when a client learns that its connection is lost, without an answer to its write.
func (b *Book) doubt(e event.Event, d doubt) {
	if b.ledger.applied[d.zxid] {
		b.happened(DoubtKept, e, d.who)
		return
	}
	if len(b.ledger.doubts) < MaxFeats { // each may become one
		b.ledger.doubts = append(b.ledger.doubts, d)
	}
}

// forget ends the doubts about writes that were never proposed: the leader that should have done so is gone.
func (b *Book) forget(activated event.Event) {
	b.ledger.doubts = slices.DeleteFunc(b.ledger.doubts, func(d doubt) bool {
		if d.zxid == 0 {
			b.happened(DoubtLost, activated, d.who)
		}
		return d.zxid == 0
	})
}

// settle ends the doubts that a transaction resolves: the one about itself, and those about earlier ones that were
// never applied, since zxids only grow.
func (b *Book) settle(e event.Event) {
	l := &b.ledger
	l.applied[e.Zxid] = e.Code == 0
	left := l.doubts[:0]
	for _, d := range l.doubts {
		switch {
		case d.zxid == e.Zxid && e.Code == 0:
			b.happened(DoubtKept, e, d.who)
		case d.zxid == 0:
			left = append(left, d)
		case d.zxid < e.Zxid:
			b.happened(DoubtLost, e, d.who)
		case d.zxid > e.Zxid:
			left = append(left, d)
		}
	}
	l.doubts = left
}
