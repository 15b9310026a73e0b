package view

import (
	"sort"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Flights holds the messages under way.
type Flights struct {
	List []Flight // in the order they were sent; includes those that ended less than Keep ago
	full int      // the length of List beyond which it is cleared
}

// Flight is one message on its way.
type Flight struct {
	Seq      event.Seq // the OpSent, MsgSent or WatchFired
	From, To event.Actor
	Op       event.Op
	Reply    bool
	Notify   bool // a watch event
	Path     string
	Code     int32
	Watch    event.Watch // the watch that a request asks for
	Text     string      // the value that a set writes
	If       bool        // the write is conditional on version Expects
	Expects  int32
	Sent     time.Duration
	Takes    time.Duration // 0 if unknown: then it is under way until Over
	Held     time.Duration // when it was held up,
	HeldFor  time.Duration // and for how long, beyond what it Takes
	Over     bool
	OverAt   time.Duration
	Dropped  bool
}

// detach gives a copy of Flights a list of its own, in the memory of an old one.
func (l *Flights) detach(old *Flights) { l.List = append(old.List[:0], l.List...) }

func (l *Flights) add(f Flight) { l.List = append(l.List, f) }

// find returns the message that the event seq sent, or nil.
func (l *Flights) find(seq event.Seq) *Flight {
	i := sort.Search(len(l.List), func(i int) bool { return l.List[i].Seq >= seq })
	if i < len(l.List) && l.List[i].Seq == seq {
		return &l.List[i]
	}
	return nil
}

// arrive ends a message's flight, if it is still under way. One that was held up goes on to where it arrives.
func (l *Flights) arrive(seq event.Seq, at time.Duration) {
	if seq == 0 {
		return
	}
	if f := l.find(seq); f != nil && !f.Over {
		f.Over, f.OverAt = true, at
		f.HeldFor = min(f.HeldFor, at-f.Held)
	}
}

// drop ends the flight of a message that an event drops, if it is still under way.
func (l *Flights) drop(e event.Event) {
	if f := l.find(e.Cause); f != nil && !f.Over {
		f.Over, f.OverAt, f.Dropped = true, e.At, true
	}
}

// Arrives returns when the message arrives if nothing comes in between.
func (f *Flight) Arrives() time.Duration { return f.Sent + f.Takes + f.HeldFor }

// Since returns for how long the message has moved by then: it stands still while it is held up.
func (f *Flight) Since(at time.Duration) time.Duration {
	return at - f.Sent - min(max(at-f.Held, 0), f.HeldFor)
}

// hold folds a fault that holds up a message, and so those behind it on its connection.
func (l *Flights) hold(fault event.Event) {
	f := l.find(fault.Cause)
	if f == nil || f.Over || fault.N <= 0 {
		return
	}
	until := max(f.Arrives(), fault.At) + time.Duration(fault.N)
	for i := range l.List {
		if g := &l.List[i]; g.Seq >= f.Seq && g.From == f.From && g.To == f.To &&
			(g.Op == event.Notification) == (f.Op == event.Notification) {
			g.hold(fault.At, until)
		}
	}
}

// hold makes a message under way stand still from now on, so that it doesn't arrive before until.
func (f *Flight) hold(now, until time.Duration) {
	if f.Over || f.Takes <= 0 {
		return
	}
	f.Takes = max(f.Takes, f.Since(now)) // it waits already
	if f.HeldFor == 0 {
		f.Held = now
	}
	f.HeldFor += max(until-f.Arrives(), 0)
}

// between folds the messages between servers, except pings. A message that waits at a partition, or for a process
// that doesn't run, counts as under way until then.
func (l *Flights) between(e event.Event) {
	switch {
	case e.Op == event.ServerPing || e.Peer.Kind() != event.AServer:
	case e.Kind == event.MsgSent:
		l.add(Flight{Seq: e.Seq, From: e.Actor, To: e.Peer, Op: e.Op, Sent: e.At, Takes: time.Duration(e.N)})
	case e.Kind == event.MsgReceived:
		l.arrive(e.Cause, e.At)
	default:
		l.drop(e)
	}
}

// clear calls dropEnded. It also drops a message that must have arrived long ago, at a process that is paused or gone.
func (l *Flights) clear(now time.Duration, most int) {
	dropEnded(&l.List, now, most, func(f *Flight) (time.Duration, bool) {
		if !f.Over && f.Takes > 0 && f.To.Kind() != event.AServer {
			return f.Arrives(), now > f.Arrives()
		}
		return f.OverAt, f.Over
	})
	l.full = len(l.List) + len(l.List)/4 + 8
}
