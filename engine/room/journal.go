package room

import (
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// journal is the log of a zoo: what the server saw, and in between what contenders of ours say of themselves,
// which the server cannot know. It numbers the events anew, and knows which client is which session.
type journal struct {
	now func(session int64) []event.Event // what a contender says when a log begins

	mu       sync.Mutex
	sink     event.Sink
	from     time.Time // when the log's time was 0
	at       time.Duration
	next     event.Seq
	numbers  []event.Seq // by the server's number less 1, the number here
	actors   map[int64]event.Actor
	sessions map[event.Actor]int64
	silenced map[event.Actor]event.Seq // the fault for which nothing is heard of a contender
	heard    map[event.Actor]heard
}

// heard is the last thing that a client has learnt, as far as this log knows.
type heard struct {
	seq event.Seq
	at  time.Duration
}

// soon is how long after what it has learnt a client may do something because of it. Later it has reasons of
// its own.
const soon = 2 * time.Second

// begin starts a new log.
func (j *journal) begin(sink event.Sink) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.sink, j.from, j.at, j.next = sink, time.Time{}, 0, 0
	j.numbers = j.numbers[:0]
	j.actors, j.sessions = map[int64]event.Actor{}, map[event.Actor]int64{}
	j.silenced, j.heard = map[event.Actor]event.Seq{}, map[event.Actor]heard{}
}

// Append takes the server's next event.
func (j *journal) Append(e event.Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.from.IsZero() {
		j.from = time.Now().Add(-e.At)
	}
	if e.Cause > 0 && int(e.Cause) <= len(j.numbers) {
		e.Cause = j.numbers[e.Cause-1]
	}
	if e.Kind == event.SessionExpired && j.silenced[e.Peer] > 0 {
		e.Cause = j.silenced[e.Peer]
	}
	j.numbers = append(j.numbers, j.put(e))
	if e.Kind != event.SessionCreated {
		return
	}
	j.actors[e.Session], j.sessions[e.Peer] = e.Peer, e.Session
	for _, said := range j.now(e.Session) {
		said.Actor = e.Peer
		j.put(said)
	}
}

// put appends e under the next number.
func (j *journal) put(e event.Event) event.Seq {
	j.next++
	j.at = max(j.at, e.At)
	e.Seq, e.At = j.next, j.at
	switch last := j.heard[e.Actor]; e.Kind {
	case event.OpSent, event.RecipePhase:
		if e.Cause == 0 && last.seq > 0 && e.At-last.at < soon {
			e.Cause = last.seq
		}
	}
	switch e.Kind {
	case event.OpDone, event.WatchDelivered, event.ConnOpened, event.RecipePhase:
		j.heard[e.Actor] = heard{e.Seq, e.At}
	}
	j.sink.Append(e)
	return j.next
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
	e.At = time.Since(j.from)
	seq := j.put(e)
	switch {
	case e.Kind == event.FaultInjected, e.Kind == event.ClientPaused, e.Kind == event.ClientCrashed:
		j.silenced[who] = seq
	case e.Kind == event.ClientResumed, e.Kind == event.RecipePhase && zoo.Phase(e.Text) == zoo.Waiting:
		delete(j.silenced, who)
	}
	return seq
}

// sessionOf is the session that a client of the log stands for.
func (j *journal) sessionOf(who event.Actor) (int64, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	session, ok := j.sessions[who]
	return session, ok
}
