package embed

import (
	"fmt"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// observation is one log in the making, under the server's lock. It translates the server's numbers of events
// and of clients into its own, and leaves out what is not about its root.
type observation struct {
	root string
	now  func() time.Duration // of the server
	who  func() string        // where a new client comes from
	most event.Seq

	from   time.Duration // its time 0
	seq    event.Seq     // of the last event
	events []event.Event // for its goroutine to take
	bell   chan struct{}
	full   bool
	over   bool // the server is closed

	clients map[event.Actor]event.Actor // by the server's number; 0 for one that there was no room for
	count   event.Actor
	gone    int // clients whose session has ended
	recent  [recentEvents]pair
	noted   map[string]bool
}

// recentEvents bounds how far back causes are known. What follows from an event follows in the same
// request, or soon after.
const recentEvents = 1 << 12

// pair is an event's number for the server and in this log: that of its cause if it was left out itself.
type pair struct{ theirs, mine event.Seq }

func newObservation(root string, most int) *observation {
	if most <= 0 || most > MaxObservedEvents {
		most = MaxObservedEvents
	}
	return &observation{
		root: root, most: event.Seq(max(most, minObservedEvents)),
		bell:    make(chan struct{}, 1),
		clients: make(map[event.Actor]event.Actor),
		noted:   make(map[string]bool),
	}
}

func (o *observation) ring() {
	select {
	case o.bell <- struct{}{}:
	default:
	}
}

// append puts an event of this log's own numbers at its end.
func (o *observation) append(e event.Event) event.Seq {
	if o.full || o.seq >= o.most-1 { // there must be room for RunEnded
		o.full = true
		o.ring()
		return 0
	}
	o.seq++
	e.Seq, e.At = o.seq, o.now()-o.from
	o.events = append(o.events, e)
	o.ring()
	return o.seq
}

// take is an event with the server's numbers.
func (o *observation) take(seq event.Seq, e event.Event) {
	cause := o.cause(e.Cause)
	mine := cause
	if o.translate(&e) {
		e.Cause = cause
		mine = o.append(e)
	}
	o.recent[seq%recentEvents] = pair{seq, mine}
	if e.Kind == event.SessionClosed && e.Peer != event.ZooKeeper {
		o.append(event.Event{Kind: event.ClientExited, Actor: e.Peer, Cause: mine})
	}
	if e.Kind == event.SessionClosed || e.Kind == event.SessionExpired {
		o.gone++
	}
}

func (o *observation) cause(theirs event.Seq) event.Seq {
	if p := o.recent[theirs%recentEvents]; theirs != 0 && p.theirs == theirs {
		return p.mine
	}
	return 0
}

// translate puts the log's own numbers of clients into e. It reports false for what is left out.
func (o *observation) translate(e *event.Event) bool {
	if e.Path != "" && !o.below(e.Path) {
		return false
	}
	if len(e.Path) > MaxObservedPath {
		o.note(fmt.Sprintf("znodes with paths of more than %d bytes are left out", MaxObservedPath))
		return false
	}
	e.Path, e.Text = strings.ToValidUTF8(e.Path, "\uFFFD"), event.Preview([]byte(e.Text))
	byClient := e.Actor != event.ZooKeeper
	toClient := e.Peer != event.ZooKeeper
	e.Actor, e.Peer = o.client(e.Actor), o.client(e.Peer)
	switch {
	case byClient && e.Actor == event.ZooKeeper:
		return false
	case !toClient || e.Peer != event.ZooKeeper:
		return true
	}
	switch e.Kind { // by somebody who is not in the log: the tree's changes are shown all the same
	case event.ZnodeCreated, event.ZnodeChanged, event.ZnodeDeleted:
		return true
	}
	return false
}

// below reports whether the log is about this path.
func (o *observation) below(path string) bool {
	return o.root == "/" || path == o.root || strings.HasPrefix(path, o.root) && path[len(o.root)] == '/'
}

// client is the log's number of a client, which it introduces if it is new, or 0 if there is no room.
func (o *observation) client(theirs event.Actor) event.Actor {
	if theirs == event.ZooKeeper {
		return theirs
	}
	mine, known := o.clients[theirs]
	if known {
		return mine
	}
	if o.count >= min(MaxObservedClients, event.Actor(o.most/8)) {
		if o.gone > 0 { // a new log has room again
			o.full = true
			o.ring()
		}
		o.note("there are more sessions; the others are left out")
		o.clients[theirs] = event.ZooKeeper
		return event.ZooKeeper
	}
	o.count++
	o.clients[theirs] = o.count
	o.append(event.Event{Kind: event.ClientStarted, Actor: o.count, Text: o.who()})
	return o.count
}

// note tells of a limit that was reached, once.
func (o *observation) note(text string) {
	if !o.noted[text] {
		o.noted[text] = true
		o.append(event.Event{Kind: event.RecipeNote, Text: text})
	}
}
