package observe

import "github.com/zkviz/zkviz/engine/event"

// owner is the client that stands for a session. A session that has gone may come back to what is seen here, so its
// client is kept for as long as there is a log, and stands for no other.
type owner struct {
	actor event.Actor
	nodes int // of those seen
}

// own is the client that stands for a session, which has one more znode; nil without a session, or if there are too
// many.
func (o *observer) own(session int64) *owner {
	if session == 0 {
		return nil
	}
	who := o.owners[session]
	switch {
	case who != nil:
	case o.present == MaxObservedClients:
		o.note(event.Event{Reason: event.LeftOwners, N: MaxObservedClients})
		return nil
	case len(o.owners) == event.MaxActor:
		o.fill() // a new log begins with those who are there
		return nil
	default:
		who = &owner{actor: event.Actor(len(o.owners) + 1)}
		o.owners[session] = who
		o.emit(event.Event{Kind: event.ClientStarted, Actor: who.actor})
	}
	if who.nodes++; who.nodes == 1 {
		o.present++
		o.emit(event.Event{Kind: event.SessionCreated, Peer: who.actor, Session: session})
	}
	return who
}

// disown takes a znode from the client that stands for its session.
func (o *observer) disown(who *owner, session int64) {
	if who.nodes--; who.nodes == 0 {
		o.present--
		o.emit(event.Event{Kind: event.SessionClosed, Peer: who.actor, Session: session})
	}
}

// by is the log's client that stands for the session, ZooKeeper if none does.
func (w *owner) by() event.Actor {
	if w == nil {
		return event.ZooKeeper
	}
	return w.actor
}
