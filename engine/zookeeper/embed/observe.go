package embed

import (
	"context"
	"fmt"
	"net"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/window"
	"github.com/zkviz/zkviz/engine/zookeeper/server"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// Limits of an observation, in addition to its log's limits. Reaching one adds a RecipeNote by ZooKeeper.
const (
	MaxObservedNodes   = 2000 // that exist at the start
	MaxObservedWatches = 2000 // that exist at the start
)

// Observe reports to sink what happens at the znode root and below it. It ends when ctx ends, when the server closes,
// or with event.ErrLogFull when the log has most events (0: window.MaxEvents). It writes nothing into the tree and
// costs the clients almost nothing. Any number of observations may run at once.
//
// The log begins with RunStarted, whose Path is root and whose Zxid is the last one so far. The current state follows:
// SessionCreated of every open session, and ConnOpened, or ConnClosed if it has no connection; ZnodeCreated of root
// and every znode below it; WatchSet of every watch on those. Sessions are the log's clients, numbered from 1 in the
// order of their arrival. ClientStarted introduces each, with its address as Text. Then follow, each with its cause:
//
//	of the clients  conn.opened conn.closed op.sent op.done watch.delivered
//	of the server   session.* txn.applied znode.* watch.set watch.fired watch.removed, and pings as msg.*
//
// A client that closes its session exits.
//
// A request counts as sent when the server has read it, and as done when the server has a reply to write. The server
// cannot know how long messages travel.
//
// Unless begun is nil, it is called before the log's first event. Its argument adds an event about a client to the
// log, under the log's number of that client, and returns the event's number.
func (s *Server) Observe(
	ctx context.Context, root string, sink event.Sink, most int, begun func(say func(event.Event) event.Seq),
) error {
	return observe(ctx, s, root, sink, most, begun)
}

// Observe does what Server.Observe does, for all servers. It also reports their messages and what is on their disks.
// The log begins with the state of each server: whether it runs, its epochs, its log, and what it is busy with.
func (e *Ensemble) Observe(
	ctx context.Context, root string, sink event.Sink, most int, begun func(say func(event.Event) event.Seq),
) error {
	return observe(ctx, e, root, sink, most, begun)
}

// source is what can be observed: a single server or an ensemble.
type source interface {
	common() *shared
	over() bool
	// listen sends events to emit; nil stops that.
	listen(emit func(event.Event) event.Seq) error
	// tree returns the znodes and sessions, while somebody listens.
	tree() *server.Server
	servers() []*Server
	// presentServers reports the state of an ensemble.
	presentServers(o *observation)
}

func (s *Server) common() *shared             { return s.shared }
func (s *Server) over() bool                  { return s.closed }
func (s *Server) tree() *server.Server        { return s.core }
func (s *Server) servers() []*Server          { return []*Server{s} }
func (s *Server) presentServers(*observation) {}
func (s *Server) listen(emit func(event.Event) event.Seq) error {
	s.core.Log(emit)
	return nil
}

func observe(
	ctx context.Context, of source, root string, sink event.Sink, most int,
	begun func(say func(event.Event) event.Seq),
) error {
	if err := znode.CheckRoot(root); err != nil {
		return fmt.Errorf("observe %q: %w", root, err)
	}
	o, err := beginObservation(of, root, most)
	if err != nil {
		return fmt.Errorf("observe %s: %w", root, err)
	}
	defer o.quit()
	if begun != nil {
		begun(o.Say)
	}
	return fmt.Errorf("observe %s: %w", root, o.Follow(ctx, sink))
}

// observation is one observation of a source.
type observation struct {
	*window.Observation
	of source
}

// beginObservation begins an observation with the current state.
func beginObservation(of source, root string, most int) (*observation, error) {
	h := of.common()
	h.mu.Lock()
	defer h.mu.Unlock()
	if of.over() {
		return nil, net.ErrClosed
	}
	if err := h.observations.begin(of); err != nil {
		return nil, err
	}
	log := window.NewLog(root, most, h.since(), time.Now(), of.tree().Zxid())
	o := &observation{window.NewObservation(log, &h.mu, h.since), of}
	of.presentServers(o)
	o.present(root)
	h.observations.active = append(h.observations.active, o)
	return o, nil
}

func (o *observation) quit() {
	h := o.of.common()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.observations.remove(o)
}

// nextActor returns the log number of a new client. A server of an ensemble never lags by a whole round of numbers.
func nextActor(of source) event.Actor {
	h := of.common()
	return h.visitors.Next(func(keep func(event.Actor)) {
		for _, o := range h.observations.active {
			o.Renew()
		}
		for _, s := range of.servers() {
			for x := range s.core.EachSession() {
				keep(x.Actor)
			}
			for c := range s.conns.all {
				keep(c.core.Actor())
			}
		}
	})
}

// addressOf returns the address of a client.
func (o *observation) addressOf(a event.Actor) string {
	for _, s := range o.of.servers() {
		for c := range s.conns.all {
			if c.core.Actor() == a {
				return c.remote
			}
		}
	}
	return ""
}

// present reports the current state.
func (o *observation) present(root string) {
	linked := make(map[int64]*conn)
	for _, s := range o.of.servers() {
		for c := range s.conns.all {
			if !c.core.Closed() {
				linked[c.core.Session()] = c
			}
		}
	}
	owners := make(map[int64]event.Actor)
	o.Who = o.addressOf
	for _, x := range o.of.tree().Sessions() {
		owners[x.ID] = x.Actor
		c := linked[x.ID]
		o.Take(0, event.Event{Kind: event.SessionCreated, Peer: x.Actor, Session: x.ID, N: int64(x.Timeout)})
		if c == nil {
			o.Take(0, event.Event{Kind: event.ConnClosed, Actor: x.Actor, Reason: event.ConnLostBefore})
			continue
		}
		o.Take(0, event.Event{Kind: event.ConnOpened, Actor: x.Actor, Peer: c.s.actor(), Session: x.ID,
			N: int64(c.core.Timeout())})
	}
	left := min(MaxObservedNodes, o.Room()/4)
	o.presentNode(root, owners, &left)
	o.presentWatches()
}

// presentWatches reports the watches below the root, as many as fit, by path, data watches before child watches.
func (o *observation) presentWatches() {
	var list []server.WatchInfo
	most := min(MaxObservedWatches, o.Room()/4)
	for _, s := range o.of.servers() {
		for _, in := range []znode.Tables{znode.DataTable, znode.ChildTable} {
			for w := range s.core.EachWatch(in) {
				if !o.Below(w.Path) || in == znode.ChildTable && w.Kind != event.ChildWatch { // it is in both
					continue
				}
				if len(list) == most {
					o.Note(event.LeftWatches)
					break
				}
				list = append(list, w)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b server.WatchInfo) int { return strings.Compare(a.Path, b.Path) })
	for _, w := range list {
		o.Take(0, event.Event{Kind: event.WatchSet, Peer: w.Actor, Path: w.Path, Watch: w.Kind})
	}
}

// presentNode reports a znode and its descendants, at most left of them.
func (o *observation) presentNode(at string, owners map[int64]event.Actor, left *int) {
	tree := o.of.tree().Tree()
	stat, ok := tree.Stat(at)
	if !ok {
		return
	}
	if *left == 0 {
		o.Note(event.LeftLater)
		return
	}
	*left--
	data, _ := tree.Data(at)
	mode, _ := tree.Mode(at)
	o.Take(0, event.Event{
		Kind: event.ZnodeCreated, Path: at, Zxid: stat.Czxid, Session: stat.EphemeralOwner, Peer: owners[stat.EphemeralOwner],
		Mode: uint8(mode), Text: event.Preview(data), N: int64(len(data)),
	})
	children, _ := tree.Children(at)
	for _, name := range children {
		o.presentNode(path.Join(at, name), owners, left)
	}
}
