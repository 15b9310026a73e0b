// Package observe reads a part of a real ZooKeeper's tree, and reports what becomes of it.
//
// It never writes, and has no connection that could: engine/wire/reader has no such request. It sees what one client
// sees that is told of each change and reads again what has changed, at a limited rate: not who did it, and not what
// came between two reads, but how much that was. engine/run/cluster calls it.
package observe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/zkviz/zkviz/engine/access"
	"github.com/zkviz/zkviz/engine/capture"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/wire/reader"
)

// Limits of an observation. Reaching one is a RecipeNote of ZooKeeper's, or for MaxObservedEvents the end of
// the log.
const (
	MaxObservedNodes    = 2000    // that are looked for; where a watch tells of all, more are shown when they change
	MaxObservedDepth    = 8       // levels below the observed znode
	MaxObservedChildren = 5000    // of one znode: the list of more is not fetched
	MaxObservedPath     = 1024    // bytes
	MaxObservedClients  = 1000    // owners of ephemeral znodes at a time
	MaxObservedEvents   = 100_000 // in one log, unless asked for less
	maxQueued           = 20_000  // znodes that wait to be read because they have changed
	batch               = 32      // requests under way
)

// Observation is a part of a tree to be watched.
type Observation struct {
	Servers   []string      // host:port
	Access    access.Dialer // how connections are opened
	Path      string
	MaxEvents int     // in the log; MaxObservedEvents
	Budget    *Budget // of requests, shared with other observations; nil for one of its own
	// Begun, unless it is nil, is called when the log begins, with what puts an event in that is about a session, or about
	// none (0). That waits until there is a connection, or the log is over. If the log does not have the session the event
	// is left out, unless it is a watch.
	Begun func(say func(session int64, e event.Event))
	// Mine, unless it is nil, is told of each session that the observation has, and calls gone when it is over.
	Mine func(session int64) (gone func())
	// Names has it read as much of a tree as their names are to be gone by, unless it is nil.
	Names *Names
	// Left, unless it is nil, is told of each znode that was there at the beginning of a connection and is still to be
	// read, or to have its children listed; and when that is over. By the goroutine of Run, as Whole.
	Left func(path string, left bool)
	// Whole, unless it is nil, is called when the log has all that there was at the beginning of a connection, but for
	// what it says that it leaves out; by the goroutine of Run, once for each connection.
	Whole func()
}

// Run reports the znode at Path and those below it, and what becomes of them, until ctx ends. It never writes.
//
// From ZooKeeper 3.6 on it sets one watch, which tells of every change below Path, and reads what has changed. Else it
// sets one of each kind at each znode, and again whenever one has told of something. Both are limited by the Budget, so
// changes that follow each other closely may be seen as one: how many of which znode were missed is a RecipeNote with
// event.LeftMissed. Of a znode that it may not read, the servers tell it no changes but the end.
//
// The owners of ephemeral znodes are the log's clients, each for one session throughout the log. SessionSeen introduces
// each; nothing is said of their end, which nobody tells an observer. What was there when the log began is found
// (ZnodeFound), not created.
//
// Where the servers have no quorum, one that still answers reads is looked at, and event.LeftReadOnly says so. When no
// server can be reached, or the connection is lost, Run says so with Disconnected, keeps trying, ever more seldom, and
// reads everything again after Reconnected.
//
// A log that is full, or has a session for each client that there may be, ends, and Run with event.ErrLogFull: run
// again with a new log, which starts with what is there then.
func (a Observation) Run(ctx context.Context, sink event.Sink) error {
	if err := a.validate(); err != nil {
		return fmt.Errorf("observe %q: %w", a.Path, err)
	}
	o := newObserver(a, sink)
	o.tellWhole, o.first.tell = a.Whole, a.Left
	o.emit(event.Event{Kind: event.RunStarted, Path: a.Path, N: time.Now().UnixMilli()})
	if a.Begun != nil {
		a.Begun(o.say)
	}
	err := o.run(ctx, &servers{addrs: a.Servers, access: a.Access, mine: a.Mine})
	close(o.over)
	o.emit(event.EndOf(err))
	return fmt.Errorf("observe %s: %w", a.Path, err)
}

func (a Observation) validate() error {
	if len(a.Servers) == 0 {
		return errors.New("no server is named; name one like 127.0.0.1:2181")
	}
	return capture.ValidRoot(a.Path)
}

// run observes until it is over, on one connection after the other. Each begins a session of its own: there is nothing
// in the old one to save.
func (o *observer) run(ctx context.Context, s *servers) error {
	for {
		conn, err := s.dial(ctx, o)
		if err != nil {
			return err
		}
		from := time.Now()
		gone := s.own(conn.Session())
		err = o.connected(ctx, conn, s)
		o.heard = conn.Heard()
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

// errQuorum says that a server has been found that is part of its ensemble.
var errQuorum = errors.New("there is a quorum again")

// quorumEvery is how often a quorum is looked for while there is none.
const quorumEvery = 10 * time.Second

// connected observes for as long as one connection lasts.
func (o *observer) connected(ctx context.Context, conn *reader.Conn, s *servers) error {
	o.begin(conn)
	look := time.NewTicker(quorumEvery)
	defer look.Stop()
	audit := time.NewTicker(auditEvery)
	defer audit.Stop()
	for !o.full && !o.retry {
		var ask <-chan time.Time
		if o.mayAsk() {
			ask = time.After(time.Until(o.paid))
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case m, more := <-conn.Messages():
			if !more {
				return conn.Err()
			}
			o.hear(m)
			if o.works {
				o.back(s.at)
				s.fails = nil
			}
		case <-ask:
			if err := conn.Ask(o.ask()...); err != nil {
				return err
			}
		case path := <-o.wants:
			o.want(path)
		case s := <-o.said:
			o.take(s)
		case <-audit.C:
			o.audit(conn.Zxid())
		case <-look.C:
			if conn.ReadOnly() && s.quorum(ctx, o.last) {
				return errQuorum
			}
		}
	}
	if o.full {
		return event.ErrLogFull
	}
	return nil
}
