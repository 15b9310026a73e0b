package ensemble

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// eventLog emits a server's events.
type eventLog struct {
	c        *Cluster
	self     event.Actor
	cause    event.Seq // the event that causes what the server does now
	loggedBy event.Seq // the event of its last log entry
}

// follow emits an event that the last one causes. What the server does next is caused by the new one.
func (l *eventLog) follow(e event.Event) {
	e.Cause = l.cause
	l.cause = l.emit(e)
}

// fact emits an event for an effect that exists only for reports.
func (l *eventLog) fact(e *zab.Effect) {
	switch e.Kind {
	case zab.Phases:
		leader := event.ZooKeeper
		if e.To != 0 {
			leader = event.Server(int(e.To))
		}
		l.follow(event.Event{Kind: event.ServerPhase, Text: e.Phase.String(), Peer: leader})
	case zab.Votes:
		if e.Vote.Leader == 0 {
			return // an observer votes for nobody
		}
		l.follow(event.Event{Kind: event.VoteCast, Peer: event.Server(int(e.Vote.Leader)), Zxid: int64(e.Vote.Zxid),
			Code: int32(e.Vote.Epoch), N: int64(e.Round)})
	case zab.Finalizes:
		l.emit(event.Event{Kind: event.VoteFinal, N: int64(e.For), Cause: l.cause})
	case zab.Chooses:
		c := &e.Choice
		l.follow(event.Event{Kind: event.SyncChosen, Peer: event.Server(int(e.To)), Op: opOf(c.Type),
			Zxid: int64(c.Last), N: int64(c.To), Code: int32(c.Rule),
			Text: event.WindowText(int64(c.Min), int64(c.Max))})
	case zab.Proposes:
		ev := event.Event{Kind: event.TxnProposed, Zxid: int64(e.Entry.Zxid), N: l.c.digest(e.Entry.Txn), Cause: l.cause}
		if d, ok := e.Entry.Txn.(Described); ok {
			d.Describe(&ev)
		}
		l.cause = l.emit(ev)
	case zab.Commits:
		l.follow(event.Event{Kind: event.TxnCommitted, Zxid: int64(e.Zxid)})
	case zab.Activates:
		l.follow(event.Event{Kind: event.LeaderActivated, Code: int32(e.Epoch)})
	case zab.Promises:
		l.follow(event.Event{Kind: event.EpochPromised, Code: int32(e.Epoch), Peer: event.Server(int(e.To))})
	case zab.Loses:
		l.follow(event.Event{Kind: event.LeaderLost, Reason: reasons[e.Reason]})
	}
}

// Described is a transaction that can fill in more of an event than its number: Op, Path, Session, Text and Code.
type Described interface{ Describe(e *event.Event) }

var reasons = [...]event.Reason{
	zab.Unreachable: event.LostUnreachable, zab.Closed: event.LostClosed, zab.Silent: event.LostSilent,
	zab.LowerEpoch: event.LostEpoch, zab.NoQuorum: event.LostQuorum, zab.NoEpoch: event.LostNoEpoch,
	zab.NoAck: event.LostNoAck, zab.CounterUsed: event.LostCounter, zab.Illegal: event.LostBroken,
}

// opOf returns the name of a message in the log.
func opOf(t zab.Type) event.Op {
	if t > 0 && int(t) < len(ops) {
		return ops[t]
	}
	return event.NoOp
}

var ops = [...]event.Op{
	zab.Request: event.Forward, zab.Proposal: event.Proposal, zab.Ack: event.Ack, zab.Commit: event.Commit,
	zab.Ping: event.ServerPing, zab.Revalidate: event.Revalidate, zab.Sync: event.ServerSync, zab.Inform: event.Inform,
	zab.NewLeader: event.NewLeader, zab.FollowerInfo: event.FollowerInfo, zab.UpToDate: event.UpToDate,
	zab.Diff: event.Diff, zab.Trunc: event.Trunc, zab.Snap: event.Snap, zab.ObserverInfo: event.ObserverInfo,
	zab.LeaderInfo: event.LeaderInfo, zab.AckEpoch: event.AckEpoch,
}

// received emits the arrival of a message.
func (l *eventLog) received(from zab.ID, op event.Op, z zab.Zxid, cause event.Seq) event.Seq {
	return l.emit(event.Event{Kind: event.MsgReceived, Peer: event.Server(int(from)), Op: op, Zxid: int64(z),
		Cause: cause})
}

// notified emits the arrival of a notification and its vote. An observer votes for nobody.
func (l *eventLog) notified(x *Step) event.Seq {
	e := event.Event{Kind: event.MsgReceived, Peer: event.Server(int(x.from)), Op: event.Notification, Cause: x.cause}
	if v := x.note.Vote; v.Leader != 0 {
		e.Text = event.Server(int(v.Leader)).String()
		e.Zxid, e.Code, e.N = int64(v.Zxid), int32(v.Epoch), int64(x.note.Round)
	}
	return l.emit(e)
}

// sent emits the departure of a message.
func (l *eventLog) sent(to zab.ID, op event.Op, z zab.Zxid, flight int64) event.Seq {
	return l.emit(event.Event{Kind: event.MsgSent, Peer: event.Server(int(to)), Op: op, Zxid: int64(z), N: flight,
		Cause: l.cause})
}

// dropped emits the loss of a message whose receiving process or connection is gone.
func (c *Cluster) dropped(x Step) {
	op := event.Notification
	if x.kind == arrives {
		op = opOf(x.message.Type)
	}
	c.emit(event.Event{Kind: event.MsgDropped, Actor: event.Server(int(x.from)), Peer: event.Server(int(x.to)),
		Op: op, Cause: x.cause})
}

func (l *eventLog) emit(e event.Event) event.Seq {
	e.Actor = l.self
	return l.c.emit(e)
}
