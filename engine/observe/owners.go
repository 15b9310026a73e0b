package observe

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event"
)

// own is the client that stands for a session, made if it is new; 0 for none.
func (o *observer) own(session int64) event.Actor {
	if session == 0 {
		return event.ZooKeeper
	}
	who := o.owners[session]
	if who == nil {
		if len(o.owners) == MaxObservedClients {
			o.note(event.Event{Reason: event.LeftOwners, N: MaxObservedClients})
			return event.ZooKeeper
		}
		who = &owner{actor: o.actor()}
		o.owners[session] = who
		o.emit(event.Event{Kind: event.SessionCreated, Peer: who.actor, Session: session})
	}
	who.nodes++
	return who.actor
}

// actor is the lowest client that stands for no session.
func (o *observer) actor() event.Actor {
	i := slices.Index(o.actors, false)
	if i < 0 {
		i = len(o.actors)
		o.actors = append(o.actors, false)
		o.emit(event.Event{Kind: event.ClientStarted, Actor: event.Actor(i + 1)})
	}
	o.actors[i] = true
	return event.Actor(i + 1)
}
