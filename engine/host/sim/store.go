package sim

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/process"
	"github.com/zkviz/zkviz/engine/event/program"
)

// storeWrite is a write to a store, with its answer.
type storeWrite struct {
	store string
	text  string
	fence int64
	cause event.Seq // the reason for the write; then the store's own event
	err   error
}

// store makes a store take a write, and answers.
func (w *world) store(c *client, x *storeWrite) {
	kind, err := w.stores.Take(x.store, x.fence)
	x.err = err
	x.cause = w.emit(event.Event{Kind: kind, Actor: c.id, Path: x.store, Text: x.text, N: x.fence, Cause: x.cause})
	w.agenda.Add(w.now+w.delay(w.storeChance), action{step: stepStored, client: c, write: x})
}

// Write implements program.Process.
func (c *client) Write(store, text string, fence int64) error {
	if c.halted {
		return program.ErrStopped
	}
	x := &storeWrite{store: store, text: event.Preview([]byte(text)), fence: fence, cause: c.cause}
	c.write = x
	c.w.agenda.Add(c.w.now+c.w.delay(c.w.storeChance), action{step: stepStore, client: c, write: x})
	if !c.park(process.ForStore) {
		return program.ErrStopped
	}
	return x.err
}

// stored takes a store's answer.
func (c *client) stored(x *storeWrite) {
	if x == c.write {
		c.write, c.cause = nil, x.cause
		c.wake()
	}
}

// Now implements program.Process.
func (c *client) Now() time.Duration { return c.w.now }
