package room

import (
	"context"
	"errors"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// observe enters the room that observes path, or opens it.
func (l *Cluster) observe(who ClientKey, path string) (*room, error) {
	l.opening.Lock()
	defer l.opening.Unlock()
	same := func(r *room) bool { return r.use == ofCluster && r.observes && r.cluster == l && r.header.Root == path }
	if r, ok := l.rooms.enterWhere(who, same); ok {
		return r, nil
	}
	if err := l.admit(who); err != nil {
		return nil, err
	}
	give, err := l.takeIn(who, 1)
	if err != nil {
		return nil, err
	}
	r := l.rooms.newGrowing(l.zk.Observed(path), who, ofCluster)
	r.observes, r.cluster = true, l
	first := r.observedBranch()
	r.addBranch(first)
	ctx := r.startable()
	if err := l.rooms.open(r); err != nil {
		give()
		return nil, err
	}
	o := observation{place: l.name, observe: func(ctx context.Context, sink event.Sink) error {
		return l.zk.Observe(ctx, r.header, sink)
	}}
	r.start(ctx, func(ctx context.Context) {
		defer give()
		o.watch(ctx, r, first)
	})
	return r, nil
}

// observation is what an observing room shows.
type observation struct {
	place   string // its name in sentences
	observe event.Source
}

// watch observes until ctx ends. When the log is full or observation has to start again, so does the room's
// history, in a new log that begins with the current state. A viewer that had not finished the old log continues
// with the new one.
func (o observation) watch(ctx context.Context, r *room, b branch) {
	for ctx.Err() == nil {
		inner, cancel := context.WithCancel(ctx)
		sink := b.recorder(r)
		sink.full = cancel
		err := o.observe(inner, sink)
		cancel()
		if ctx.Err() != nil {
			sink.end(nil)
			return
		}
		if ended := b.log.Status().Err; ended != nil {
			err = ended
		}
		if !errors.Is(err, hub.ErrFull) && !errors.Is(err, event.ErrLogFull) {
			if err == nil {
				err = sentence.Error("failed.observation")
			}
			r.setConnection(false, unreachable(o.place, err))
			hub.Pause(ctx, RetryEvery)
		}
		if sink.begun() {
			b = r.beginAnew()
		}
	}
}

// observedBranch returns an observation's only branch, empty.
func (r *room) observedBranch() branch {
	r.clear()
	return r.growingBranch(MaxLiveEvents)
}

// growingBranch returns an empty branch of at most that many events, which a recorder fills.
func (r *room) growingBranch(most int) branch {
	return branch{parent: -1, header: r.header, verdict: verdict{growing: newGrowing(r.header)},
		log: hub.New(hub.Config{Limit: most, Bell: r.bell, Grow: r.grow})}
}

// beginAnew drops an observation's history and starts the next generation.
func (r *room) beginAnew() branch {
	b := r.observedBranch()
	r.change(func(v int) {
		b.changed = v
		r.generation++
		r.branches = []branch{b}
	})
	return b
}
