package standby

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/run/shared"
	"github.com/zkviz/zkviz/engine/zookeeper/learner"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// guarded returns an empty tree that hides what not everybody may read.
func guarded(zxid int64) *replay.State {
	s := replay.New("/")
	s.Guarded, s.Zxid = true, zxid
	return s
}

// recall takes the log, and reads the state that it leads to. One that can't be read is left: another begins.
func (o *owner) recall(ctx context.Context, name string) error {
	r := &reader{to: learner.To{
		Begin: func(b learner.Beginning) error {
			if o.zk = b.Epoch; !b.Kept {
				o.state = guarded(b.Zxid)
				o.tree = o.state.Tree()
			}
			return nil
		},
		Tree:   o.taker().Tree,
		Txn:    func(t *wire.Txn) error { o.state.Apply(t); return nil },
		Synced: func() error { return nil },
	}}
	for name != "" {
		log, err := o.bus.LogOf(o.of.name, name)
		if err != nil {
			return err
		}
		if o.last, err = log.Take(ctx, o.epoch); err != nil && !errors.Is(err, shared.ErrDeleted) {
			return err
		}
		next := ""
		if err == nil {
			next, err = o.replay(ctx, log, r)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || !r.ready && next == "" { // its readers learn that there is another
			o.state, o.log, o.name, o.last = nil, nil, "", 0
			return nil
		}
		o.prev, o.log, o.name, o.since = o.log, log, name, time.Now()
		name = next
	}
	return r.caughtUp()
}

// replay reads a log to its end, and returns the name of the next one if it has that.
func (o *owner) replay(ctx context.Context, log *shared.Log, r *reader) (next string, err error) {
	if o.last == 0 {
		return "", nil
	}
	var j joiner
	o.bytes = 0
	err = log.Read(ctx, 1, func(n uint64, entry []byte) error {
		o.bytes += len(entry)
		batch, err := j.add(entry)
		if err != nil {
			return err
		}
		for _, m := range batch {
			if m.Next != "" {
				next = m.Next
			} else if err := r.take(m); err != nil {
				return err
			}
		}
		if n >= o.last {
			return errNext
		}
		return nil
	})
	if errors.Is(err, errNext) {
		err = nil
	}
	return next, err
}

// begin, take, sync and lost take what the learner says. Callers of the first three hold o.mu.
func (o *owner) begin(b learner.Beginning) {
	o.room()
	o.zk, o.loading, o.away = b.Epoch, nil, time.Time{}
	if b.Kept && o.state != nil && b.Zxid >= o.state.Zxid {
		o.put(message{Begin: &b.Epoch})
		return
	}
	o.loading = guarded(b.Zxid)
	o.tree = o.loading.Tree()
}

func (o *owner) take(t *wire.Txn) {
	o.room() // before the state has it: an image must not have more than the log before
	if o.loading != nil {
		o.loading.Apply(t)
		return
	}
	s := strip(t, o.state.Apply(t))
	o.put(message{Txn: &s})
}

func (o *owner) sync() {
	o.room()
	if o.loading != nil {
		o.state, o.loading, o.fresh = o.loading, nil, true
		o.waiting, o.waits = nil, 0
	}
	o.put(message{Sync: true})
}

func (o *owner) lost(why error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.away.IsZero() {
		o.away = time.Now()
	}
	if o.name == "" && o.state == nil {
		if o.cfg.Lost != nil {
			o.cfg.Lost(why) // nobody reads a log yet
		}
		return
	}
	s := sentence.From(why)
	o.put(message{Lost: &s})
}

// room waits while too many messages wait. Callers hold o.mu.
func (o *owner) room() {
	for o.waits >= maxWaiting && !o.over {
		o.moved.Wait()
	}
}

// put has a message appended. Callers hold o.mu.
func (o *owner) put(m message) {
	if !o.over {
		b := encodeAll(m)
		o.waiting, o.waits = append(o.waiting, b), o.waits+len(b)
	}
}

// run appends until ctx ends, and ends the learner if that fails.
func (o *owner) run(ctx context.Context) {
	defer func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.over = true
		o.moved.Broadcast()
	}()
	flush := time.NewTicker(flushEvery)
	defer flush.Stop()
	for {
		select {
		case <-flush.C:
		case <-ctx.Done():
			return
		}
		if err := o.flush(ctx); err != nil {
			o.stop(err)
			return
		}
	}
}

// errLeaderless ends the try of an owner that finds no leader: another server may reach one.
var errLeaderless = errors.New("no leader can be reached from here")

// flush appends what waits, and begins another log if it must.
func (o *owner) flush(ctx context.Context) error {
	o.mu.Lock()
	batch, fresh := o.waiting, o.fresh
	o.waiting, o.waits, o.fresh = nil, 0, false
	full := o.name != "" && (o.bytes > mostBytes || time.Since(o.since) > mostAge)
	late := !o.away.IsZero() && time.Since(o.away) > GiveUpAfter
	var tree *image
	if fresh || full {
		tree = imageOf(o.state, o.zk, !fresh)
	}
	o.moved.Broadcast()
	o.mu.Unlock()
	steps := []func() error{
		func() error {
			if len(batch) == 0 {
				return nil
			}
			return o.append(ctx, merge(batch))
		},
		func() error {
			if tree == nil {
				return nil
			}
			return o.another(ctx, tree)
		},
	}
	if fresh { // what waits came after the tree
		slices.Reverse(steps)
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	if late {
		return errLeaderless
	}
	return nil
}

// append appends a batch to the log.
func (o *owner) append(ctx context.Context, batch []byte) (err error) {
	for _, e := range entries(batch) {
		if o.last, err = o.log.Append(ctx, o.epoch, o.last, e); err != nil {
			return err
		}
		o.bytes += len(e)
	}
	return nil
}

// another begins a log with a tree, ends the one before with its name, and deletes the one before that.
func (o *owner) another(ctx context.Context, tree *image) error {
	text := encodeAll(message{Image: tree})
	if len(text) > MaxImage {
		return errUnshared
	}
	name := newLog()
	log, err := o.bus.LogOf(o.of.name, name)
	if err != nil {
		return err
	}
	last, bytes := uint64(0), 0
	for _, e := range entries(text) {
		if last, err = log.Append(ctx, o.epoch, last, e); err != nil {
			return err
		}
		bytes += len(e)
	}
	if o.log != nil {
		if err := o.append(ctx, encodeAll(message{Next: name})); err != nil {
			return err
		}
	}
	if o.prev != nil {
		_ = o.prev.Delete(ctx, o.epoch) // if that fails, NATS drops it some time later
	}
	o.mu.Lock()
	o.prev, o.log, o.name, o.last, o.bytes, o.since = o.log, log, name, last, bytes, time.Now()
	o.mu.Unlock()
	o.learn(name)
	return nil
}
