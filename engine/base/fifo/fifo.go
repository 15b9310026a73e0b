// Package fifo keeps the messages in one direction of a connection in order, as TCP does, and lets a fault hold one up,
// hurry it or lose it. It knows their numbers and times, not what they say.
//
// It has no clock and plans nothing. Its callers, engine/zookeeper/ensemble and engine/host/sim, each have an agenda.
package fifo

import (
	"slices"
	"time"
)

// Order is one direction of a connection. Its zero value is a connection on which nothing has been sent.
type Order struct {
	last   time.Duration // when the last message is due, delays apart
	after  time.Duration // when messages that were held back arrive
	sent   uint32
	came   uint32 // how many of them have arrived
	delays []delay
}

// delay holds a message, and all behind it, until then.
type delay struct {
	nth   uint32
	until time.Duration
}

// Arrival returns when a message arrives that would be there at that time if nothing were ahead of it.
func (o *Order) Arrival(at time.Duration) time.Duration {
	o.last = max(o.last, at)
	return max(o.last, o.delayed(o.sent+1))
}

// Send returns the number of the next message, from 1, and when it's due, delays apart, according to the last Arrival.
func (o *Order) Send() (nth uint32, due time.Duration) {
	o.sent++
	return o.sent, o.last
}

// When tells whether a message comes.
type When uint8

// A message comes now, or has to be planned again, or never comes.
const (
	Never When = iota
	Now
	Later
)

// Comes tells whether a message arrives now, when it was planned to, and if later, when to plan it next. A message that
// came before its time, or is lost, never comes.
func (o *Order) Comes(nth uint32, now time.Duration) (when When, next time.Duration) {
	switch until := o.delayed(nth); {
	case nth <= o.came:
		return Never, 0
	case until > now:
		o.after = max(o.after, until)
		return Later, until
	case nth > o.came+1: // earlier ones are held back and arrive by then
		return Later, max(o.after, now)
	}
	o.came = nth
	return Now, 0
}

// HoldBack returns when messages arrive that something has held back until now: after those before them, and after
// flight if they are the first.
func (o *Order) HoldBack(now time.Duration, flight func() time.Duration) time.Duration {
	if o.after <= now {
		o.after = now + flight()
	}
	return o.after
}

// Delay makes a message arrive d later than it's due, and all behind it not before. It returns when that is.
func (o *Order) Delay(nth uint32, due, now, d time.Duration) time.Duration {
	until := max(due, o.delayed(nth), now) + d
	o.delays = append(o.delays, delay{nth, until})
	return until
}

// Deliver ends all delays of a message. Its caller plans it to arrive now, with those ahead of it and those behind it
// that have been due.
func (o *Order) Deliver(nth uint32, now time.Duration) {
	o.delays = slices.DeleteFunc(o.delays, func(d delay) bool { return d.nth <= nth })
	o.after = now
}

// Lose makes all that has been sent never arrive.
func (o *Order) Lose() { o.came = o.sent }

// delayed returns until when a message is held; 0 for not at all.
func (o *Order) delayed(nth uint32) (until time.Duration) {
	for _, d := range o.delays {
		if d.nth <= nth {
			until = max(until, d.until)
		}
	}
	return until
}
