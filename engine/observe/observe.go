package observe

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/wire/reader"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// Limits of an observation. Reaching one is reported by a RecipeNote of ZooKeeper's, or for MaxObservedEvents by
// the end of the log.
const (
	MaxObservedNodes    = 2000    // that it looks for; with a recursive watch, more appear when they change
	MaxObservedDepth    = 8       // levels below the observed znode
	MaxObservedChildren = 5000    // of one znode: longer lists are not fetched
	MaxObservedPath     = 1024    // bytes
	MaxObservedClients  = 1000    // owners of ephemeral znodes at a time
	MaxObservedEvents   = 100_000 // in one log, unless fewer are requested
	maxQueued           = 20_000  // changed znodes that wait to be read
	batch               = 32      // requests under way
)

// Observation describes a part of a tree to observe.
type Observation struct {
	Servers   []string      // host:port
	Access    access.Dialer // opens connections
	Path      string
	MaxEvents int     // in the log; MaxObservedEvents by default
	Budget    *Budget // of requests, shared with other observations; nil for a separate one
	// Begun, unless it is nil, is called when the log begins, with a function that adds an event about a session,
	// or about none (0). That function waits until there is a connection, or the log is over. If the log doesn't
	// know the session the event is left out, unless it is a watch.
	Begun func(say func(session int64, e event.Event))
	// Mine, unless it is nil, is called for each session of the observation, and its result when the session is over.
	Mine func(session int64) (gone func())
	// Names, unless it is nil, makes it read only what is needed to go by names.
	Names *Names
	// Left, unless it is nil, is called for each znode that existed when a connection began and still has to be
	// read or listed, and again when that is done. Run's goroutine calls it, and also Whole.
	Left func(path string, left bool)
	// Whole, unless it is nil, is called once for each connection, when the log has everything that existed at its
	// beginning, except for what it reports as left out.
	Whole func()
	// After, unless it is nil or empty, is the log so far of an observation of the same Path that has ended, without a
	// RunEnded. Run goes on with it.
	After iter.Seq[event.Event]
	Why   string // why the observation of After ended; required with After
	// Heard is when that observation last heard from a server; zero for the time of its last event.
	Heard time.Time
}

// Run reports the znode at Path and those below it, and what becomes of them, until ctx ends. It never writes.
//
// From ZooKeeper 3.6 on it sets one watch, which reports every change below Path, and reads what has changed. With
// older servers it sets one watch of each kind at each znode, and again after each event. The Budget limits both,
// so changes in quick succession may be seen as one: a RecipeNote with event.LeftMissed tells how many of which
// znode were missed. For a znode that it may not read, servers report no changes but the end.
//
// The owners of ephemeral znodes are the log's clients, each for one session throughout the log. SessionSeen
// introduces each; their ends don't appear, since an observer doesn't learn of them. What existed when the log
// began is found (ZnodeFound), not created.
//
// If the servers have no quorum, Run reads from one that still answers, and event.LeftReadOnly says so. When no
// server can be reached, or the connection is lost, Run reports Disconnected, retries with growing pauses, and
// reads everything again after Reconnected.
//
// If there are events After, Run emits those that follow: Disconnected with the reason Why, and then what it emits
// after the loss of its own connection. Where the events end within something that takes several, it finishes that
// after Reconnected. Events don't tell how often children have come and gone, nor the version of a znode's data that
// existed before the log. So where several changes came while nobody observed, LeftMissed may count fewer. An error
// that is ErrAfter means that Run can't go on with these events. It has emitted none then.
//
// When the log is full, or has used up all clients, it ends, and Run returns event.ErrLogFull: run again with a new
// log, which starts with what exists then.
func (a Observation) Run(ctx context.Context, sink event.Sink) error {
	if err := a.validate(); err != nil {
		return fmt.Errorf("observe %q: %w", a.Path, err)
	}
	o := newObserver(a, sink)
	if err := a.goOn(o); err != nil {
		return fmt.Errorf("observe %s: %w", a.Path, err)
	}
	if a.Begun != nil {
		a.Begun(o.inject)
	}
	err := o.run(ctx, &servers{addrs: a.Servers, access: a.Access, mine: a.Mine})
	close(o.over)
	o.log.emit(event.EndOf(err))
	return fmt.Errorf("observe %s: %w", a.Path, err)
}

func (a Observation) validate() error {
	if len(a.Servers) == 0 {
		return errors.New("no server is given; name one like 127.0.0.1:2181")
	}
	if a.After != nil && a.Why == "" {
		return errors.New("a log can't go on without a reason why it stopped")
	}
	if a.After != nil && a.Names != nil {
		return errors.New("an observation by names can't go on with a log")
	}
	return znode.CheckRoot(a.Path)
}

// goOn begins the log, or goes on with the one of After.
func (a Observation) goOn(o *observer) error {
	o.log.start = &event.Event{Kind: event.RunStarted, Path: a.Path}
	if a.After == nil {
		return nil
	}
	if err := o.recall(a.After); err != nil || o.log.seq == 0 {
		return err
	}
	if !a.Heard.IsZero() {
		o.outage.heard = a.Heard
	}
	o.outage.disconnected(a.Why)
	return nil
}

// run observes on one connection after the other until it is over. Each begins a new session: there is nothing in
// the old one to save.
func (o *observer) run(ctx context.Context, s *servers) error {
	for {
		conn, err := s.dial(ctx, o)
		if err != nil {
			return err
		}
		from := time.Now()
		gone := s.announce(conn.Session())
		err = o.connected(ctx, conn, s)
		o.outage.heard = conn.Heard()
		conn.Close()
		gone()
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, event.ErrLogFull):
			return err
		case o.retry, errors.Is(err, errQuorum):
			continue
		}
		s.lost(ctx, err, from, o)
		if err := s.pause(ctx); err != nil {
			return err
		}
	}
}

// errQuorum reports that a server with a quorum has been found.
var errQuorum = errors.New("there is a quorum again")

// quorumEvery is how often to look for a quorum while there is none.
const quorumEvery = 10 * time.Second

// connected observes for as long as one connection lasts.
func (o *observer) connected(ctx context.Context, conn *reader.Conn, s *servers) error {
	o.begin(conn, s.at)
	look := time.NewTicker(quorumEvery)
	defer look.Stop()
	audit := time.NewTicker(auditEvery)
	defer audit.Stop()
	for !o.log.full && !o.retry {
		var ask <-chan time.Time
		if o.requests.ready() {
			ask = time.After(time.Until(o.requests.paid))
		}
		var put <-chan injected
		if o.works {
			put = o.injected
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case m, more := <-conn.Messages():
			if !more {
				return conn.Err()
			}
			o.receive(m)
			if o.works {
				s.errs = nil
			}
		case <-ask:
			if err := conn.Ask(o.requests.next()...); err != nil {
				return err
			}
		case path := <-o.wanted:
			o.want(path)
		case s := <-put:
			o.addInjected(s)
		case <-audit.C:
			o.audits.step(conn.Zxid())
		case <-look.C:
			if conn.ReadOnly() && s.quorum(ctx, o.last) {
				return errQuorum
			}
		}
	}
	if o.log.full {
		return event.ErrLogFull
	}
	return nil
}
