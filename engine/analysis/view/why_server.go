package view

import (
	"path"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// This file explains what ZooKeeper does, and what a recipe reports.

func whyWatch(e, by event.Event) sentence.Sentence {
	who := sentence.Client(e.Peer)
	switch {
	case e.Kind == event.WatchRemoved && e.Reason == event.ServerSays && by.Path == e.Path:
		return because("watch.spent", sentence.Path(e.Path))
	case e.Reason == event.ServerSays && e.Kind == event.WatchRemoved:
		return because("watch.untold", who)
	case e.Reason == event.ServerSays:
		return because("watch.told", who, sentence.Path(e.Path))
	case e.Kind == event.WatchRemoved && (by.Op == event.RemoveWatches || by.Op == event.AddWatch):
		return because("watch.unset", who)
	case e.Kind == event.WatchRemoved && by.Path == e.Path && by.Kind != 0:
		return because("watch.hidden", who, sentence.Path(e.Path))
	case e.Kind == event.WatchRemoved:
		return because("watch.gone", who)
	case by.Op == event.SetWatches:
		return because("watch.again", who, sentence.Path(e.Path))
	}
	switch e.Watch {
	case event.ChildWatch:
		return because("watch.child", who, sentence.Path(e.Path))
	case event.ExistWatch:
		return because("watch.exist", who, sentence.Path(e.Path))
	case event.PersistentWatch:
		return because("watch.persistent", who, sentence.Path(e.Path))
	case event.RecursiveWatch:
		return because("watch.recursive", who, sentence.Path(e.Path))
	}
	return because("watch.data", who, sentence.Path(e.Path))
}

func whyFired(e, by event.Event) sentence.Sentence {
	child := by.Path != e.Path
	if child && path.Dir(by.Path) != e.Path {
		by = event.Event{}
	}
	gone := func(why event.Reason) bool { return by.Kind == event.ZnodeDeleted && by.Reason == why }
	watcher, watched := sentence.Client(e.Peer), sentence.Path(e.Path)
	which, who := sentence.Path(by.Path), sentence.Client(by.Peer)
	switch {
	case by.Kind == event.ZnodeCreated && child:
		return because("fired.child.created", watcher, watched, which, who)
	case by.Kind == event.ZnodeCreated:
		return because("fired.created", watcher, watched, who)
	case by.Kind == event.ZnodeChanged:
		return because("fired.changed", watcher, watched, who)
	case gone(event.ByOp) && child:
		return because("fired.child.deleted", watcher, watched, which, who)
	case gone(event.ByOp):
		return because("fired.deleted", watcher, watched, who)
	case gone(event.BySessionClosed) && child:
		return because("fired.child.closed", watcher, watched, which, who)
	case gone(event.BySessionClosed):
		return because("fired.closed", watcher, watched, who)
	case gone(event.BySessionExpired) && child:
		return because("fired.child.expired", watcher, watched, which, who)
	case gone(event.BySessionExpired):
		return because("fired.expired", watcher, watched, who)
	case by.Kind == 0 && e.Cause != 0:
		return because("fired.missed", watcher, watched)
	case zoo.EventType(e.Type) == zoo.NodeChildrenChanged:
		return because("fired.child.unknown", watcher, watched)
	}
	return because("fired.unknown", watcher, watched)
}
func whyZnode(e, by event.Event) sentence.Sentence {
	who := sentence.Client(e.Peer)
	switch {
	case e.Reason == event.ByFailover:
		return because("led")
	case e.Kind == event.ZnodeChanged && e.Peer == event.ZooKeeper:
		return because("changed.unknown")
	case e.Kind == event.ZnodeChanged:
		return because("changed", who)
	case e.Kind == event.ZnodeCreated && e.Peer == event.ZooKeeper:
		return because("created.setup")
	case e.Kind == event.ZnodeCreated && zoo.CreateMode(e.Mode).IsEphemeral():
		return because("created.ephemeral", who)
	case e.Kind == event.ZnodeCreated:
		return because("created", who)
	}
	switch e.Reason {
	case event.ByOp:
		return because("deleted", who)
	case event.BySessionClosed:
		return because("deleted.closed", who)
	case event.BySessionExpired:
		return because("deleted.expired", who)
	case event.ByTimer:
		return because("deleted.timer")
	}
	if by.Kind == event.SessionClosed || by.Kind == event.SessionExpired {
		return because("deleted.either", who)
	}
	if e.Peer != event.ZooKeeper { // the znode's owner
		return because("deleted.unsure", who)
	}
	return because("deleted.unknown")
}

// whyPhase explains why a client reports a phase, as far as the answer behind it tells.
func whyPhase(e, by event.Event) sentence.Sentence {
	p := program.Phase(e.Text)
	answered, alone := by.Kind == event.OpDone && by.Code == 0, p.Traits().Access == program.Alone
	switch {
	case !p.Known(): // from a foreign log
		return sentence.Sentence{}
	case answered && by.Op == event.Create && p == program.Waiting && by.Path == e.Path && event.Number(e.Path) >= 0:
		return because("phase.queued", sentence.Path(e.Path))
	case answered && by.Op == event.Create && alone:
		return because("phase.alone.made", sentence.Path(e.Path))
	case answered && by.Op == event.Children && alone:
		return because("phase.alone.first", sentence.Path(e.Path))
	case p.Traits().Item:
		return because("phase."+string(p), sentence.Path(e.Path))
	}
	return because("phase." + string(p))
}

func whySession(e, by event.Event, log Log) sentence.Sentence {
	who := sentence.Client(e.Peer)
	switch {
	case (e.Kind == event.SessionSeen || e.Kind == event.SessionCreated && e.Cause == 0 && e.Zxid == 0) && e.N != 0:
		return because("session.before", who) // the observer that reports it knows its timeout
	case e.Kind == event.SessionSeen || e.Kind == event.SessionCreated && e.Cause == 0 && e.Zxid == 0:
		return because("session.seen", who)
	case e.Kind == event.SessionCreated:
		return because("session", who)
	case e.Kind == event.SessionClosed && e.Cause == 0 && e.Zxid == 0:
		return because("session.unseen", who)
	case e.Kind == event.SessionClosed:
		return because("session.closed", who)
	}
	switch {
	case by.Kind == event.ClientCrashed:
		return because("expired.crashed", who, timeoutOf(e, log))
	case by.Kind == event.ClientPaused:
		return because("expired.paused", who, timeoutOf(e, log))
	case by.Kind == event.FaultInjected && faultOf(by) == fault.Cut:
		return because("expired.cut", who, timeoutOf(e, log))
	case by.Kind == event.FaultInjected:
		return because("expired.fault", who, sentence.Text(by.Text))
	}
	return because("expired.silent", who, timeoutOf(e, log))
}

// faultOf returns the kind of fault that was injected.
func faultOf(e event.Event) fault.Kind {
	f, _ := fault.Parse(e.Text) // in a trace that somebody wrote it may not parse
	return f.Kind
}

// timeoutOf returns the timeout of the session that e ends.
func timeoutOf(e event.Event, log Log) sentence.Arg {
	if d := log.Timeout(e.Session, e.Seq); d > 0 {
		return sentence.Span(d)
	}
	return sentence.Text("?")
}

func whyMessage(e, by event.Event) sentence.Sentence {
	switch {
	case e.Kind == event.MsgReceived && (by.Kind == event.MsgSent || by.Kind == event.OpSent):
		return because("received", sentence.Client(by.Actor), sentence.Span(e.At-by.At))
	case e.Kind == event.MsgReceived: // who sent it, the log doesn't know
		return sentence.Sentence{}
	case e.Kind == event.MsgDropped:
		return because("dropped")
	case e.Op == event.Ping && e.Actor == event.ZooKeeper:
		return because("pong")
	case e.Op == event.Ping:
		return because("ping")
	case e.Op == event.Connect && e.Actor != event.ZooKeeper:
		return because("connect", sentence.Client(e.Actor))
	case e.Op == event.Connect && e.Code != 0:
		return because("done.expired")
	case e.Op == event.Connect && by.Kind == event.SessionCreated:
		return because("connected", sentence.Client(e.Peer))
	case e.Op == event.Connect:
		return because("again", sentence.Client(e.Peer))
	}
	return because("reply", sentence.Client(e.Peer), request(e))
}
