package relay

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"log/slog"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/shared"
)

// Observation is what servers share.
type Observation struct {
	// Group and Path say what is observed, the same at all servers that share it.
	Group, Path string
	// Source observes until ctx ends, or it fails. If it gets the events of a log, it goes on with that, or returns
	// an error before it has reported any event.
	Source func(ctx context.Context, after iter.Seq[event.Event], sink event.Sink) error
	// Ask does something for all observations of the group, at a server that observes.
	Ask func(ctx context.Context) error
	// Max is how many events a log may have.
	Max int
}

// Relay shares a server's observations with others. It is safe for concurrent use.
type Relay struct {
	bus func() *shared.Bus // nil as long as there is none
	log *slog.Logger

	goneAfter, quietFor time.Duration

	mu   sync.Mutex
	full time.Time // when NATS had no room for a new log
	open map[string]*stream
	// last has the log that was read last, by the name of the observation.
	last map[string]string
	// ended has the offered log that was read to its end, by the name of the observation.
	ended map[string]string
	// small has logs that are longer than what this server had room for.
	small map[string]bool
}

// New returns a Relay over what bus returns, which may be nil at first.
func New(bus func() *shared.Bus, log *slog.Logger) *Relay {
	return &Relay{bus: bus, log: log, goneAfter: GoneAfter, quietFor: quietFor, open: map[string]*stream{},
		last: map[string]string{}, ended: map[string]string{}, small: map[string]bool{}}
}

// nameOf returns the name under which servers share an observation.
func nameOf(o Observation) string {
	sum := sha256.Sum256([]byte(o.Group + "\x00" + o.Path))
	return "live-" + hex.EncodeToString(sum[:16])
}

// ErrApart ends an observation because the other servers are out of reach, and errBack one without them because they
// are there again.
var (
	ErrApart = sentence.Error("link.servers.lost")
	errBack  = sentence.Error("link.servers.back")
)

// Observe reports an observation to sink until ctx ends, or its log does: with event.ErrLogFull if another can begin at
// once.
func (r *Relay) Observe(ctx context.Context, o Observation, sink event.Sink) error {
	if !r.canShare() {
		return r.alone(ctx, o, sink)
	}
	s := r.enter(ctx, o)
	if s == nil { // twice at this server
		return o.Source(ctx, nil, sink)
	}
	defer r.leave(s)
	return s.run(ctx, sink)
}

// alone observes without the others, until they can be reached.
func (r *Relay) alone(ctx context.Context, o Observation, sink event.Sink) error {
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var waiting sync.WaitGroup
	defer waiting.Wait()
	waiting.Go(func() {
		if r.waitForOthers(inner) {
			cancel(errBack)
		}
	})
	err := o.Source(inner, nil, sink)
	if ctx.Err() == nil && context.Cause(inner) == errBack {
		return errBack
	}
	cancel(nil)
	return err
}

// canShare reports whether the others can be reached, and NATS had room.
func (r *Relay) canShare() bool {
	r.mu.Lock()
	full := !r.full.IsZero() && time.Since(r.full) < AloneFor
	r.mu.Unlock()
	bus := r.bus()
	return !full && bus != nil && bus.Connected()
}

func (r *Relay) isFull() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.full = time.Now()
}

// waitForOthers waits until the others can be reached. It reports false if ctx has ended.
func (r *Relay) waitForOthers(ctx context.Context) bool {
	look := time.NewTicker(againEvery)
	defer look.Stop()
	for {
		if r.canShare() {
			return true
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return false
		}
	}
}

// enter returns the stream of an observation, or nil if there is one. One that ends is waited for.
func (r *Relay) enter(ctx context.Context, o Observation) *stream {
	name, bus := nameOf(o), r.bus()
	for {
		r.mu.Lock()
		before := r.open[name]
		if before == nil {
			s := newStream(ctx, r, name, bus, o)
			r.open[name] = s
			r.mu.Unlock()
			return s
		}
		r.mu.Unlock()
		if before.ctx.Err() == nil || !hub.Pause(ctx, againEvery) {
			return nil
		}
	}
}

func (r *Relay) leave(s *stream) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, s.name)
}

// mostNotes bounds last, ended and small.
const mostNotes = 1000

// note keeps a value in one of the Relay's maps, which forgets everything when it is full.
func note[V any](r *Relay, in map[string]V, key string, value V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(in) > mostNotes {
		clear(in)
	}
	in[key] = value
}

// noted returns what note has kept, or V's zero value.
func noted[V any](r *Relay, in map[string]V, key string) V {
	r.mu.Lock()
	defer r.mu.Unlock()
	return in[key]
}

// before returns the log of a name that was read before another, or "".
func (r *Relay) before(name, log string) (last string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last = r.last[name]; last == log {
		return ""
	}
	delete(r.last, name)
	return last
}

// Ask does what a group's Ask does, at each server that makes an observation of the group which this one has. It
// returns ErrApart if one doesn't answer.
func (r *Relay) Ask(ctx context.Context, group string, here func(context.Context) error) (err error) {
	mine := true
	for _, s := range r.of(group) {
		if !s.leads() {
			mine = false
			if e := s.ask(ctx); err == nil {
				err = e
			}
		}
	}
	if mine {
		return here(ctx)
	}
	return err
}

func (r *Relay) of(group string) (all []*stream) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.open {
		if s.o.Group == group {
			all = append(all, s)
		}
	}
	return all
}

// Stats are figures for the operator.
type Stats struct {
	Owned   int // observations that this server makes for all
	Relayed int // those that it gets from others
}

// Stats returns figures for the operator.
func (r *Relay) Stats() (st Stats) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.open {
		if s.leads() {
			st.Owned++
		} else {
			st.Relayed++
		}
	}
	return st
}
