package shared

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

// Stored is an entry of the stream, marks too.
type Stored struct {
	Seq, Epoch, N uint64
	Mark          bool
	Data          string
}

// Everything returns all that the stream has for a log.
func Everything(ctx context.Context, b *Bus, name string) (all []Stored, err error) {
	err = b.untilKnown(ctx, func(ctx context.Context) error {
		all = nil
		c, err := b.entries.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{FilterSubjects: []string{logSubject + name}})
		if err != nil {
			return err
		}
		left := c.CachedInfo().NumPending
		messages, err := c.Messages()
		if err != nil {
			return err
		}
		defer messages.Stop()
		for ; left > 0; left-- {
			m, err := messages.Next(jetstream.NextContext(ctx))
			if err != nil {
				return err
			}
			e, err := decode(m.Data())
			if err != nil {
				return err
			}
			meta, err := m.Metadata()
			if err != nil {
				return err
			}
			all = append(all, Stored{meta.Sequence.Stream, e.epoch, e.n, e.kind != kindData, string(e.data)})
		}
		return nil
	})
	return all, err
}

// Late stores an entry behind the one with the sequence, as a process does that looked at its lease before it was
// stopped.
func Late(ctx context.Context, l *Log, epoch, n, behind uint64, data string) error {
	e := entry{kind: kindData, epoch: epoch, n: n, data: []byte(data)}
	if data == "" {
		e.kind = kindTaken
	}
	_, err := l.publish(ctx, bytesOf(e), e.kind, behind)
	if outcomeOf(err) == moved {
		return ErrMoved
	}
	return err
}

// ErrMoved reports that the stream refused an entry because the one that it names isn't the last.
var ErrMoved = errors.New("moved")

// DropOldest has NATS drop the entries before a sequence, as their age does.
func DropOldest(ctx context.Context, b *Bus, before uint64) error {
	return b.entries.Purge(ctx, jetstream.WithPurgeSequence(before))
}

// Expire ends a lease without a word to its owner.
func Expire(ctx context.Context, b *Bus, name string) error { return b.owners.Delete(ctx, name) }

// NoLeases waits until the bucket of leases is empty.
func NoLeases(ctx context.Context, b *Bus) error {
	for {
		var status jetstream.KeyValueStatus
		err := b.untilKnown(ctx, func(ctx context.Context) (err error) {
			ctx, cancel := context.WithTimeout(ctx, answerOfNATS)
			defer cancel()
			status, err = b.owners.Status(ctx)
			return err
		})
		if err != nil || status.Values() == 0 {
			return err
		}
		if err := b.pause(ctx, retryEvery); err != nil {
			return fmt.Errorf("%d keys are left: %w", status.Values(), err)
		}
	}
}

// SetQuota has b believe that the stream has so many bytes and logs.
func SetQuota(b *Bus, bytes, logs uint64) {
	b.quota.mu.Lock()
	defer b.quota.mu.Unlock()
	b.quota.asked, b.quota.bytes, b.quota.logs = now(), bytes, logs
	b.quota.asked.running += LogAge // nothing asks again
	b.quota.asked.ofDay += LogAge
}

// Shrink sets NATS's own limit of bytes.
func Shrink(ctx context.Context, b *Bus, bytes int64) error {
	cfg := b.entries.CachedInfo().Config
	cfg.MaxBytes = bytes
	_, err := b.js.UpdateStream(ctx, cfg)
	return err
}

// Leader returns the server that leads the stream of logs in a cluster, and how many copies there are.
func Leader(ctx context.Context, t testing.TB, b *Bus) (name string, copies int) {
	t.Helper()
	info, err := b.entries.Info(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return info.Cluster.Leader, info.Config.Replicas
}

// TryOwn tries once to own a name. It returns nil if another owns it.
func TryOwn(ctx context.Context, b *Bus, name string) (*Lease, error) {
	l, err := candidate{bus: b, name: name, id: rand.Text()}.try(ctx)
	if errors.Is(err, errTaken) {
		return nil, nil
	}
	return l, err
}

// RenewNow has a lease renewed, as it does by itself after a third of its time. It reports whether it still stands.
func RenewNow(l *Lease) bool {
	for l.Held() {
		if l.replace() {
			return l.Held()
		}
	}
	return false
}
