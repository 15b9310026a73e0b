// Package observe reads a part of a real ZooKeeper's tree, and reports what becomes of it.
//
// It never writes. It sees what one client sees that reads again what a watch has told of, at a limited rate: not who
// did it, and not what came between two reads. engine/run/cluster calls it.
package observe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/zkviz/zkviz/engine/access"
	"github.com/zkviz/zkviz/engine/admin"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/znode"
)

// Limits of an observation. Reaching one is a RecipeNote of ZooKeeper's, or for MaxObservedEvents the end of
// the log.
const (
	MaxObservedNodes    = 2000
	MaxObservedDepth    = 8       // levels below the observed znode
	MaxObservedChildren = 5000    // of one znode: the list of more is not fetched
	MaxObservedPath     = 1024    // bytes
	MaxObservedClients  = 1000    // owners of ephemeral znodes at a time
	MaxObservedEvents   = 100_000 // in one log, unless asked for less
	readsPerSecond      = 500
	bytesPerSecond      = 4 << 20
	burst               = 4 * time.Second        // of reading that was saved up
	rereadEvery         = 200 * time.Millisecond // of one znode, however often it changes
)

// Observation is a part of a tree to be watched.
type Observation struct {
	Servers   []string      // host:port
	Access    access.Dialer // how connections are opened
	Path      string
	MaxEvents int // in the log; MaxObservedEvents
}

// Run reports the znode at Path and those below it, and what becomes of them, until ctx ends. It never writes. It reads
// at a limited rate, so changes that follow each other closely may be seen as one. Of a znode that it may not read the
// servers tell it no changes but the end.
//
// The owners of ephemeral znodes are the log's clients, each for one session throughout the log; that one's session
// has ended is said when its last znode has gone, since an observer is not told. When no server can be reached, or the
// connection is lost, it says so with Disconnected, keeps trying, and reads everything again after Reconnected.
//
// A log that is full, or has a session for each client that there may be, ends, and Run with event.ErrLogFull: run
// again with a new log, which starts with what is there then.
func (a Observation) Run(ctx context.Context, sink event.Sink) error {
	if err := a.validate(); err != nil {
		return fmt.Errorf("observe %q: %w", a.Path, err)
	}
	o := newObserver(a, sink)
	o.emit(event.Event{Kind: event.RunStarted, Path: a.Path, N: time.Now().UnixMilli()})
	for {
		err := o.connected(ctx, a.Servers, a.Access)
		if !errors.Is(err, errAway) {
			o.emit(event.EndOf(err))
			return fmt.Errorf("observe %s: %w", a.Path, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(reconnectPause):
		}
	}
}

// reconnectPause is the pause after a lost connection, so that a server which lets nobody stay is not pestered.
const reconnectPause = 300 * time.Millisecond

// errAway says that the connection was lost.
var errAway = errors.New("the connection is lost")

func (a Observation) validate() error {
	p := a.Path
	switch {
	case len(a.Servers) == 0:
		return errors.New("no server is named; name one like 127.0.0.1:2181")
	case len(p) > MaxObservedPath:
		return fmt.Errorf("it is longer than %d bytes", MaxObservedPath)
	}
	return znode.CheckPath(p)
}

// connected observes for as long as one connection lasts. Each begins a session of its own: there is
// nothing in the old one to save, and its watches would pile up in the library.
func (o *observer) connected(ctx context.Context, servers []string, by access.Dialer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	d := newDirty()
	was := false
	tell := func(up bool, text string) {
		if up {
			was = true
			o.back(text)
			return
		}
		o.away(text)
		if was {
			cancel(errAway)
		}
	}
	conn, err := admin.Dial(ctx, admin.Config{Servers: servers, Access: by, Watch: d.event, Tell: tell})
	if err != nil {
		return err
	}
	defer conn.Close()
	o.begin(d)
	for {
		if err := o.refresh(ctx, conn.ZK, d); err != nil {
			return err
		}
	}
}
