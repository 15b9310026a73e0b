package shared

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// Own waits until the caller is the only owner of a name, or ctx ends. It takes a name whose owner gave it up at once,
// and one whose owner died or was cut off from NATS within LeaseFor and a moment. The caller must call Lease.Release at
// the end.
func (b *Bus) Own(ctx context.Context, name string) (*Lease, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	// A watch lasts as long as its context, and is asked for until its deadline, so that one has none.
	watching, cancel := context.WithCancel(b.ctx)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	c := candidate{bus: b, name: name, id: b.process + valueSeparator + rand.Text()}
	var ends jetstream.KeyWatcher // tells of the owner's end, as long as it works
	for {
		if ends == nil {
			if w, err := b.owners.Watch(watching, name, jetstream.UpdatesOnly()); err == nil {
				ends = w
				defer func() { _ = w.Stop() }()
			}
		}
		l, err := c.try(ctx)
		if l != nil && l.Held() {
			return l, nil
		}
		if o := outcomeOf(err); o == refused || o == full {
			return nil, fmt.Errorf("own %s: %w", name, err)
		}
		if err := c.wait(ctx, ends, err); err != nil {
			return nil, fmt.Errorf("own %s: %w", name, err)
		}
	}
}

// candidate is one Own.
type candidate struct {
	bus  *Bus
	name string
	id   string // the key's value while the name is its own: the process, and what no other candidate has
}

// errTaken reports that somebody else has the key.
var errTaken = errors.New("somebody else owns it")

// try creates the key. It returns errTaken if somebody else has it.
func (c candidate) try(ctx context.Context) (*Lease, error) {
	ctx, cancel := context.WithTimeout(ctx, answerOfNATS)
	defer cancel()
	sent := now()
	epoch, err := c.bus.owners.Create(ctx, c.name, []byte(c.id))
	switch outcomeOf(err) {
	case stored:
		return c.bus.lease(c, epoch, epoch, sent), nil
	case moved:
		return c.found(ctx)
	}
	return nil, err
}

// found is for a key that exists. It may be the candidate's own, if NATS's answer was lost.
func (c candidate) found(ctx context.Context) (*Lease, error) {
	e, err := c.bus.owners.Get(ctx, c.name)
	switch {
	case isGone(err):
		return nil, nil // it was a moment ago
	case err != nil:
		return nil, err
	case string(e.Value()) != c.id:
		return nil, errTaken
	}
	sent := now() // nobody knows when it was stored, so it counts from the next value
	revision, err := c.bus.owners.Update(ctx, c.name, []byte(c.id), e.Revision())
	if err != nil {
		return nil, err
	}
	return c.bus.lease(c, e.Revision(), revision, sent), nil
}

// wait returns nil when it's time for another try, after one that failed with err.
func (c candidate) wait(ctx context.Context, ends jetstream.KeyWatcher, err error) error {
	if !errors.Is(err, errTaken) || ends == nil {
		if c.bus.pause(ctx, retryEvery) != nil {
			return c.bus.linkError(ctx, err)
		}
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, wakeEvery)
	defer cancel()
	for {
		select {
		case e, ok := <-ends.Updates():
			if !ok {
				return c.wait(ctx, nil, err)
			}
			if e != nil && e.Operation() != jetstream.KeyValuePut {
				return nil
			}
		case <-ctx.Done():
			return nil
		}
	}
}
