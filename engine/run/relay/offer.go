package relay

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/event/packed"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/shared"
)

// ErrGone ends what is seen of another server, since none offers it.
var ErrGone = sentence.Error("link.servers.gone")

// Offer makes an observation that only this server can make, for those who See it at others, until ctx ends. It
// observes only while somebody does. Another server that offers the same waits until this one has stopped.
func (r *Relay) Offer(ctx context.Context, o Observation) {
	for ctx.Err() == nil && r.waitForOthers(ctx) {
		f := &offer{stream: newStream(ctx, r, nameOf(o), r.bus(), o)}
		if err := f.run(ctx); err != nil && ctx.Err() == nil {
			r.log.Warn("an observation can't be offered now", "error", err)
			hub.Pause(ctx, againEvery)
		}
	}
}

// See reports to sink what another server offers, like Observe. If none does for GoneAfter, it returns ErrGone, and if
// the others are out of reach, ErrApart.
func (r *Relay) See(ctx context.Context, group, path string, sink event.Sink) error {
	if !r.canShare() {
		return ErrApart
	}
	s := r.enter(ctx, Observation{Group: group, Path: path})
	if s == nil { // twice at this server
		return ErrGone
	}
	defer r.leave(s)
	s.was, s.heard = noted(r, r.ended, s.name), time.Now()
	return s.runBeside(ctx, sink, s.check, s.watchOwner, s.watchLink)
}

// watchOwner returns ErrGone when nobody has answered for long.
func (s *stream) watchOwner(ctx context.Context) error {
	if s.quiet(ctx, &s.heard, s.of.goneAfter) {
		return ErrGone
	}
	return nil
}

// offer is an observation that this server makes for those who look at others.
type offer struct {
	*stream
	old *shared.Log // the last one

	// Guarded by mu.
	asked time.Time // when one of them has asked for the log
	wants bool      // one has asked who has read the last log to its end, or there is none
	ended bool      // the last log has
}

// run offers until the lease or ctx ends.
func (f *offer) run(ctx context.Context) error {
	lease, err := f.bus.Own(ctx, f.name)
	if err != nil {
		return err
	}
	ctx, cancel := during(ctx, lease)
	defer cancel()
	defer func() {
		ending, cancel := context.WithTimeout(context.Background(), endWithin)
		defer cancel()
		f.drop(ending, lease)
		lease.Release(ending)
	}()
	if err := lease.Answer(f.hearReader); err != nil {
		return err
	}
	for f.await(ctx, func() bool { return f.wants }) == nil {
		if err := f.begin(ctx, lease); err != nil {
			return err
		}
	}
	return nil
}

// hearReader answers one who looks.
func (f *offer) hearReader(ctx context.Context, data []byte) []byte {
	var m message
	if json.Unmarshal(data, &m) != nil {
		return nil
	}
	f.set(func() {
		f.asked = time.Now()
		f.wants = f.wants || f.log == "" || f.ended && m.Log == f.log
	})
	return f.answer(ctx, data)
}

// drop deletes the last log, which has ended. Readers that haven't read all of it learn that it's gone.
func (f *offer) drop(ctx context.Context, lease *shared.Lease) {
	if f.old != nil {
		_ = f.old.Delete(ctx, lease.Epoch()) // if that fails, NATS drops it some time later
	}
	f.old = nil
}

// begin has one log, which ends when it is full, the Source fails, or nobody looks any more.
func (f *offer) begin(ctx context.Context, lease *shared.Lease) error {
	f.drop(ctx, lease)
	name := newLog()
	log, err := f.bus.LogOf(f.name, name)
	if err != nil {
		return err
	}
	last, err := log.Take(ctx, lease.Epoch())
	if err != nil {
		return err
	}
	f.old = log
	f.set(func() { f.log, f.ended, f.wants = name, false, false })
	looked, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		if f.quiet(looked, &f.asked, f.of.quietFor) {
			cancel()
		}
	})
	err = f.source(looked, &appender{log, lease.Epoch(), last}, packed.Log{})
	isQuiet := looked.Err() != nil && ctx.Err() == nil
	cancel()
	watching.Wait()
	switch {
	case isQuiet:
		f.old = nil
		f.set(func() { f.log = "" })
		_ = log.Forget(ctx, lease.Epoch()) // if that fails, NATS drops it some time later
		return nil
	case errors.Is(err, shared.ErrFull):
		f.of.isFull()
	}
	f.set(func() { f.ended = true })
	return err
}
