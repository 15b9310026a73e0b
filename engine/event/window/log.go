// Package window builds the log of a part of a ZooKeeper's tree from the log of the whole server: a znode and
// everything below it, with clients and events renumbered. Observers read such a log while the server writes it.
//
// It is pure but for Observation.Follow, which waits for news. It knows no connection; engine/zookeeper/embed,
// engine/stores/redis/port and everything that observes a cluster write through it.
package window

import (
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// Limits of a Log. Reaching one adds a RecipeNote of ZooKeeper, except for the number of events, which ends the log.
const (
	MaxEvents  = 100_000 // unless fewer are requested
	MinEvents  = 100
	MaxClients = 1000
	MaxPath    = 1024 // bytes; the log leaves out longer paths
)

// recentEvents limits how far back causes are known. Effects follow in the same request or soon after.
const recentEvents = 1 << 12

// soon is the time after a client learned something in which its actions count as consequences. Later actions have
// reasons of their own.
const soon = 2 * time.Second

// Log builds the log of a znode and everything below it. The server's events go through Take, which renumbers events
// and clients for this log and leaves out other znodes. What only a client's program knows about itself goes through
// Say.
type Log struct {
	Who func(theirs event.Actor) string // tells where a new client comes from; may be nil

	root   string
	from   time.Duration // when its time starts
	most   event.Seq
	last   event.Seq
	events []event.Event // not fetched yet
	full   bool

	clients  map[event.Actor]event.Actor // by the server's number; 0 for a client that found no room
	count    event.Actor
	gone     int // clients that are gone or whose session has ended
	recent   [recentEvents]pair
	noted    map[event.Reason]bool
	learnt   map[event.Actor]learnt
	silenced map[event.Actor]event.Seq // why a client is silent
}

// pair maps the server's number of an event to this log's. If the event was left out, that is its cause's number.
type pair struct{ theirs, mine event.Seq }

// learnt is the last thing that a client learned, as far as the log knows.
type learnt struct {
	seq event.Seq
	at  time.Duration
}

// NewLog starts a log of at most that many events. Its time 0 is from, when the wall clock says now. It covers
// everything after zxid.
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

// Root returns the znode that the log is about.
func (l *Log) Root() string { return l.root }

// Room returns the maximum number of events.
func (l *Log) Room() int { return int(l.most) }

// Full reports whether the log accepts only its end.
func (l *Log) Full() bool { return l.full }

// Renew makes the log full so that a new one begins. The server is about to reuse client numbers that are in this log.
func (l *Log) Renew() { l.full = true }

// Events returns and removes the events added since the last call.
func (l *Log) Events() []event.Event {
	events := l.events
	l.events = nil
	return events
}

// End returns the event that ends the log.
func (l *Log) End(at time.Duration, why event.Reason) event.Event {
	l.full = true
	return event.Event{Kind: event.RunEnded, Reason: why, Seq: l.last + 1, At: at - l.from}
}

// append appends an event with this log's numbers. Without a known cause, an action of a client soon after it learned
// something counts as a consequence of that.
func (l *Log) append(at time.Duration, e event.Event) event.Seq {
	if l.full || l.last >= l.most-1 { // reserve room for RunEnded
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

// Take adds an event with the server's numbers. Its own number is seq, 0 for what existed before the log.
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

// Say adds a client's own report, or something that was done to it, with this log's numbers.
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

// translate replaces the clients' numbers in e by this log's. It returns false for an event to leave out.
func (l *Log) translate(at time.Duration, e *event.Event) bool {
	if e.Actor.Kind() == event.AServer && e.Path != "" && !l.Below(e.Path) {
		e.Path, e.Op, e.Session = "", event.NoOp, 0 // a server's log also covers other znodes
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
	switch e.Kind { // by a client that is not in the log: its changes are shown anyway
	case event.ZnodeCreated, event.ZnodeFound, event.ZnodeChanged, event.ZnodeDeleted, event.TxnProposed,
		event.EntrySet, event.EntryExpires, event.EntryGone:
		return true
	}
	return false
}

// Below reports whether the log covers this path.
func (l *Log) Below(path string) bool { return Within(path, l.root) }

// client returns the log's number of a client and introduces a new one. It returns 0 if there is no room.
func (l *Log) client(at time.Duration, theirs event.Actor) event.Actor {
	if !isClient(theirs) {
		return theirs
	}
	mine, known := l.clients[theirs]
	if known {
		return mine
	}
	if l.count >= min(MaxClients, event.Actor(l.most/8)) {
		l.full = l.full || l.gone > 0 // a new log would have room again
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

// Client returns the log's number for the server's number of a client and introduces a new one. It returns 0 if there
// is no room.
func (l *Log) Client(at time.Duration, theirs event.Actor) event.Actor { return l.client(at, theirs) }

// Note records once that a limit was reached.
func (l *Log) Note(at time.Duration, left event.Reason, limit int64) {
	if !l.noted[left] {
		l.noted[left] = true
		l.append(at, event.Event{Kind: event.RecipeNote, Reason: left, N: limit})
	}
}

// Within reports whether path is root or below it.
func Within(path, root string) bool {
	return root == "/" || path == root || strings.HasPrefix(path, root) && path[len(root)] == '/'
}
