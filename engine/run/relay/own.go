package relay

import (
	"context"
	"errors"
	"iter"
	"math"
	"sync"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/event/packed"
	"github.com/zkviz/zkviz/engine/run/shared"
)

// own waits until this server owns the observation, and observes, again and again.
func (s *stream) own(ctx context.Context) error {
	for ctx.Err() == nil {
		lease, err := s.bus.Own(ctx, s.name)
		if err == nil {
			err = s.observe(ctx, lease)
			s.set(func() { s.lead = false })
			s.release(lease)
		}
		if errors.Is(err, shared.ErrFull) {
			s.of.isFull()
			return err
		}
		if err != nil && ctx.Err() == nil {
			s.of.log.Warn("a shared observation can't be made here now", "error", err)
			hub.Pause(ctx, againEvery)
		}
	}
	return nil
}

// release lets another server observe at once. If none has the log, it ends: nobody would go on with it.
func (s *stream) release(lease *shared.Lease) {
	ctx, cancel := context.WithTimeout(context.Background(), endWithin)
	defer cancel()
	if name := s.logName(); s.ctx.Err() != nil && name != "" && lease.Held() && s.isLast() {
		if log, err := s.bus.LogOf(s.name, name); err == nil {
			_ = log.Forget(ctx, lease.Epoch()) // if that fails, NATS drops it some time later
		}
	}
	lease.Release(ctx)
}

// during returns a context that ends with the lease, too.
func during(ctx context.Context, lease *shared.Lease) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-lease.Lost():
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// observe observes for all as long as the lease lasts.
func (s *stream) observe(ctx context.Context, lease *shared.Lease) error {
	ctx, cancel := during(ctx, lease)
	defer cancel()
	s.settle(ctx)
	s.set(func() { s.lead = true })
	log, err := s.bus.LogOf(s.name, s.logName())
	if err != nil {
		return err
	}
	last, err := log.Take(ctx, lease.Epoch())
	if err != nil {
		return err
	}
	s.drop(ctx, lease, s.of.before(s.name, s.logName()))
	before, ended, err := s.recall(ctx, last)
	if errors.Is(err, errEntry) {
		err = log.Delete(ctx, lease.Epoch()) // of strangers: another can begin
		ended = true
	}
	if err != nil || ended {
		return errors.Join(err, s.await(ctx, func() bool { return false })) // until its own reader has seen the end
	}
	if err := lease.Answer(s.answer); err != nil {
		return err
	}
	to := &appender{log, lease.Epoch(), last}
	if err := s.source(ctx, to, before); err != nil {
		return err
	}
	return s.await(ctx, func() bool { return s.read >= to.last })
}

// drop deletes a log that has ended, if there is one. Its readers learn that another has begun.
func (s *stream) drop(ctx context.Context, lease *shared.Lease, name string) {
	if name == "" {
		return
	}
	if log, err := s.bus.LogOf(s.name, name); err == nil {
		_ = log.Delete(ctx, lease.Epoch()) // if that fails, NATS drops it some time later
	}
}

// settle finds out which log it is, or makes up another one.
func (s *stream) settle(ctx context.Context) {
	if s.logName() == "" && s.bus.Say(s.name, encode(message{Ask: askLog, By: s.id})) == nil {
		ctx, cancel := context.WithTimeout(ctx, answerWithin)
		defer cancel()
		_ = s.await(ctx, func() bool { return s.log != "" })
	}
	s.set(func() {
		if s.log == "" {
			s.log = newLog()
		}
	})
}

// recall reads what a log has up to an entry. It reports whether it has ended.
func (s *stream) recall(ctx context.Context, last uint64) (before packed.Log, ended bool, err error) {
	if last == 0 {
		return before, false, nil
	}
	log, err := s.bus.LogOf(s.name, s.logName())
	if err != nil {
		return before, false, err
	}
	var b packed.Builder
	var at position
	err = log.Read(ctx, 1, func(n uint64, entry []byte) error {
		err := at.read(entry, func(e event.Event) bool {
			b.Append(e)
			return true
		})
		if err != nil {
			ended = !errors.Is(err, errEntry)
			return err
		}
		if n >= last {
			return errRead
		}
		return nil
	})
	if ended || errors.Is(err, errRead) {
		err = nil
	}
	return b.Log(), ended, err
}

// errRead ends a reading of a log: all is there.
var errRead = errors.New("all is read")

// appender appends to a log what one owner has.
type appender struct {
	log   *shared.Log
	epoch uint64
	last  uint64
}

func (a *appender) append(ctx context.Context, entry []byte) error {
	n, err := a.log.Append(ctx, a.epoch, a.last, entry)
	if err == nil {
		a.last = n
	}
	return err
}

// source runs the Source, and has the log what it reports, up to its end.
func (s *stream) source(ctx context.Context, to *appender, before packed.Log) error {
	var after iter.Seq[event.Event]
	if before.Len() > 0 {
		after = before.From(before.First())
	}
	observing, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	w := newWriter(func(block []byte) error { return to.append(ctx, block) }, stop, s.o.Max)
	w.count, w.bytes = before.Len(), before.Size()
	storing, stored := context.WithCancel(ctx)
	var all sync.WaitGroup
	all.Go(func() { w.run(storing) })
	err := s.o.Source(observing, after, w)
	stored()
	all.Wait()
	if cause := context.Cause(observing); cause != nil {
		err = cause
	}
	switch failed := w.err(); {
	case errors.Is(failed, shared.ErrFull) && to.last > 0:
		err = event.ErrLogFull
	case failed != nil:
		return failed
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, event.ErrLogFull) || to.last > 0 && w.count == before.Len() {
		err = nil // another log can begin
	}
	ctx, cancel := context.WithTimeout(ctx, endWithin)
	defer cancel()
	switch err := to.append(ctx, endOf(err)); {
	case errors.Is(err, shared.ErrFull): // it is too old even for that
		to.last = math.MaxUint64 // until its own reader has seen that
		return to.log.Delete(ctx, to.epoch)
	default:
		return err
	}
}
