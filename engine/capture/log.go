package capture

import (
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/program"
)

// Limits of a Log. Reaching one is a RecipeNote of ZooKeeper's, or for the number of events the end of the log.
const (
	MaxEvents  = 100_000 // unless asked for less
	MinEvents  = 100
	MaxClients = 1000
	MaxPath    = 1024 // bytes: what is about longer paths is left out
)

// recentEvents bounds how far back causes are known. What follows from an event follows in the same
// request, or soon after.
const recentEvents = 1 << 12

// soon is how long after what it has learnt a client may do something because of it. Later it has reasons of
// its own.
const soon = 2 * time.Second

// Log is a log in the making of what happens at a znode and below. What a server says goes through Take, which gives
// its events and clients numbers of the log's own and leaves out what is about other znodes; what only a client's
// program can know of itself, through Say.
type Log struct {
	Who func(theirs event.Actor) string // tells where a new client comes from; may be nil

	root   string
	from   time.Duration // its time 0
	most   event.Seq
	last   event.Seq
	events []event.Event // not taken away yet
	full   bool

	clients  map[event.Actor]event.Actor // by the server's number; 0 for one that there was no room for
	count    event.Actor
	gone     int // clients whose session has ended, or who are gone
	recent   [recentEvents]pair
	noted    map[event.Reason]bool
	learnt   map[event.Actor]learnt
	silenced map[event.Actor]event.Seq // for what nothing is heard of a client
}

// pair is an event's number for the server and in this log: that of its cause if it was left out itself.
type pair struct{ theirs, mine event.Seq }

// learnt is the last thing that a client has learnt, as far as the log knows.
type learnt struct {
	seq event.Seq
	at  time.Duration
}

// NewLog begins a log of at most so many events, in which the time from is 0; it is now on the wall. From the zxid on
// it knows what happens.
func NewLog(root string, most int, from time.Duration, now time.Time, zxid int64) *Log {
	if most <= 0 || most > MaxEvents {
		most = MaxEvents
	}
	l := &Log{
		root: root, from: from, most: event.Seq(max(most, MinEvents)),
		clients: map[event.Actor]event.Actor{}, noted: map[event.Reason]bool{},
		learnt: map[event.Actor]learnt{}, silenced: map[event.Actor]event.Seq{},
	}
	l.append(from, event.Event{Kind: event.RunStarted, Path: root, Zxid: zxid, N: now.UnixMilli()})
	return l
}

// Root returns what the log is about.
func (l *Log) Root() string { return l.root }

// Room returns how many events there may be.
func (l *Log) Room() int { return int(l.most) }

// Full reports that the log takes nothing more but its end.
func (l *Log) Full() bool { return l.full }

// Renew has the log take nothing more, so that a new one begins: its server is about to give numbers of clients again
// that it has told this log of.
func (l *Log) Renew() { l.full = true }

// Events takes away the events that have come since.
func (l *Log) Events() []event.Event {
	events := l.events
	l.events = nil
	return events
}

// End ends the log.
func (l *Log) End(at time.Duration, why event.Reason) event.Event {
	l.full = true
	return event.Event{Kind: event.RunEnded, Reason: why, Seq: l.last + 1, At: at - l.from}
}

// append puts an event of this log's own numbers at its end. What a client does soon after it has learnt something
// follows from that, if nothing else is known.
func (l *Log) append(at time.Duration, e event.Event) event.Seq {
	if l.full || l.last >= l.most-1 { // there must be room for RunEnded
		l.full = true
		return 0
	}
	l.last++
	e.Seq, e.At = l.last, at-l.from
	switch last := l.learnt[e.Actor]; e.Kind {
	case event.OpSent, event.RecipePhase:
		if e.Cause == 0 && e.At-last.at < soon {
			e.Cause = last.seq
		}
	}
	switch e.Kind {
	case event.OpDone, event.WatchDelivered, event.PushDelivered, event.ConnOpened, event.RecipePhase:
		l.learnt[e.Actor] = learnt{e.Seq, e.At}
	}
	l.events = append(l.events, e)
	return l.last
}

