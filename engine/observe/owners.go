package observe

import "github.com/zkviz/zkviz/engine/event"

// owners holds the log's clients, which own ephemeral znodes.
type owners struct {
	observer  *observer
	bySession map[int64]*owner
	present   int         // those of them that own something here
	started   event.Actor // the last one that the log has
}

// owner is the client that stands for a session. A session may come back with new znodes, so its client is kept for
// the whole log, and stands for no other.
type owner struct {
	actor event.Actor
	nodes int // those seen
}

// addZnode returns the client that stands for a session, which has one more znode; nil without a session, or if there
// are too many.
func (w *owners) addZnode(session int64) *owner {
	o := w.observer
	if session == 0 {
		return nil
	}
	who := w.bySession[session]
	switch {
	case who != nil && who.nodes > 0:
	case w.present == o.limits.clients:
		if o.names == nil { // otherwise the session is enough
			o.omissions.note(event.Event{Reason: event.LeftOwners, N: MaxObservedClients})
		}
		return nil
	case who != nil:
	case len(w.bySession) == event.MaxActor:
		o.log.full = true // a new log begins with those present
		return nil
	default:
		who = &owner{actor: event.Actor(len(w.bySession) + 1)}
		w.bySession[session] = who
		if who.actor > w.started { // else a log that goes on was cut off after that
			w.started = who.actor
			o.log.emit(event.Event{Kind: event.ClientStarted, Actor: who.actor})
		}
		o.log.emit(event.Event{Kind: event.SessionSeen, Peer: who.actor, Session: session})
	}
	return w.countZnode(who)
}

// countZnode counts one more znode of a client, unless that is nil, and returns the client.
func (w *owners) countZnode(who *owner) *owner {
	if who == nil {
		return nil
	}
	if who.nodes++; who.nodes == 1 {
		w.present++
	}
	return who
}

// removeZnode takes a znode from the client that stands for its session, which may well live on.
func (w *owners) removeZnode(who *owner) {
	if who == nil {
		return
	}
	if who.nodes--; who.nodes == 0 {
		w.present--
	}
}

// client returns the log's client that stands for the session, ZooKeeper if none does.
func (w *owner) client() event.Actor {
	if w == nil {
		return event.ZooKeeper
	}
	return w.actor
}
