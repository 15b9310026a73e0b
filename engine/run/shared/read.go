package shared

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go/jetstream"
)

// Read calls deliver with the log's entries from the number from on, in order, each once: those that are there, then
// new ones as they come, until ctx ends or deliver returns an error. It returns that, ErrDeleted, or ErrExpired if NATS
// has dropped entries that it should deliver. It goes on by itself after the link to NATS was lost. deliver may keep
// data.
func (l *Log) Read(ctx context.Context, from uint64, deliver func(n uint64, data []byte) error) error {
	ctx, cancel := l.bus.both(ctx)
	defer cancel()
	r := reader{log: l, next: max(from, 1), deliver: deliver}
	for {
		err := r.run(ctx)
		var final finalError
		switch {
		case errors.As(err, &final):
			return l.named("read", final.error)
		case l.bus.pause(ctx, retryEvery) != nil:
			return l.named("read", l.bus.linkError(ctx, ctx.Err()))
		}
	}
}

// reader is one Read.
type reader struct {
	log     *Log
	next    uint64 // the number of the entry to deliver next
	seen    uint64 // the sequence of the last entry in the stream that came
	deliver func(n uint64, data []byte) error
}

// finalError ends a Read. Every other error only makes it begin anew behind what it has seen.
type finalError struct{ error }

// errAgain reports that NATS may have forgotten something that it thinks it has sent.
var errAgain = errors.New("read again")

// run reads through a consumer of its own until the link changes, or anything else is odd.
func (r *reader) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	up, changed := r.log.bus.linkNow()
	if !up {
		select {
		case <-changed.Done():
		case <-ctx.Done():
		}
		return errAgain
	}
	// NATS doesn't know what was lost with a connection, so a consumer lasts only as long.
	defer context.AfterFunc(changed, cancel)()
	cfg := jetstream.ConsumerConfig{
		FilterSubject: r.log.subject(), AckPolicy: jetstream.AckNonePolicy, MemoryStorage: true, Replicas: singleCopies,
		InactiveThreshold: consumerFor, DeliverPolicy: jetstream.DeliverAllPolicy,
	}
	if r.seen > 0 {
		cfg.DeliverPolicy, cfg.OptStartSeq = jetstream.DeliverByStartSequencePolicy, r.seen+1
	}
	asking, asked := context.WithTimeout(ctx, answerOfNATS)
	defer asked()
	consumer, err := r.log.bus.entries.CreateConsumer(asking, cfg)
	if err != nil {
		return err
	}
	defer r.forget(consumer.CachedInfo().Name)
	messages, err := consumer.Messages(jetstream.PullMaxBytes(batchBytes), jetstream.PullExpiry(pullFor))
	if err != nil {
		return err
	}
	defer messages.Stop()
	for {
		waiting, waited := context.WithTimeout(ctx, lookEvery)
		m, err := messages.Next(jetstream.NextContext(waiting))
		late := waiting.Err() != nil && ctx.Err() == nil
		waited()
		switch {
		case err == nil:
			err = r.take(ctx, m)
		case late:
			err = r.look(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// take delivers an entry if it is the next.
func (r *reader) take(ctx context.Context, m jetstream.Msg) error {
	meta, err := m.Metadata()
	if err != nil {
		return err
	}
	e, err := decode(m.Data())
	if err != nil {
		return finalError{err}
	}
	next := entryNext(r.next, e)
	if next == gap {
		return r.missing(ctx, meta.Sequence.Stream)
	}
	r.seen = meta.Sequence.Stream
	switch next {
	case deleted:
		return finalError{ErrDeleted}
	case skip:
		return nil
	}
	r.next++
	if err := r.deliver(e.n, e.data); err != nil {
		return finalError{err}
	}
	return nil
}

// missing is for an entry before which others should have come. NATS has dropped them, or they were lost on the way.
func (r *reader) missing(ctx context.Context, seq uint64) error {
	ctx, cancel := context.WithTimeout(ctx, answerOfNATS)
	defer cancel()
	m, err := r.log.bus.entries.GetMsg(ctx, r.seen+1, jetstream.WithGetMsgSubject(r.log.subject()))
	switch {
	case err != nil:
		return err
	case m.Sequence == seq:
		return finalError{ErrExpired}
	}
	return errAgain
}

// look returns errAgain if the stream has an entry that should have come.
func (r *reader) look(ctx context.Context) error {
	t, _, err := r.log.load(ctx)
	if err == nil && t.seq > r.seen {
		err = errAgain
	}
	return err
}

// forget tells NATS that a consumer isn't needed any more. If that doesn't arrive, NATS notices after consumerFor.
func (r *reader) forget(consumer string) {
	ctx, cancel := context.WithTimeout(context.Background(), answerOfNATS)
	defer cancel()
	if r.log.bus.Connected() {
		_ = r.log.bus.entries.DeleteConsumer(ctx, consumer)
	}
}