// Take is an event with the server's numbers: seq its own, 0 for what was there before the log.
func (l *Log) Take(at time.Duration, seq event.Seq, e event.Event) {
	cause := l.cause(e.Cause)
	mine := cause
	if l.translate(at, &e) {
		e.Cause = cause
		if why := l.silenced[e.Peer]; why > 0 && e.Kind == event.SessionExpired {
			e.Cause = why
		}
		if mine = l.append(at, e); seq == 0 {
			delete(l.learnt, e.Actor) // it did so long ago
		}
	}
	l.recent[seq%recentEvents] = pair{seq, mine}
	if e.Kind == event.SessionClosed && e.Peer != event.ZooKeeper {
		l.append(at, event.Event{Kind: event.ClientExited, Actor: e.Peer, Cause: mine})
	}
	switch e.Kind {
	case event.SessionClosed, event.SessionExpired, event.ClientExited:
		l.gone++
	}
}

// Say is what a client's program says of itself, or what was done to it, with this log's numbers.
func (l *Log) Say(at time.Duration, e event.Event) event.Seq {
	seq := l.append(at, e)
	switch {
	case e.Kind == event.FaultInjected:
		l.silenced[e.Peer] = seq
	case e.Kind == event.ClientPaused, e.Kind == event.ClientCrashed:
		l.silenced[e.Actor] = seq
	case e.Kind == event.ClientResumed, e.Kind == event.RecipePhase && program.Phase(e.Text) == program.Waiting:
		delete(l.silenced, e.Actor)
	}
	return seq
}

func (l *Log) cause(theirs event.Seq) event.Seq {
	if p := l.recent[theirs%recentEvents]; theirs != 0 && p.theirs == theirs {
		return p.mine
	}
	return 0
}

// translate puts the log's own numbers of clients into e. It reports false for what is left out.
func (l *Log) translate(at time.Duration, e *event.Event) bool {
	if e.Actor.Kind() == event.AServer && e.Path != "" && !l.Below(e.Path) {
		e.Path, e.Op, e.Session = "", event.NoOp, 0 // a server's log has also what is about other znodes
	}
	if e.Path != "" && !l.Below(e.Path) {
		return false
	}
	if len(e.Path) > MaxPath {
		l.Note(at, event.LeftPaths, MaxPath)
		return false
	}
	e.Path, e.Text = strings.ToValidUTF8(e.Path, "\uFFFD"), event.Preview([]byte(e.Text))
	byClient, toClient := isClient(e.Actor), isClient(e.Peer)
	e.Actor, e.Peer = l.client(at, e.Actor), l.client(at, e.Peer)
	switch {
	case byClient && e.Actor == event.ZooKeeper:
		return false
	case !toClient || e.Peer != event.ZooKeeper:
		return true
	}
	switch e.Kind { // by somebody who is not in the log: what changes is shown all the same
	case event.ZnodeCreated, event.ZnodeFound, event.ZnodeChanged, event.ZnodeDeleted, event.TxnProposed,
		event.EntrySet, event.EntryExpires, event.EntryGone:
		return true
	}
	return false
}

// Below reports whether the log is about this path.
func (l *Log) Below(path string) bool { return Within(path, l.root) }

// client is the log's number of a client, which it introduces if it is new, or 0 if there is no room.
func (l *Log) client(at time.Duration, theirs event.Actor) event.Actor {
	if !isClient(theirs) {
		return theirs
	}
	mine, known := l.clients[theirs]
	if known {
		return mine
	}
	if l.count >= min(MaxClients, event.Actor(l.most/8)) {
		l.full = l.full || l.gone > 0 // a new log has room again
		l.Note(at, event.LeftSessions, 0)
		l.clients[theirs] = event.ZooKeeper
		return event.ZooKeeper
	}
	l.count++
	l.clients[theirs] = l.count
	e := event.Event{Kind: event.ClientStarted, Actor: l.count}
	if l.Who != nil {
		e.Text = l.Who(theirs)
	}
	l.append(at, e)
	return l.count
}

// Client is the log's number of a client by the server's, which it introduces if it is new; 0 if there is no room.
func (l *Log) Client(at time.Duration, theirs event.Actor) event.Actor { return l.client(at, theirs) }

// Note tells of a limit that was reached, once.
func (l *Log) Note(at time.Duration, left event.Reason, limit int64) {
	if !l.noted[left] {
		l.noted[left] = true
		l.append(at, event.Event{Kind: event.RecipeNote, Reason: left, N: limit})
	}
}
