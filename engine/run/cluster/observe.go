package cluster

import (
	"context"
	"iter"
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe"
	"github.com/zkviz/zkviz/engine/observe/record"
	"github.com/zkviz/zkviz/engine/observe/sessions"
)

// Recording says where the observations of a cluster are recorded.
type Recording struct {
	Folder *record.Folder // nil for nowhere
	Name   string         // the cluster's, in the recordings
	Kept   []string       // subtrees that KeepRecording records, so that Observe needn't
}

// Observed returns the log header of an observed subtree: from the ensemble's transactions if zkviz has joined it,
// else from reading.
func (c Cluster) Observed(path string) event.Header {
	h := event.Header{Host: event.Observed, Root: path}
	if c.Feed != nil && c.Feed.Joined() {
		h.Host = event.Joined
	}
	return h
}

// Observe reports such a subtree and its changes to sink until ctx ends. It never writes to the cluster.
//
// This is the pipeline of observation. Each stage returns a source of events made of the one before:
//
//	read      what servers send becomes events, with the servers' paths
//	Merged    adds what servers say about themselves, and about sessions and watches
//	inner     makes paths those that clients use: it takes the chroot off (chroot.go), which no other stage does
//	Recorded  copies the log to the disk
//
// The sink keeps the log. That of a room (engine/run/room) lets many read it while it grows.
func (c Cluster) Observe(ctx context.Context, h event.Header, sink event.Sink) error {
	return c.ObserveAfter(ctx, h, After{}, sink)
}

// After is the log so far of an observation by reading that has ended, as Observe's sink got it.
type After struct {
	Events iter.Seq[event.Event] // nil for none
	Why    string                // why it has ended
}

// ObserveAfter is Observe for what follows in such a log. An error that is observe.ErrAfter means that nothing can.
func (c Cluster) ObserveAfter(ctx context.Context, h event.Header, after After, sink event.Sink) error {
	root, err := c.Access.Outer(h.Root)
	if err != nil {
		return err
	}
	before := after.Events
	after.Events = outer(c.Access, before)
	source := c.Sessions.Merged(root, after.Events, c.Ensemble.Merged(c.read(h.Host, root, after)))
	source = inner(c.Access, source)
	if r := c.Recording; r.Folder != nil && !slices.Contains(r.Kept, h.Root) {
		from := &later{Sink: sink}
		source = r.Folder.Recorded(r.Name, h, from.whole(before, source))
		sink = from
	}
	return source(ctx, sink)
}

// later is a sink that leaves out the events so far of a log that goes on. A recording needs them.
type later struct {
	event.Sink
	last event.Seq // of those
}

// Append passes an event on.
func (l *later) Append(e event.Event) {
	if e.Seq > l.last {
		l.Sink.Append(e)
	}
}

// whole returns source with the events before it, which may be nil.
func (l *later) whole(before iter.Seq[event.Event], source event.Source) event.Source {
	if before == nil {
		return source
	}
	return func(ctx context.Context, sink event.Sink) error {
		for e := range before {
			l.last = e.Seq
			sink.Append(e)
		}
		return source(ctx, sink)
	}
}

// read returns what servers send about a subtree: an ensemble's transactions, or answers and fired watches.
func (c Cluster) read(host event.Host, root string, after After) sessions.Source {
	return func(ctx context.Context, sink event.Sink, begun func(sessions.Say)) error {
		if host == event.Joined {
			return c.Feed.Observe(ctx, root, sink, 0, begun)
		}
		by := c.Access
		by.Chroot = "" // until inner
		return observe.Observation{Servers: c.Servers, Access: by, Path: root, Budget: c.Budget, Begun: begun,
			Mine: c.Sessions.Mine, After: after.Events, Why: after.Why}.Run(ctx, sink)
	}
}

// KeepRecording records a subtree while nobody looks, until ctx ends or it can't be observed.
func (c Cluster) KeepRecording(ctx context.Context, path string) error {
	r := c.Recording
	c.Recording = Recording{} // Keep does it
	return r.Folder.Keep(ctx, r.Name, func() (event.Header, event.Source) {
		h := c.Observed(path)
		return h, func(ctx context.Context, sink event.Sink) error { return c.Observe(ctx, h, sink) }
	})
}

// AskWatches asks the servers who watches what, for every log of an observation. It blocks each server for a
// moment; after a recent call it doesn't ask again.
func (c Cluster) AskWatches(ctx context.Context) error {
	if c.Sessions == nil {
		return sentence.Error("refused.watches")
	}
	_, err := c.Sessions.Watches(ctx)
	return err
}
