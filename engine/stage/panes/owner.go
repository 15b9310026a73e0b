package panes

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// In an observed cluster it is known who owns what, since when, in which order, and by the names of znodes what the
// order is for. Only the clients know what they believe.

// inspectOwner describes a client known only as the owner of ephemeral znodes.
func inspectOwner(s *view.State, at time.Duration, a event.Actor, say Say) Inspected {
	c := &s.Clients[a-1]
	in := Inspected{Title: say("inspect.client", a.Letter()), Who: say.who(a), Over: c.Exited || c.Crashed}
	add := func(key, value string) { in.Facts = append(in.Facts, Fact{Name: say(key), Value: value}) }
	switch {
	case c.Session == 0:
		add("fact.session", say("session.none"))
	case c.Ended != view.Alive && s.Header.Host.Traits().Gaps:
		add("fact.session", say("session.unseen", hex(c.Session), seconds(c.EndedAt, 1)))
		return in
	case c.Ended != view.Alive:
		add("fact.session", ended(c, say))
		return in
	case c.Timeout > 0:
		add("fact.session", say("session.silent", hex(c.Session), long(c.Timeout)))
	default:
		add("fact.session", hex(c.Session))
	}
	in.Facts = append(in.Facts, said(c, at, say)...)
	add("fact.believes", say("zoo.believes"))
	owned := 0
	for i := range s.Tree.Nodes {
		n := &s.Tree.Nodes[i]
		if n.Gone || n.Owner == 0 || n.Owner != c.Session {
			continue
		}
		if owned++; owned > maxListed {
			continue
		}
		add("fact.owns", clean(n.Path))
		in.Facts = append(in.Facts, among(s, n, say)...)
		add("fact.created", since(n))
	}
	if owned == 0 && c.Session != 0 {
		in.Facts[0].Value = say("session.idle", hex(c.Session))
	}
	if owned > maxListed {
		add("fact.owns", "+"+sentence.Grouped(owned-maxListed))
	}
	return in
}

// among describes a znode among its siblings: what they are taken for, its place, and its predecessor.
func among(s *view.State, n *view.Node, say Say) (facts []Fact) {
	k := s.Kin(n.Path)
	if n.Gone || k.Part == view.Apart {
		return nil
	}
	add := func(key, value string) { facts = append(facts, Fact{Name: say(key), Value: value}) }
	if k.Use != "" {
		add("fact.use", say.use(k.Use, k.Whose, false))
	}
	add("fact.place", standing(&k, say))
	if before := s.Tree.Node(k.After); before != nil {
		name := Short(before.Path)
		if before.Owner != 0 {
			name = say("after.owned", name, owner(s, before, say))
		}
		add("fact.after", name)
		facts = append(facts, ahead(s, n, before, say)...)
	}
	return facts
}

// ahead says whether the owner of a znode watches its predecessor, if servers report watches.
func ahead(s *view.State, n, before *view.Node, say Say) []Fact {
	for i := range s.Clients {
		if c := &s.Clients[i]; c.Session != n.Owner || n.Owner == 0 {
			continue
		}
		by := before.Path
		switch s.WatchesAhead(event.Actor(i+1), n, by) {
		case view.WatchFirst:
			by = s.Siblings(parentOf(n.Path)).Places[0].Path
			fallthrough
		case view.WatchThere:
			return []Fact{{Name: say("fact.woken.by"), Value: say("woken.by", Short(by), seconds(s.Watches.Asked, 1))}}
		case view.WatchLacks:
			none := say("woken.by.none", Short(before.Path), seconds(s.Watches.Asked, 1))
			return []Fact{{Name: say("fact.woken.by"), Value: none, Wrong: true}}
		}
	}
	return nil
}

// said returns what servers report about a session.
func said(c *view.Client, at time.Duration, say Say) (facts []Fact) {
	add := func(key, value string) { facts = append(facts, Fact{Name: say(key), Value: value}) }
	if c.Address != "" {
		add("fact.from", clean(c.Address))
	}
	if c.Where != "" {
		add("fact.server", clean(c.Where))
	} else if c.Address != "" {
		add("fact.server", say("server.none"))
	}
	if expires, ok := c.Expires(); ok {
		facts = append(facts, Fact{Name: say("fact.heard-from"), Wrong: true,
			Value: say("heard.not", seconds(at-c.Heard, 1), long(c.Timeout))})
		add("fact.expires", say("expires.in", seconds(max(expires-at, 0), 1)))
	} else if c.Address != "" {
		add("fact.heard-from", say("heard.lately", seconds(c.Timeout/2, 1)))
	}
	return facts
}

// use says what znodes are taken for, and by whose names.
func (say Say) use(use naming.Use, whose string, single bool) string {
	word := say("use." + naming.Word(use, whose, single))
	if whose == "" {
		return word
	}
	return say("use", word, clean(whose))
}

// standing says a znode's place among its siblings.
func standing(k *view.Kin, say Say) string {
	n, all := sentence.Grouped(k.Nth+1), sentence.Grouped(k.All)
	switch k.Part {
	case view.Inside:
		switch {
		case k.Use == naming.Semaphore:
			return say("place.permit", sentence.Grouped(k.Inside))
		case k.Inside > 1:
			return say("place.inside.with", sentence.Grouped(k.Inside-1))
		}
		return say("truth.inside")
	case view.Leads:
		return say("place.leads")
	case view.Item:
		return say("place.item", n, all)
	case view.Member:
		return say("place.member", all)
	case view.Unsure:
		return say("place.unsure", say("doubt."+string(k.Doubt)))
	case view.Waits:
		return say("truth.waiting", sentence.Grouped(k.Nth))
	case view.First:
		if k.Use != "" {
			return say("truth.next")
		}
	}
	return say("place.numbered", n, all)
}

// since returns when a znode was created, by ZooKeeper's clock or else by the log's.
func since(n *view.Node) string {
	if n.Made != 0 {
		return clock(n.Made)
	}
	return seconds(n.Created+n.Ahead, 3) + " s"
}

// clock writes a time of ZooKeeper's clock.
func clock(ms int64) string {
	return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05") + " UTC"
}
