package shared

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/nats-io/nats.go"
)

// Ask sends a request of at most AskBytes to the owner of a name, on whichever server it is, and returns its answer. It
// returns ErrNobody if there's no owner, if it doesn't answer, or if it isn't the owner any more when it should. The
// owner may have done what it was asked for all the same.
func (b *Bus) Ask(ctx context.Context, name string, data []byte) ([]byte, error) {
	err := CheckName(name)
	if err == nil {
		err = tooLarge("a request", len(data), AskBytes)
	}
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", name, err)
	}
	both, cancel := b.both(ctx)
	defer cancel()
	within, cancel := context.WithTimeout(both, AnswerWithin)
	defer cancel()
	m, err := b.conn.RequestWithContext(within, askSubject+name, data)
	switch {
	case err == nil:
		return m.Data, nil
	case errors.Is(err, nats.ErrNoResponders), both.Err() == nil && within.Err() != nil:
		err = ErrNobody
	default:
		err = b.linkError(ctx, err)
	}
	return nil, fmt.Errorf("ask %s: %w", name, err)
}

// Answer has f answer requests to the name, one after the other, until the lease ends; then f's context ends too. The
// answer of an owner that lost its lease meanwhile isn't sent. f must return within AnswerWithin; it may keep data. It
// must not call Release or Bus.Close.
func (l *Lease) Answer(f func(ctx context.Context, data []byte) []byte) error {
	s, err := l.bus.subscribe(askSubject + l.name)
	if err != nil {
		return fmt.Errorf("answer for %s: %w", l.name, err)
	}
	ok := l.start(func() {
		l.bus.each(l.ctx, s, func(m *nats.Msg) {
			if !l.Held() {
				return
			}
			answer := f(l.ctx, m.Data)
			if err := tooLarge("an answer", len(answer), AskBytes); err != nil {
				l.bus.log.Error("an answer isn't sent", "name", l.name, "error", err)
			} else if l.Held() {
				_ = m.Respond(answer) // the other side may ask again
			}
		})
	})
	if !ok {
		_ = s.Unsubscribe()
		return fmt.Errorf("answer for %s: %w", l.name, ErrClosed)
	}
	return nil
}

// Tell sends a message of at most TellBytes to all that hear the name now, on all servers. Nobody knows who gets it. It
// fails with ErrNotOwner, and with ErrNoLink if it can't be sent.
func (l *Lease) Tell(data []byte) error {
	err := tooLarge("a message", len(data), TellBytes)
	if err == nil && !l.Held() {
		err = ErrNotOwner
	}
	if err == nil {
		b := binary.BigEndian.AppendUint64(make([]byte, 0, epochBytes+len(data)), l.epoch)
		if err = l.bus.conn.Publish(tellSubject+l.name, append(b, data...)); err != nil {
			err = l.bus.linkError(context.Background(), err)
		}
	}
	if err != nil {
		return fmt.Errorf("tell %s: %w", l.name, err)
	}
	return nil
}

const epochBytes = 8

// Hear calls f with what owners of a name tell from now on, one after the other, until stop is called. stop waits for
// f. Messages of an owner are left out once a later owner was heard, and some may be lost: while there's no link, or if
// f is slow. f may keep data.
func (b *Bus) Hear(name string, f func(data []byte)) (stop func(), err error) {
	var latest atomic.Uint64
	return b.listen("hear", tellSubject, name, func(data []byte) {
		if len(data) < epochBytes {
			return
		}
		if epoch := binary.BigEndian.Uint64(data); epoch >= latest.Load() {
			latest.Store(epoch)
			f(data[epochBytes:])
		}
	})
}

// Say sends a message of at most TellBytes to all that listen to the name now, on all servers, this one too. Unlike
// Lease.Tell it needs no lease, so what is said must not depend on who owns the name.
func (b *Bus) Say(name string, data []byte) error {
	err := CheckName(name)
	if err == nil {
		err = tooLarge("a message", len(data), TellBytes)
	}
	if err == nil {
		if err = b.conn.Publish(saySubject+name, data); err != nil {
			err = b.linkError(context.Background(), err)
		}
	}
	if err != nil {
		return fmt.Errorf("say %s: %w", name, err)
	}
	return nil
}

// Listen is Hear for what servers Say.
func (b *Bus) Listen(name string, f func(data []byte)) (stop func(), err error) {
	return b.listen("listen to", saySubject, name, f)
}

// listen calls f with what comes for a name on one of the subjects, until stop is called.
func (b *Bus) listen(verb, subject, name string, f func(data []byte)) (stop func(), err error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	s, err := b.subscribe(subject + name)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", verb, name, err)
	}
	ctx, cancel := context.WithCancel(b.ctx)
	over := make(chan struct{})
	ok := b.start(func() {
		defer close(over)
		b.each(ctx, s, func(m *nats.Msg) { f(m.Data) })
	})
	if !ok {
		cancel()
		_ = s.Unsubscribe()
		return nil, fmt.Errorf("%s %s: %w", verb, name, ErrClosed)
	}
	return func() { cancel(); <-over }, nil
}

// subscribe returns once NATS knows of the subscription, if there's a link.
func (b *Bus) subscribe(subject string) (*nats.Subscription, error) {
	s, err := b.conn.SubscribeSync(subject)
	if err != nil {
		return nil, b.linkError(context.Background(), err)
	}
	if err := s.SetPendingLimits(QueueMessages, QueueBytes); err != nil {
		return nil, err
	}
	_ = b.conn.FlushTimeout(answerOfNATS) // without a link, NATS hears of it when it's back
	return s, nil
}

// each calls f with what comes until ctx ends.
func (b *Bus) each(ctx context.Context, s *nats.Subscription, f func(*nats.Msg)) {
	defer func() { _ = s.Unsubscribe() }()
	for {
		m, err := s.NextMsgWithContext(ctx)
		switch {
		case err == nil:
			f(m)
		case errors.Is(err, nats.ErrSlowConsumer): // some were dropped
		default:
			return
		}
	}
}
