package cluster

import (
	"context"
	"iter"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/feed"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// This file takes the chroot off what is observed: off the events of a log, and off the znodes and facts of an
// ensemble's stream. (A connection that has a chroot does the same, as every client's.)

// inner returns source with the paths that clients use, below the chroot.
func inner(by access.Dialer, source event.Source) event.Source {
	return func(ctx context.Context, sink event.Sink) error { return source(ctx, below{by, sink}) }
}

// outer undoes what inner does to events. It returns nil if there are none.
func outer(by access.Dialer, events iter.Seq[event.Event]) iter.Seq[event.Event] {
	if events == nil {
		return nil
	}
	return func(yield func(event.Event) bool) {
		for e := range events {
			if path, err := by.Outer(e.Path); err == nil { // as above
				e.Path = path
			}
			if !yield(e) {
				return
			}
		}
	}
}

// below is a sink that makes paths relative to the chroot.
type below struct {
	by access.Dialer
	event.Sink
}

// Append passes an event on.
func (b below) Append(e event.Event) {
	if path, err := b.by.Inner(e.Path); err == nil { // not every event has a path
		e.Path = path
	}
	b.Sink.Append(e)
}

// Subscribe passes the joined ensemble's znodes and transactions to s, with the paths that clients use. It leaves out
// those outside the chroot.
func (c Cluster) Subscribe(s feed.Subscriber) { c.Feed.Subscribe(&subscribed{by: c.Access, to: s}) }

// Exists reports whether the joined ensemble has the znode at a client's path.
func (c Cluster) Exists(path string) bool {
	outer, err := c.Access.Outer(path)
	return err == nil && c.Feed.Has(outer)
}

// subscribed passes on what is below the chroot.
type subscribed struct {
	by    access.Dialer
	to    feed.Subscriber
	facts []replay.Fact
}

// Begin implements feed.Subscriber.
func (s *subscribed) Begin(tree iter.Seq2[string, *replay.Node], timeMS int64) {
	s.to.Begin(func(yield func(string, *replay.Node) bool) {
		for path, n := range tree {
			if inner, err := s.by.Inner(path); err == nil && !yield(inner, n) {
				return
			}
		}
	}, timeMS)
}

// Take implements feed.Subscriber. A transaction stays if one of its znodes is inside, though it may name another.
func (s *subscribed) Take(t *wire.Txn, facts []replay.Fact, timeMS int64) {
	s.facts = s.facts[:0]
	for _, f := range facts {
		if f.Path != "" {
			inner, err := s.by.Inner(f.Path)
			if err != nil && f.Kind != event.TxnApplied {
				continue
			}
			f.Path = inner
		}
		s.facts = append(s.facts, f)
	}
	s.to.Take(t, s.facts, timeMS)
}
