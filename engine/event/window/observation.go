package window

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Observation is a Log of an embedded server. It is written under the server's lock and read at the same time.
type Observation struct {
	*Log

	mu   sync.Locker          // the server's
	now  func() time.Duration // the server's time, under the lock
	bell chan struct{}
	over bool // the server has ended
}

// NewObservation returns an empty Observation. The caller must hold the lock.
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

// Take calls Log.Take for the present. The caller must hold the lock.
func (o *Observation) Take(seq event.Seq, e event.Event) { o.TakeAt(o.now(), seq, e) }

// TakeAt calls Log.Take for the given time. The caller must hold the lock.
func (o *Observation) TakeAt(at time.Duration, seq event.Seq, e event.Event) {
	o.Log.Take(at, seq, e)
	o.ring()
}

// Note calls Log.Note for the present. The caller must hold the lock.
func (o *Observation) Note(left event.Reason) { o.Log.Note(o.now(), left, 0) }

// Renew calls Log.Renew. The caller must hold the lock.
func (o *Observation) Renew() {
	o.Log.Renew()
	o.ring()
}

// Over reports that the server has ended. The caller must hold the lock.
func (o *Observation) Over() {
	o.over = true
	o.ring()
}

// Say calls Log.Say for the present. It takes the lock.
func (o *Observation) Say(e event.Event) event.Seq {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.SayAt(o.now(), e)
}

// SayAt calls Log.Say. The caller must hold the lock.
func (o *Observation) SayAt(at time.Duration, e event.Event) event.Seq {
	defer o.ring()
	return o.Log.Say(at, e)
}

// Follow passes new events to sink until ctx ends, the log is full, or the server has ended, and then the log's end.
// It returns the reason: context.Cause, event.ErrLogFull or net.ErrClosed. It takes the lock.
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

// news returns the new events, and whether the log is full or the server has ended.
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
