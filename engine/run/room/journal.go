package room

import (
	"sync"

	"github.com/zkviz/zkviz/engine/event"
)

// journal adds to the log of a zoo, which has what the server saw, what contenders report about themselves: the server
// cannot know it. As a sink it reads the log, to know which client has which session.
type journal struct {
	// now returns a contender's reports for the start of a log.
	now func(session int64) []event.Event

	mu       sync.Mutex
	say      func(event.Event) event.Seq // adds an event through the server, which numbers it
	actors   map[int64]event.Actor
	sessions map[event.Actor]int64
	// Of each client, the last note and the last pause, which causes what follows if nothing else is known.
	notes, pauses map[event.Actor]event.Seq
}

// begin starts a new log.
func (j *journal) begin() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.say = func(event.Event) event.Seq { return 0 }
	j.actors, j.sessions = map[int64]event.Actor{}, map[event.Actor]int64{}
	j.notes, j.pauses = map[event.Actor]event.Seq{}, map[event.Actor]event.Seq{}
}

// speak makes the server add contenders' reports to the log.
func (j *journal) speak(say func(event.Event) event.Seq) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.say = say
}

// Append handles the log's next event.
func (j *journal) Append(e event.Event) {
	if e.Kind != event.SessionCreated {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.actors[e.Session], j.sessions[e.Peer] = e.Peer, e.Session
	for _, said := range j.now(e.Session) {
		said.Actor = e.Peer
		j.add(said)
	}
}

// add adds a report. A client that nobody has disturbed sleeps because it says so itself.
func (j *journal) add(e event.Event) event.Seq {
	if e.Cause == 0 {
		switch e.Kind {
		case event.ClientPaused:
			e.Cause = j.notes[e.Actor]
		case event.ClientResumed:
			e.Cause = j.pauses[e.Actor]
		}
	}
	seq := j.say(e)
	switch e.Kind {
	case event.RecipeNote:
		j.notes[e.Actor] = seq
	case event.ClientPaused:
		j.pauses[e.Actor] = seq
	}
	return seq
}

// Tell implements ZooLog. A report about a session that the log doesn't know is lost.
func (j *journal) Tell(session int64, e event.Event) event.Seq {
	j.mu.Lock()
	defer j.mu.Unlock()
	who := j.actors[session]
	if who == event.ZooKeeper {
		return 0
	}
	if e.Actor = who; e.Kind == event.FaultInjected {
		e.Actor, e.Peer = event.ZooKeeper, who
	}
	return j.add(e)
}

// ClientOf implements ZooLog.
func (j *journal) ClientOf(session int64) event.Actor {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.actors[session]
}

// sessionOf returns the session of a client in the log.
func (j *journal) sessionOf(who event.Actor) (int64, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	session, ok := j.sessions[who]
	return session, ok
}
