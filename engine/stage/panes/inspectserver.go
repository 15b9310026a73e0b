package panes

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// ParseServer parses the ID of a server: "server-3" gives 3.
func ParseServer(id string) (int, bool) {
	digits, ok := strings.CutPrefix(id, "server-")
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n > 0
}

// inspectServer describes a server of an ensemble.
func inspectServer(s *view.State, n int, at time.Duration, say Say) Inspected {
	v, self := &s.Ensemble.Servers[n-1], event.Server(n)
	in := Inspected{Title: say("inspect.server", strconv.Itoa(n)), Who: say.who(self), Over: !v.Up}
	add := func(key, value string) { in.Facts = append(in.Facts, Fact{Name: say(key), Value: value}) }
	if address := s.Header.Address(n); address != "" {
		add("fact.address", clean(address))
	}
	add("fact.state", serverDoes(v, n, say))
	if v.Ahead != 0 {
		add("fact.clock", clockSet(v.Ahead, say))
	}
	switch {
	case v.Up && v.Phase == event.Electing && v.Ballot.Vote.For != 0:
		add("fact.vote", say.who(v.Ballot.Vote.For).Label)
		in.Table = votes(s, n, say)
	case v.Leader != 0 && v.Leader != self:
		add("fact.follows", say.who(v.Leader).Label)
	}
	if !v.Outside {
		add("fact.current", strconv.Itoa(int(v.Current)))
		if v.Accepted != v.Current {
			add("fact.accepted", strconv.Itoa(int(v.Accepted)))
		}
		if y := &v.Sync; v.Up && y.Leader != 0 {
			add("fact.sync", caught(y, say))
		}
		add("fact.logged", hex(v.Logged))
		add("fact.synced", hex(v.Synced))
	}
	if !v.Outside || v.Delivered != 0 {
		add("fact.delivered", hex(v.Delivered))
	}
	var clients []string
	for i := range s.Clients {
		if s.Clients[i].Server == self {
			clients = append(clients, event.Actor(i+1).Letter())
		}
	}
	if len(clients) > 0 {
		add("fact.clients", strings.Join(clients, " "))
		if !v.Outside { // other clients' watches are unknown
			add("fact.watches", strconv.Itoa(watchesAt(s, self)))
		}
	}
	for i := range s.Ensemble.Servers {
		if clock, runs := s.Ensemble.Silence(&s.Header, n, i+1, at); runs && clock.Matters() && !s.Ended {
			add("fact.silent", say("silent.value", say.who(event.Server(i+1)).Label, seconds(clock.Left, 1)))
		}
	}
	if cost, any := s.Ensemble.Costs.Last(); any && cost.At == self {
		add("fact.cost", costOf(cost, say))
	}
	for _, system := range s.Header.Systems {
		for _, flaw := range system.Flaws {
			add("fact.flaw", say("flaw."+flaw))
		}
	}
	return in
}

// watchesAt counts the watches of the clients connected to a server, which keeps them.
func watchesAt(s *view.State, self event.Actor) (n int) {
	for i := range s.Watches.List {
		if w := &s.Watches.List[i]; !w.Over && s.Clients[w.Client-1].Server == self {
			n++
		}
	}
	return n
}

// atServer returns what an ensemble knows about a client: what the client has seen, where the leader believes it is,
// and what its last write or sync cost.
func atServer(s *view.State, a event.Actor, say Say) (all []Fact) {
	if !s.Ensemble.Known() {
		return nil
	}
	c := &s.Clients[a-1]
	owner := say("fact.none")
	if at := s.Ensemble.Owner(c); at != event.ZooKeeper {
		owner = say.who(at).Label
	}
	all = append(all, Fact{Name: say("fact.leader-has"), Value: owner, Aside: s.Ensemble.Owner(c) == c.Server},
		Fact{Name: say("fact.seen"), Value: hex(c.Seen), Aside: c.SentAway == event.ZooKeeper})
	if cost, any := s.Ensemble.Costs.Of(a); any {
		all = append(all, Fact{Name: say("fact.cost"), Value: costOf(cost, say)})
	}
	return all
}

// costOf says how many messages between servers a write or a sync took.
func costOf(c view.Cost, say Say) string {
	return say("cost.value", asked(c.Op, c.Path, say), sentence.Grouped(c.Messages))
}

// serverDoes says what a server does.
func serverDoes(v *view.Server, n int, say Say) string {
	switch {
	case !v.Up && v.Outside:
		return say("phase.server.unreached")
	case !v.Up:
		return say("phase.server.down")
	case v.Outside && v.Phase == "":
		return say("phase.server.answers")
	case v.Paused:
		return say("phase.server.paused")
	case v.Leads(n):
		return say("phase.server.leads")
	case v.Serves():
		return say("phase.server.follows")
	}
	return say("phase.server." + string(cmp.Or(v.Phase, event.Electing)))
}
