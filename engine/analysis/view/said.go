package view

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// applySaid folds what servers answered about a session or about watches when they were asked.
func (s *State) applySaid(e event.Event) {
	if e.Kind == event.WatchesAsked {
		s.Watches.Asked, s.Watches.AskedPart = e.At, e.Code != 0
		s.Tree.rethink()
		return
	}
	c := s.Clients.ensure(e.Peer)
	if c == nil || c.Session != e.Session || c.Ended != Alive {
		return
	}
	switch e.Kind {
	case event.SessionLocated:
		client, server := event.Place(e.Text)
		if c.Where = server; client != "" {
			c.Address = client
		}
		if e.N > 0 {
			c.Timeout = time.Duration(e.N)
		}
	case event.SessionSilent, event.SessionHeard:
		c.Silent, c.Heard = e.Kind == event.SessionSilent, e.At-time.Duration(max(e.N, 0))
		s.overdue(c, c.Silent && e.Reason == event.BySessionExpired)
	}
}

// overdue records whether a client's session may have expired without anybody reporting it.
func (s *State) overdue(c *Client, is bool) {
	if is == c.Overdue {
		return
	}
	for _, nodes := range [2][]Node{s.Tree.Nodes, s.Tree.strays.nodes} {
		for i := range nodes {
			if n := &nodes[i]; n.Owner == c.Session && !n.Gone {
				k := s.Kin(n.Path)
				n.Held = is && (k.Part == Inside || k.Part == Leads || k.Part == Member)
			}
		}
	}
	c.Overdue = is
	clear(s.Tree.families)
}

// whySaid quotes what servers said, since nothing in the log caused it.
func whySaid(e event.Event) sentence.Sentence {
	client, server := event.Place(e.Text)
	who := sentence.Client(e.Peer)
	switch {
	case e.Kind == event.SessionSilent && e.Reason == event.BySessionExpired:
		return because("session.overdue", who, sentence.Span(time.Duration(e.N)))
	case e.Kind == event.SessionSilent:
		return because("session.quiet", who, sentence.Span(time.Duration(e.N)))
	case e.Kind == event.SessionHeard:
		return because("session.heard", who)
	case e.Kind == event.WatchesAsked && e.Code != 0:
		return because("watches.part")
	case e.Kind == event.WatchesAsked:
		return because("watches")
	case client == "":
		return because("session.nowhere", who)
	case server == "":
		return because("session.parted", who, sentence.Text(client))
	}
	return because("session.located", who, sentence.Text(client), sentence.Text(server))
}

// ofTree reports whether an observer's omission concerns the tree. Such omissions are all repeated whenever they
// change.
func ofTree(r event.Reason) bool {
	return r != event.LeftMissed && r != event.LeftWords && r != event.LeftUnasked &&
		amongServers(event.Event{Reason: r}).Key == ""
}

// Expires returns when a client's session expires unless servers hear from it. For a silent session the time may be
// up to one server tick too early. It returns false if that isn't known.
func (c *Client) Expires() (time.Duration, bool) {
	return c.Heard + c.Timeout, c.Silent && c.Timeout > 0 && c.Ended == Alive
}

// Watched tells whether the owner of a znode watches the one that it comes after.
type Watched uint8

const (
	WatchUnknown Watched = iota // nobody has said so since the last change there
	WatchThere                  // as servers said when asked
	WatchFirst                  // not that one, but the first in line: perhaps part of a herd
	WatchList                   // the list of children: part of a herd
	WatchLacks                  // no znode ahead, as servers said; it may watch the list, which servers don't report
)

// WatchesAhead returns whether a client watches the znode that its own comes after by its Kin.
func (s *State) WatchesAhead(who event.Actor, n *Node, after string) Watched {
	ahead, c := s.Tree.Node(after), s.Clients.Get(who)
	asked := s.Watches.Asked
	if asked == 0 || c == nil || ahead == nil || ahead.Gone || n.Gone || n.Created > asked || ahead.Created > asked {
		return WatchUnknown
	}
	if s.Watches.armed(c, event.Event{Path: after, Peer: who}) > 0 {
		return WatchThere
	}
	line := s.Siblings(parent(n.Path)).Places
	if len(line) > 0 && s.Watches.armed(c, event.Event{Path: line[0].Path, Peer: who}) > 0 {
		return WatchFirst
	}
	up := s.Tree.Node(parent(n.Path))
	if s.Watches.AskedPart || up == nil || up.ChildGone >= asked || ahead.Changed >= asked {
		return WatchUnknown
	}
	return WatchLacks
}
