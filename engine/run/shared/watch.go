package shared

import (
	"context"
	"errors"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// ChangeKind says what happened to a name or a log.
type ChangeKind int

// The kinds of changes.
const (
	// IsOwned is for a name that had an owner when Watch began. Its epoch isn't known: it's at most what Epoch says, the
	// revision of the last renewal.
	IsOwned ChangeKind = iota
	// AllTold says that every IsOwned has come.
	AllTold
	Taken    // a server owns the name now
	Renewed  // by its owner
	Released // by its owner
	Expired  // its owner hasn't renewed it in time
	Marked   // a new owner has taken the log
	Appended // an owner has appended an entry
	Deleted  // an owner has deleted the log
)

// Change is something that NATS has stored.
type Change struct {
	Kind ChangeKind
	// Name is that of a name that is owned, or of a log. A log has the name of its owner's, or one that nobody else has:
	// then its epoch tells whose it is.
	Name string
	// Server is the owner's process, as Bus.Process returns it there.
	Server string
	// Epoch is the owner's, 0 if it isn't known. Every later owner of any name has a higher one.
	Epoch uint64
	// N is the entry's number in the log, and Bytes the size of its data.
	N     uint64
	Bytes int
}

// Process returns what names this process among all that share the NATS.
func (b *Bus) Process() string { return b.process }

// Watch tells f what happens to names and logs, in the order in which NATS stored each kind, until ctx ends or the link
// changes: then something may be missed. It reads, and writes nothing. Of names it also tells which are owned at first.
func (b *Bus) Watch(ctx context.Context, f func(Change)) error {
	ctx, cancel := b.both(ctx)
	defer cancel()
	up, changed := b.linkNow()
	if !up {
		return ErrNoLink
	}
	defer context.AfterFunc(changed, cancel)()
	err := b.watch(ctx, f)
	if changed.Err() != nil {
		return ErrNoLink
	}
	return b.linkError(ctx, err)
}

func (b *Bus) watch(ctx context.Context, f func(Change)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	names, err := b.owners.WatchAll(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = names.Stop() }()
	entries := make(chan jetstream.Msg)
	consumer, err := b.entries.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{logSubject + "*"}, DeliverPolicy: jetstream.DeliverNewPolicy})
	if err != nil {
		return err
	}
	reading, err := consumer.Consume(func(m jetstream.Msg) {
		select {
		case entries <- m:
		case <-ctx.Done():
		}
	})
	if err != nil {
		return err
	}
	defer func() {
		cancel() // or Stop waits for the one that waits here
		reading.Stop()
	}()
	w := watch{tell: f, owners: map[string]owner{}}
	for {
		select {
		case e, ok := <-names.Updates():
			if !ok {
				return errWatchEnded
			}
			w.name(e)
		case m := <-entries:
			w.entry(strings.TrimPrefix(m.Subject(), logSubject), m.Data())
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

var errWatchEnded = errors.New("NATS has ended a watch")

// watch is one Watch.
type watch struct {
	tell   func(Change)
	told   bool // AllTold
	owners map[string]owner
}

// owner is the owner of a name, as far as is known.
type owner struct {
	value, server string
	epoch         uint64
}

// name takes what happened to a name. It's nil once those that were owned at first have come.
func (w *watch) name(e jetstream.KeyValueEntry) {
	if e == nil {
		w.told = true
		w.tell(Change{Kind: AllTold})
		return
	}
	name := e.Key()
	was, known := w.owners[name]
	if e.Operation() != jetstream.KeyValuePut {
		delete(w.owners, name)
		kind := Expired
		if e.Operation() == jetstream.KeyValueDelete {
			kind = Released
		}
		if known {
			w.tell(Change{Kind: kind, Name: name, Server: was.server, Epoch: was.epoch})
		}
		return
	}
	value := string(e.Value())
	server, _, _ := strings.Cut(value, valueSeparator)
	if known && was.value == value {
		w.tell(Change{Kind: Renewed, Name: name, Server: server, Epoch: was.epoch})
		return
	}
	is, kind := owner{value: value, server: server}, IsOwned
	if w.told {
		is.epoch, kind = e.Revision(), Taken
	}
	w.owners[name] = is
	w.tell(Change{Kind: kind, Name: name, Server: server, Epoch: e.Revision()})
}

// entry takes what came into a log.
func (w *watch) entry(log string, data []byte) {
	e, err := decode(data)
	if err != nil {
		return // nobody of this version has written it
	}
	kind := Appended
	switch e.kind {
	case kindTaken:
		kind = Marked
	case kindDeleted:
		kind = Deleted
	}
	w.tell(Change{Kind: kind, Name: log, Epoch: e.epoch, N: e.n, Bytes: len(e.data)})
}

// processLetters is the length of a process's name, and valueSeparator what follows it in the value of a name.
const (
	processLetters = 6
	valueSeparator = "."
)
