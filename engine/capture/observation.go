package capture

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Observation is a Log in the making of a server inside, under that one's lock, which is read meanwhile.
type Observation struct {
	*Log

	mu   sync.Locker          // the server's
	now  func() time.Duration // its time, under the lock
	bell chan struct{}
	over bool // the server has ended
}

// NewObservation is one that has said nothing yet. It is called with the lock held.
func NewObservation(log *Log, mu sync.Locker, now func() time.Duration) *Observation {
	o := &Observation{Log: log, mu: mu, now: now, bell: make(chan struct{}, 1)}
	o.ring()
	return o
}

func (o *Observation) ring() {
	select {
	case o.bell <- struct{}{}:
	default:
	}
}

// Take is Log.Take of what happens now. It is called with the lock held.
func (o *Observation) Take(seq event.Seq, e event.Event) { o.TakeAt(o.now(), seq, e) }

// TakeAt is Log.Take of what happened at that time. It is called with the lock held.
func (o *Observation) TakeAt(at time.Duration, seq event.Seq, e event.Event) {
	o.Log.Take(at, seq, e)
	o.ring()
}

// Note is Log.Note of now. It is called with the lock held.
func (o *Observation) Note(left event.Reason) { o.Log.Note(o.now(), left, 0) }

// Renew is Log.Renew. It is called with the lock held.
func (o *Observation) Renew() {
	o.Log.Renew()
	o.ring()
}

// Over is that the server has ended. It is called with the lock held.
func (o *Observation) Over() {
	o.over = true
	o.ring()
}

// Say is Log.Say of now. It takes the lock.
func (o *Observation) Say(e event.Event) event.Seq {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.SayAt(o.now(), e)
}

// SayAt is Log.Say. It is called with the lock held.
func (o *Observation) SayAt(at time.Duration, e event.Event) event.Seq {
	defer o.ring()
	return o.Log.Say(at, e)
}

// Follow hands what comes to sink, and at last the log's end, until ctx ends, the log is full, or the server has ended:
// it returns why, which is context.Cause, event.ErrLogFull or net.ErrClosed. It takes the lock.
func (o *Observation) Follow(ctx context.Context, sink event.Sink) (why error) {
	for why == nil {
		select {
		case <-ctx.Done():
			why = context.Cause(ctx)
		case <-o.bell:
		}
		events, full, over := o.news()
		for _, e := range events {
			sink.Append(e)
		}
		switch {
		case why != nil:
		case full:
			why = event.ErrLogFull
		case over:
			why = net.ErrClosed
		}
	}
	sink.Append(o.end(why))
	return why
}

// news returns what has come since, and whether and why there will be no more.
func (o *Observation) news() (events []event.Event, full, over bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.Events(), o.Full(), o.over
}

func (o *Observation) end(why error) event.Event {
	o.mu.Lock()
	defer o.mu.Unlock()
	reason := event.EndCancelled
	if errors.Is(why, event.ErrLogFull) {
		reason = event.EndEvents
	}
	return o.End(o.now(), reason)
}
