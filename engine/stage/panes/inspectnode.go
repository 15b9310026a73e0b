package panes

import (
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// ParseNode parses the ID of a node of another system, and the path selected there: "node-1 /lock" gives 1 and /lock.
// The path is "" for the node as a whole.
func ParseNode(id string) (n int, path string, ok bool) {
	name, path, _ := strings.Cut(id, " ")
	a, ok := event.ParseActor(name)
	return a.Number(), path, ok && a.Kind() == event.ANode
}

// inspectRemote describes a node.
func inspectRemote(s *view.State, n int, say Say) Inspected {
	r, self := &s.Remotes.Nodes[n-1], event.Node(n)
	in := Inspected{Title: say("inspect.node", strconv.Itoa(n)), Who: say.who(self), Over: r.Down}
	add := func(key, value string) { in.Facts = append(in.Facts, Fact{Name: say(key), Value: value}) }
	if sys, ok := s.Header.SystemOf(self); ok {
		add("fact.system", say("system."+string(sys.Kind)))
	}
	switch {
	case r.Down:
		add("fact.state", say("node.down"))
	case r.Replica:
		add("fact.state", say("node.replica.of", r.Primary.String()))
		if p := s.Remotes.Get(r.Primary); p != nil {
			add("fact.behind", strconv.Itoa(max(0, p.Sent-r.Replayed)))
		}
	default:
		add("fact.state", say("node.primary"))
	}
	if r.Ahead != 0 {
		add("fact.clock", clockSet(r.Ahead, say))
	}
	entries := 0
	for i := range s.Remotes.Entries {
		if x := &s.Remotes.Entries[i]; x.Node == self && !x.Gone {
			entries++
		}
	}
	add("fact.entries", sentence.Grouped(entries))
	if line := waiting(s, self, ""); line != "" {
		add("fact.kept", line)
	}
	return in
}

// waiting lists the clients whose requests wait at a node, for a path or, if it is "", for any, in order.
func waiting(s *view.State, node event.Actor, path string) string {
	var letters []string
	for i := range s.Remotes.Kept {
		if k := &s.Remotes.Kept[i]; k.Node == node && !k.Over && (path == "" || k.Path == path) {
			letters = append(letters, k.Client.Letter())
		}
	}
	return strings.Join(letters, " ")
}

// inspectEntry describes a key or a row at a node.
func inspectEntry(s *view.State, n int, path string, at time.Duration, say Say) Inspected {
	in := Inspected{Title: Short(path)}
	add := func(key, value string) { in.Facts = append(in.Facts, Fact{Name: say(key), Value: value}) }
	add("fact.key", clean(path))
	add("fact.at", event.Node(n).String())
	for i := range s.Remotes.Locks {
		if l := &s.Remotes.Locks[i]; l.Node == event.Node(n) && l.Path == path && !l.Over {
			add("fact.locked", l.Client.Letter())
		}
	}
	if line := waiting(s, event.Node(n), path); line != "" {
		add("fact.kept", line)
	}
	x := s.Remotes.Entry(event.Node(n), path)
	if x == nil {
		add("fact.state", say("inspect.gone"))
		return in
	}
	if x.Gone {
		add("fact.state", say("node.gone", say("reason."+x.Why.String()), seconds(x.GoneAt, 3)))
	}
	if x.Owner != event.ZooKeeper {
		add("fact.written", x.Owner.Letter())
	}
	add("fact.value", clean(lettered(x.Text)))
	switch left := x.Expires - at - s.Remotes.Nodes[n-1].Ahead; {
	case x.Gone:
	case x.Expires == 0:
		add("fact.ends", say("node.endless"))
	default:
		add("fact.ends", say("node.left", seconds(max(0, left), 1)))
	}
	if x.Version != 0 {
		add("fact.revision", strconv.FormatInt(x.Version, 10))
	}
	return in
}

// farFacts returns the facts about a client that uses nodes of other systems.
func farFacts(c *view.Client, at time.Duration, say Say) (facts []Fact) {
	add := func(key, value string) { facts = append(facts, Fact{Name: say(key), Value: value}) }
	switch {
	case c.KeptAt != 0:
		add("fact.waits", say("node.kept", c.KeptAt.String(), Short(c.KeptFor)))
	case c.Asks != "":
		add("fact.waits", clean(lettered(c.Asks)))
	case c.TryAt > at:
		add("fact.waits", say("node.tries", seconds(c.TryAt-at, 1)))
	}
	if c.Answer != "" {
		facts = append(facts, Fact{Name: say("fact.answer"), Value: clean(lettered(c.Answer)), Wrong: c.Failed})
	}
	facts = append(facts, Fact{Name: say("count.polls"), Value: sentence.Grouped(c.Polls), Aside: c.Polls == 0})
	return facts
}
