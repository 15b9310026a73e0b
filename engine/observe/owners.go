package observe

import "github.com/zkviz/zkviz/engine/event"

// owner is the client that stands for a session. A session may come back with new znodes, so its client is kept for
// the whole log, and stands for no other.
type owner struct {
	actor event.Actor
	nodes int // those seen
}

// own returns the client that stands for a session, which has one more znode; nil without a session, or if there
// are too many.
func (o *observer) own(session int64) *owner {
	if session == 0 {
		return nil
	}
	who := o.owners[session]
	switch {
	case who != nil && who.nodes > 0:
	case o.present == o.most.clients:
		if o.by == nil { // otherwise nobody needs more than the session
			o.note(event.Event{Reason: event.LeftOwners, N: MaxObservedClients})
		}
		return nil
	case who != nil:
	case len(o.owners) == event.MaxActor:
		o.full = true // a new log begins with those present
		return nil
	default:
		who = &owner{actor: event.Actor(len(o.owners) + 1)}
		o.owners[session] = who
		o.emit(event.Event{Kind: event.ClientStarted, Actor: who.actor})
		o.emit(event.Event{Kind: event.SessionSeen, Peer: who.actor, Session: session})
	}
	if who.nodes++; who.nodes == 1 {
		o.present++
	}
	return who
}

// disown takes a znode from the client that stands for its session, which may well live on.
func (o *observer) disown(who *owner) {
	if who == nil {
		return
	}
	if who.nodes--; who.nodes == 0 {
		o.present--
	}
}

// by returns the log's client that stands for the session, ZooKeeper if none does.
func (w *owner) by() event.Actor {
	if w == nil {
		return event.ZooKeeper
	}
	return w.actor
}
