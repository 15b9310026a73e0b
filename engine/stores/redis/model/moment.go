package model

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// moment says when, for whom and why the node does what it does now.
type moment struct {
	ahead time.Duration // how far the node's clock is ahead of the given time
	now   time.Duration // by its clock; stands still during a command
	cause event.Seq     // cause of what it does
	by    event.Actor   // client whose request it executes
}

// begin sets the clock, the client and the cause of what happens now.
func (m *moment) begin(now time.Duration, by event.Actor, cause event.Seq) {
	m.now, m.by, m.cause = now+m.ahead, by, cause
}

// millis returns the node's clock in whole milliseconds.
func (m *moment) millis() int64 { return m.now.Milliseconds() }

// expired reports whether an item has expired: one that expires now still exists.
func (m *moment) expired(i *item) bool { return i.ends != 0 && m.millis() > i.ends }

// given returns the given time.
func (m *moment) given() time.Duration { return m.now - m.ahead }
