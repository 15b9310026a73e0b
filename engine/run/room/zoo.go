package room

import (
	"context"
	"sync"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run"
)

// Inside is a system inside the program that accepts the viewer's own clients.
type Inside interface {
	// Place returns its address for sentences.
	Place() string
	// System describes it and its servers. Inject carries out a fault on one of several servers.
	System() event.System
	Inject(f fault.Fault) error
	// Observe reports a subtree and all sessions until ctx ends or, with event.ErrLogFull, until the log is full.
	// It writes nothing. When the log begins it calls begun, unless that is nil. begun's argument adds an event to
	// the log, under the log's client numbers, and returns its number.
	Observe(
		ctx context.Context, root string, sink event.Sink, most int, begun func(say func(event.Event) event.Seq),
	) error
}

// Zoo is a ZooKeeper inside the program, with contenders.
type Zoo interface {
	Inside
	// Contend returns contenders that queue below path, none at first, for a room with that log. When one ends, left gets
	// the number of those left.
	Contend(path string, log ZooLog, left func(n int)) Contenders
}

// ZooLog is the log of a room of the Zoo, for the program's own clients.
type ZooLog interface {
	// Tell adds what the client with a session reports, and returns the event's number; 0 if the log has no such session.
	Tell(session int64, e event.Event) event.Seq
	// ClientOf returns the client with a session, or event.ZooKeeper if the log has none.
	ClientOf(session int64) event.Actor
}

// Contenders are clients run by the program.
type Contenders interface {
	// Resize sets their number to n.
	Resize(n int) error
	// Do injects a fault into the one with this session.
	Do(session int64, f fault.Fault) error
	// Now returns what the one with this session reports at the start of a log, which knows it by then.
	Now(session int64) []event.Event
	// Close ends them all.
	Close()
}

// zooHost opens rooms that show a subtree of an inside system, and the clients that connect to it.
type zooHost struct {
	rooms    *rooms
	server   Inside
	contend  func(path string, log ZooLog, left func(int)) Contenders // may be nil
	opening  sync.Mutex
	resizing sync.Mutex // held while their number changes
}

func isZoo(r *room) bool { return r.uses(ofZoo) }

// open enters the room that shows path, or creates it.
func (z *zooHost) open(who ClientKey, path string) (*room, error) {
	return z.openOf(who, z.server, path, "")
}

// openOf is open for a server, whose clients are a class's unless that is empty.
func (z *zooHost) openOf(who ClientKey, server Inside, path, class string) (*room, error) {
	z.opening.Lock()
	defer z.opening.Unlock()
	header := run.ZooHeader(path, server.System())
	if judged, ok := server.(interface{ Promises() []string }); ok {
		header.Promises = judged.Promises()
	}
	same := func(r *room) bool {
		return isZoo(r) && r.header.Root == path && r.class == class && sameSystem(r.header, header)
	}
	if r, ok := z.rooms.enterWhere(who, same); ok {
		return r, nil
	}
	if err := z.rooms.admit(who, z.rooms.bounded("zoo", sentence.Arg{}, MaxZoos, MaxZoosPerClient, isZoo)); err != nil {
		return nil, err
	}
	r := z.rooms.newGrowing(header, who, ofZoo)
	if r.class = class; class != "" {
		r.contend = func(int) error { return ErrZooAway }
	}
	first := r.observedBranch()
	r.addBranch(first)
	j := &journal{now: func(int64) []event.Event { return nil }}
	pool := z.pool(r, path, j)
	r.carryOut = func(_ context.Context, _ int, f fault.Fault) error {
		if t := f.Kind.Target(); t != fault.ToClient {
			return server.Inject(f)
		}
		session, ok := j.sessionOf(event.Actor(f.Client))
		if !ok {
			return sentence.Error("bad.fault.nobody", sentence.Quote(f.String()), sentence.Client(event.Actor(f.Client)))
		}
		if pool == nil {
			return sentence.Error("refused.node", sentence.Quote(f.String()))
		}
		return pool.Do(session, f)
	}
	ctx := r.startable()
	if err := z.rooms.open(r); err != nil {
		return nil, err
	}
	r.start(ctx, func(ctx context.Context) {
		if pool != nil {
			defer pool.Close()
		}
		l := observation{place: server.Place(), observe: func(ctx context.Context, sink event.Sink) error {
			j.begin()
			return server.Observe(ctx, path, event.Tee{sink, j}, MaxLiveEvents, j.speak)
		}}
		l.watch(ctx, r, first)
	})
	return r, nil
}

// sameSystem reports whether two logs are of the same system.
func sameSystem(a, b event.Header) bool {
	one, _ := a.SystemOf(event.Node(1))
	other, _ := b.SystemOf(event.Node(1))
	return one.Kind == other.Kind
}

// pool returns the contenders of a room, or nil if it can have none.
func (z *zooHost) pool(r *room, path string, j *journal) Contenders {
	if z.contend == nil {
		return nil
	}
	pool := z.contend(path, j, r.setContenders)
	j.now = pool.Now
	r.contend = func(n int) error {
		if path == "/" {
			return sentence.Error("refused.root")
		}
		z.resizing.Lock()
		defer z.resizing.Unlock()
		if err := z.rooms.mayContend(r, n); err != nil {
			return err
		}
		if err := pool.Resize(n); err != nil {
			return err
		}
		r.setContenders(n)
		return nil
	}
	return pool
}
