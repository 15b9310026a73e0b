package panes

import (
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/sentence"
	"github.com/zkviz/zkviz/engine/view"
)

// What is known of an observed cluster: who owns what, since when, and in which order. What its clients believe,
// and what their recipes make of that order, only they know.

// inspectOwner describes a client that is only known as the owner of ephemeral znodes.
func inspectOwner(s *view.State, a event.Actor, say Say) Inspected {
	c := &s.Clients[a-1]
	in := Inspected{Title: say("inspect.client", a.Letter()), Who: say.who(a), Over: c.Exited || c.Crashed}
	add := func(key, value string) { in.Facts = append(in.Facts, Fact{Name: say(key), Value: value}) }
	switch {
	case c.Session == 0:
		add("fact.session", say("session.none"))
	case c.Ended != view.Alive:
		add("fact.session", say("session.unseen", hex(c.Session), seconds(c.EndedAt, 1)))
		return in
	default:
		add("fact.session", hex(c.Session))
	}
	add("fact.believes", say("zoo.believes"))
	owned := 0
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Gone || n.Owner == 0 || n.Owner != c.Session {
			continue
		}
		if owned++; owned > maxListed {
			continue
		}
		add("fact.owns", clean(n.Path))
		in.Facts = append(in.Facts, inLine(s, n, say)...)
		add("fact.created", since(n))
	}
	if owned > maxListed {
		add("fact.owns", "+"+sentence.Grouped(owned-maxListed))
	}
	return in
}

// inLine says where a numbered znode stands among its siblings, and behind which one.
func inLine(s *view.State, n *view.Node, say Say) []Fact {
	if n.Gone || n.Number < 0 {
		return nil
	}
	facts := []Fact{{Name: say("fact.place"), Value: place(s, n.Path, say)}}
	if before := predecessor(s, n); before != nil {
		name := Short(before.Path)
		if before.Owner != 0 {
			name = say("after.owned", name, owner(s, before, say))
		}
		facts = append(facts, Fact{Name: say("fact.after"), Value: name})
	}
	return facts
}

// predecessor is the sibling with the next smaller number, nil if there is none.
func predecessor(s *view.State, n *view.Node) *view.Node {
	var best *view.Node
	folder := n.Path[:strings.LastIndexByte(n.Path, '/')+1]
	for i := range s.Nodes {
		b := &s.Nodes[i]
		name, below := strings.CutPrefix(b.Path, folder)
		if !below || strings.Contains(name, "/") || b.Gone || b.Number < 0 || b.Number >= n.Number {
			continue
		}
		if best == nil || b.Number > best.Number {
			best = b
		}
	}
	return best
}

// since is when a znode was made: by ZooKeeper's clock, or else by the log's.
func since(n *view.Node) string {
	if n.Made != 0 {
		return clock(n.Made)
	}
	return seconds(n.Created, 3) + " s"
}

// clock writes a time of ZooKeeper's clock.
func clock(ms int64) string {
	return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05") + " UTC"
}
