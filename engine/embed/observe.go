package embed

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/server"
	"github.com/zkviz/zkviz/engine/znode"
)

// Limits of an observation. Reaching one is a RecipeNote of ZooKeeper's, or for the number of events the end
// of the log.
const (
	MaxObservedEvents  = 100_000 // in one log, unless asked for less
	minObservedEvents  = 100
	MaxObservedNodes   = 2000 // that are there at the start
	MaxObservedWatches = 2000 // likewise
	MaxObservedClients = 1000 // sessions in one log
	MaxObservedPath    = 1024 // bytes: what is about longer paths is left out
)

// Observe reports to sink what happens at the znode root and below it, until ctx ends, the server is closed,
// or the log has that many events (0: MaxObservedEvents); then it returns event.ErrLogFull. It writes nothing into the
// tree, costs the clients next to nothing, and any number of observations may go on at once.
//
// The log begins with RunStarted, whose Path is root and whose Zxid the last one so far, and with what is there:
// SessionCreated of every session that is open, and ConnOpened, or ConnClosed if it has no connection; ZnodeCreated of
// root and every znode below it; WatchSet of every watch on those. Sessions are the log's clients, numbered from 1 in
// the order of their coming; ClientStarted, whose Text is the address that it came from, introduces each. Then follow,
// each with its cause:
//
//	of the clients  conn.opened conn.closed op.sent op.done watch.delivered
//	of the server   session.* txn.applied znode.* watch.set watch.fired watch.removed, and pings as msg.*
//
// A client that closes its session exits.
//
// A request is sent when the server has read it, and done when the server has a reply to write: how
// long messages travel, nobody here can know.
func (s *Server) Observe(ctx context.Context, root string, sink event.Sink, most int) error {
	if err := validRoot(root); err != nil {
		return fmt.Errorf("observe %q: %w", root, err)
	}
	o := newObservation(root, most)
	if err := s.join(o); err != nil {
		return fmt.Errorf("observe %s: %w", root, err)
	}
	defer s.quit(o)
	var why error
	for why == nil {
		select {
		case <-ctx.Done():
			why = context.Cause(ctx)
		case <-o.bell:
		}
		s.mu.Lock()
		events, full, over := o.events, o.full, o.over
		o.events = nil
		s.mu.Unlock()
		for _, e := range events {
			sink.Append(e)
		}
		switch {
		case why != nil:
		case full:
			why = event.ErrLogFull
		case over:
			why = net.ErrClosed
		}
	}
	sink.Append(s.epilogue(o, why))
	return fmt.Errorf("observe %s: %w", root, why)
}

func validRoot(p string) error {
	switch {
	case len(p) == 0 || p[0] != '/':
		return errors.New("a path starts with /")
	case path.Clean(p) != p:
		return fmt.Errorf("write it as %s", path.Clean(p))
	case len(p) > MaxObservedPath:
		return fmt.Errorf("it is longer than %d bytes", MaxObservedPath)
	}
	return nil
}

// join begins an observation with what is there.
func (s *Server) join(o *observation) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return net.ErrClosed
	}
	o.now, o.who = s.since, s.introduce
	o.from = s.since()
	o.append(event.Event{Kind: event.RunStarted, Path: o.root, Zxid: s.core.Zxid()})
	s.present(o)
	s.tap.add(o, s.core)
	return nil
}

func (s *Server) quit(o *observation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tap.remove(o, s.core)
}

// epilogue is the last event of an observation.
func (s *Server) epilogue(o *observation, why error) event.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	reason := event.EndCancelled
	if errors.Is(why, event.ErrLogFull) {
		reason = event.EndEvents
	}
	return event.Event{Kind: event.RunEnded, Reason: reason, Seq: o.seq + 1, At: s.since() - o.from}
}

// introduce says where the client comes from that is being greeted.
func (s *Server) introduce() string {
	if s.current == nil {
		return ""
	}
	return s.current.remote
}

// present reports what is there.
func (s *Server) present(o *observation) {
	linked := make(map[int64]*conn, len(s.conns))
	for c := range s.conns {
		if !c.core.Closed() {
			linked[c.core.Session()] = c
		}
	}
	for _, x := range s.core.Sessions() {
		c := linked[x.ID]
		o.who = func() string {
			if c == nil {
				return ""
			}
			return c.remote
		}
		o.take(0, event.Event{Kind: event.SessionCreated, Peer: x.Actor, Session: x.ID, N: int64(x.Timeout)})
		if c == nil {
			o.take(0, event.Event{Kind: event.ConnClosed, Actor: x.Actor, Reason: event.ConnLostBefore})
			continue
		}
		o.take(0, event.Event{Kind: event.ConnOpened, Actor: x.Actor, Session: x.ID, N: int64(c.core.Timeout())})
	}
	o.who = s.introduce
	owners := make(map[int64]event.Actor)
	for _, x := range s.core.Sessions() {
		owners[x.ID] = x.Actor
	}
	left := min(MaxObservedNodes, int(o.most)/4)
	s.presentNode(o, o.root, owners, &left)
	s.presentWatches(o)
}

// presentWatches reports as many of the watches below the root as there is room for, by path, data before children.
func (s *Server) presentWatches(o *observation) {
	var list []server.WatchInfo
	most := min(MaxObservedWatches, int(o.most)/4)
	for _, in := range []znode.Tables{znode.DataTable, znode.ChildTable} {
		for w := range s.core.EachWatch(in) {
			if !o.below(w.Path) || in == znode.ChildTable && w.Kind != event.ChildWatch { // a persistent one is in both
				continue
			}
			if len(list) == most {
				o.note("there are more watches; the others are left out")
				break
			}
			list = append(list, w)
		}
	}
	slices.SortStableFunc(list, func(a, b server.WatchInfo) int { return strings.Compare(a.Path, b.Path) })
	for _, w := range list {
		o.take(0, event.Event{Kind: event.WatchSet, Peer: w.Actor, Path: w.Path, Watch: w.Kind})
	}
}

// presentNode reports a znode and those below it, as many as are left.
func (s *Server) presentNode(o *observation, at string, owners map[int64]event.Actor, left *int) {
	tree := s.core.Tree()
	stat, ok := tree.Stat(at)
	if !ok {
		return
	}
	if *left == 0 {
		o.note("there are more znodes; the others are left out until they change")
		return
	}
	*left--
	data, _ := tree.Data(at)
	mode, _ := tree.Mode(at)
	o.take(0, event.Event{
		Kind: event.ZnodeCreated, Path: at, Zxid: stat.Czxid, Session: stat.EphemeralOwner, Peer: owners[stat.EphemeralOwner],
		Mode: uint8(mode), Text: event.Preview(data), N: int64(len(data)),
	})
	children, _ := tree.Children(at)
	for _, name := range children {
		s.presentNode(o, strings.TrimSuffix(at, "/")+"/"+name, owners, left)
	}
}
