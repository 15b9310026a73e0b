package view

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// This file explains what nodes of systems other than ZooKeeper do, and what clients do with them.

// whyNode explains what happened at a node.
func whyNode(e event.Event) sentence.Sentence {
	who, what := sentence.Client(e.Peer), sentence.Path(e.Path)
	if k := e.Kind; e.Peer == event.ZooKeeper && (k == event.EntrySet || k == event.EntryExpires || k == event.LockTaken) {
		return because("entry.unknown", sentence.Client(e.Actor))
	}
	switch e.Kind {
	case event.EntrySet:
		if e.N > 0 {
			return because("entry.set.ends", who)
		}
		return because("entry.set", who)
	case event.EntryExpires:
		return because("entry.expires", who)
	case event.EntryGone, event.LockFreed, event.TxEnded, event.LeaseEnded:
		return whyOver(e)
	case event.RequestWaits:
		return because("request.waits", what)
	case event.RequestServed:
		if e.Reason == event.NoReason {
			return because("request.served", what)
		}
		return whyOver(e)
	case event.LockTaken:
		if e.Session == 0 {
			return because("lock.connection", who)
		}
		return because("lock.transaction", who)
	case event.TxBegan, event.LeaseGranted:
		return because("entry.set", who)
	case event.LeaseRenewed:
		return because("lease.renewed", who)
	case event.PushSent:
		return because("push.sent", who)
	case event.MsgSent, event.MsgReceived:
		if e.Op == event.Replicate {
			return because("replicate")
		}
	case event.MsgDropped:
		return because("dropped")
	case event.RolePlayed, event.ClockJumped:
		return because("fault")
	case event.ServerStopped:
		return because("server.stopped")
	case event.ServerStarted:
		return because("server.back")
	}
	return sentence.Sentence{}
}

// whyOver explains why something at a node ended.
func whyOver(e event.Event) sentence.Sentence {
	who := sentence.Client(e.Peer)
	switch {
	case e.Reason == event.ByOp && e.Peer != event.ZooKeeper:
		return because("entry.set", who)
	case e.Reason == event.ByOp:
		return because("entry.unknown", sentence.Client(e.Actor))
	case e.Reason == event.ByTimer && (e.Kind == event.EntryGone || e.Kind == event.LeaseEnded):
		return because("entry.expired")
	case e.Reason == event.ByTimer:
		return because("too.long")
	case e.Reason == event.ByRestart && e.Kind != event.EntryGone && e.Kind != event.LeaseEnded:
		return because("restarted")
	}
	return sentence.Of(reasonKey(e.Reason))
}

// whyFar explains what a client did with a node.
func whyFar(e, by event.Event) sentence.Sentence {
	switch e.Kind {
	case event.OpSent:
		switch {
		case by.Kind == event.TryFailed:
			return because("try.again")
		case by.Kind == event.PushDelivered:
			return because("op.look", sentence.Path(by.Path))
		case by.Kind == event.OpDone:
			return because("next", sentence.Request(by.Op, by.Path))
		case by.Kind == event.RecipePhase && program.Phase(by.Text) == program.Released:
			return because("op.leave", sentence.Path(e.Path))
		case by.Kind == event.ConnOpened:
			return because("op.begin")
		}
		return sentence.Sentence{}
	case event.OpDone:
		if e.Code < 0 {
			return because("done.unknown", sentence.Request(e.Op, e.Path))
		}
		return because("node.done", sentence.Client(e.Peer), sentence.Request(e.Op, e.Path))
	case event.ConnOpened:
		return because("node.connected", sentence.Client(e.Peer))
	case event.ClientBlocked:
		return because("node.blocked", sentence.Client(e.Peer))
	case event.PushDelivered:
		return because("push.delivered", sentence.Client(e.Peer))
	case event.MsgSent, event.MsgReceived:
		return because("connect", sentence.Client(e.Actor))
	case event.MsgDropped:
		return because("dropped")
	}
	return sentence.Of(reasonKey(e.Reason))
}

// whyProgram explains why a program is paused, gone, or tries again.
func whyProgram(e, by event.Event) sentence.Sentence {
	switch e.Kind {
	case event.TryFailed:
		return because("try.failed", sentence.Span(time.Duration(e.N)))
	case event.ProcessStalled, event.ClientVanished:
		return because("crashed", sentence.Text(by.Text))
	}
	return because("moves")
}
