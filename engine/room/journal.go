package room

import (
	"sync"

	"github.com/zkviz/zkviz/engine/event"
)

// journal is the log of a zoo: what the server saw, and what contenders of ours say of themselves, which the server
// cannot know. It knows which client is which session.
type journal struct {
	now func(session int64) []event.Event // what a contender says when a log begins

	mu       sync.Mutex
	sink     event.Sink
	say      func(event.Event) event.Seq // to the server, which numbers it
	actors   map[int64]event.Actor
	sessions map[event.Actor]int64
}

// begin starts a new log.
func (j *journal) begin(sink event.Sink) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.sink, j.say = sink, func(event.Event) event.Seq { return 0 }
	j.actors, j.sessions = map[int64]event.Actor{}, map[event.Actor]int64{}
}

// speak has what contenders say put into the log by the server.
func (j *journal) speak(say func(event.Event) event.Seq) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.say = say
}

// Append takes the log's next event.
func (j *journal) Append(e event.Event) {
	j.sink.Append(e)
	if e.Kind != event.SessionCreated {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.actors[e.Session], j.sessions[e.Peer] = e.Peer, e.Session
	for _, said := range j.now(e.Session) {
		said.Actor = e.Peer
		j.say(said)
	}
}

// tell takes what a contender says. What it says of a session that the log does not know is lost.
func (j *journal) tell(session int64, e event.Event) event.Seq {
	j.mu.Lock()
	defer j.mu.Unlock()
	who := j.actors[session]
	if who == event.ZooKeeper {
		return 0
	}
	if e.Actor = who; e.Kind == event.FaultInjected {
		e.Actor, e.Peer = event.ZooKeeper, who
	}
	return j.say(e)
}

// sessionOf is the session that a client of the log stands for.
func (j *journal) sessionOf(who event.Actor) (int64, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	session, ok := j.sessions[who]
	return session, ok
}
