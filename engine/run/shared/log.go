package shared

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Log is a list of entries with the numbers 1, 2, 3 and so on, to which only the owner of its name appends. A log
// without entries is as good as one that was never written to. An owner should use one Log for a name.
type Log struct {
	bus   *Bus
	name  string
	owner string // the name whose owner appends
	// turn is for one at a time, of those that write or look at what follows.
	turn chan struct{}
	last tail // as far as is known
	// sure says that last was the last entry when the stream said so last, and that nothing is under way.
	sure bool
}

// Log returns the log with a name, to which the owner of that name appends. It asks NATS nothing.
func (b *Bus) Log(name string) (*Log, error) { return b.LogOf(name, name) }

// LogOf returns the log with a name, to which the owner of another name appends: one who owns that may have several
// logs, one after the other.
func (b *Bus) LogOf(owner, name string) (*Log, error) {
	if err := errors.Join(CheckName(owner), CheckName(name)); err != nil {
		return nil, err
	}
	return &Log{bus: b, name: name, owner: owner, turn: make(chan struct{}, 1)}, nil
}

func (l *Log) subject() string { return logSubject + l.name }

// Take makes the log the owner's: no entry of an owner before it is stored from then on. It returns the number of the
// last entry, 0 if there's none. An owner calls it once, before it relies on what it has read. Append also does it.
func (l *Log) Take(ctx context.Context, epoch uint64) (last uint64, err error) {
	t, err := l.write(ctx, epoch, func(tail) (entry, bool, error) { return entry{}, true, nil })
	return t.n, l.named("take", err)
}

// Append stores data, at most EntryBytes, as the entry after the one with the number after (0 before the first), and
// returns its number. The caller must own the log's name with that epoch. Otherwise it returns ErrNotOwner. If after
// isn't the last entry's number, it returns a BehindError with that. While NATS doesn't answer, it tries again, until
// it knows, ctx ends, or the lease does. If it fails with ErrNotOwner or ctx's error, the entry may have been stored.
func (l *Log) Append(ctx context.Context, epoch, after uint64, data []byte) (n uint64, err error) {
	if err := tooLarge("an entry", len(data), EntryBytes); err != nil {
		return 0, l.named("append to", err)
	}
	t, err := l.write(ctx, epoch, func(t tail) (next entry, done bool, err error) {
		if next, err = t.append(after, data, time.Now()); err == nil {
			err = l.bus.quota.check(ctx, l.bus, t.n == 0)
		}
		return next, false, err
	})
	return t.n, l.named("append to", err)
}

// Delete removes all entries. Appends and reads fail with ErrDeleted from then on, for KeptFor.
func (l *Log) Delete(ctx context.Context, epoch uint64) error {
	_, err := l.write(ctx, epoch, func(t tail) (entry, bool, error) { return t.delete(), false, nil })
	if errors.Is(err, ErrDeleted) {
		return nil
	}
	return l.named("delete", err)
}

// Forget is Delete for a log that nobody reads and whose name nobody uses again: it leaves no mark either, which would
// count as a log for KeptFor.
func (l *Log) Forget(ctx context.Context, epoch uint64) error {
	if err := l.Delete(ctx, epoch); err != nil {
		return err
	}
	return l.named("forget", l.bus.entries.Purge(ctx, jetstream.WithPurgeSubject(l.subject())))
}

// Last returns the number of the last entry, 0 if there's none.
func (l *Log) Last(ctx context.Context) (uint64, error) {
	if err := l.lock(ctx); err != nil {
		return 0, l.named("look at", err)
	}
	defer l.unlock()
	t, _, err := l.load(ctx)
	switch {
	case err != nil:
		err = l.bus.linkError(ctx, err)
	case t.kind == kindDeleted:
		err = ErrDeleted
	}
	return t.n, l.named("look at", err)
}

func (l *Log) named(verb string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s log %s: %w", verb, l.name, err)
}

func (l *Log) lock(ctx context.Context) error {
	select {
	case l.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-l.bus.ctx.Done():
		return ErrClosed
	}
}

func (l *Log) unlock() { <-l.turn }

// write stores what next returns for the log's end, behind the owner's mark, which it puts if it's missing. It returns
// the end that the log has then. next returns done if nothing must be stored.
func (l *Log) write(ctx context.Context, epoch uint64, next func(tail) (_ entry, done bool, _ error)) (tail, error) {
	if err := l.lock(ctx); err != nil {
		return tail{}, err
	}
	defer l.unlock()
	var sent []byte // what may have been stored, of the entry that next returned
	var behind BehindError
	looked := false // the stream has said what is last
	for {
		if !l.bus.owns(l.owner, epoch) {
			return tail{}, ErrNotOwner
		}
		if !l.sure {
			t, raw, err := l.load(ctx)
			if err != nil {
				if err = l.again(ctx, err); err != nil {
					return tail{}, err
				}
				continue
			}
			l.last, l.sure, looked = t, true, true
			if sent != nil && bytes.Equal(raw, sent) {
				return l.last, nil
			}
		}
		e, marked, err := l.last.take(epoch, time.Now())
		if marked && err == nil {
			var done bool
			if e, done, err = next(l.last); done && err == nil {
				return l.last, nil
			}
		}
		if errors.As(err, &behind) && !looked {
			l.sure = false // the caller may have read more than this Log has written
			continue
		}
		if err != nil {
			return tail{}, err
		}
		raw := bytesOf(e)
		seq, err := l.publish(ctx, raw, e.kind, l.last.seq)
		switch outcomeOf(err) {
		case stored:
			e.data = nil
			l.last = tail{seq: seq, entry: e}
			if marked {
				return l.last, nil
			}
		case moved:
			l.sure = false
		case full:
			return tail{}, fmt.Errorf("%w: NATS says: %w", ErrFull, err)
		case refused:
			return tail{}, err
		case unknown:
			l.sure = false
			if marked {
				sent = raw
			}
			if err = l.again(ctx, err); err != nil {
				return tail{}, err
			}
		}
	}
}

// again pauses before NATS is asked again, or returns why that's no use.
func (l *Log) again(ctx context.Context, err error) error {
	if o := outcomeOf(err); o == refused || errors.Is(err, errEntry) {
		return err
	}
	if l.bus.pause(ctx, retryEvery) != nil {
		return l.bus.linkError(ctx, err)
	}
	return nil
}

// load asks the stream for the log's last entry, and returns it also as it's stored.
func (l *Log) load(ctx context.Context) (tail, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, answerOfNATS)
	defer cancel()
	m, err := l.bus.entries.GetLastMsgForSubject(ctx, l.subject())
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return tail{}, nil, nil
	}
	if err != nil {
		return tail{}, nil, err
	}
	e, err := decode(m.Data)
	if err != nil {
		return tail{}, nil, err
	}
	e.data = nil
	return tail{seq: m.Sequence, entry: e}, m.Data, nil
}

// publish sends an entry that is stored only behind the one with a sequence.
func (l *Log) publish(ctx context.Context, raw []byte, k kind, behind uint64) (seq uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerOfNATS)
	defer cancel()
	m := nats.NewMsg(l.subject())
	m.Data = raw
	if k == kindDeleted {
		m.Header.Set(jetstream.MsgRollup, jetstream.MsgRollupSubject)
	}
	ack, err := l.bus.js.PublishMsg(ctx, m, jetstream.WithExpectStream(streamName),
		jetstream.WithExpectLastSequencePerSubject(behind))
	if err != nil {
		return 0, err
	}
	return ack.Sequence, nil
}
