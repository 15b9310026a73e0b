package panes

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
)

// ParseServer reads the number of a server: 3 of "server-3".
func ParseServer(id string) (int, bool) {
	digits, ok := strings.CutPrefix(id, "server-")
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n > 0
}

// inspectServer describes a server of an ensemble.
func inspectServer(s *view.State, n int, say Say) Inspected {
	v, self := &s.Servers[n-1], event.Server(n)
	in := Inspected{Title: say("inspect.server", strconv.Itoa(n)), Who: say.who(self), Over: !v.Up}
	add := func(key, value string) { in.Facts = append(in.Facts, Fact{Name: say(key), Value: value}) }
	if address := s.Header.Address(n); address != "" {
		add("fact.address", clean(address))
	}
	add("fact.state", serverDoes(v, n, say))
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
	}
	for _, system := range s.Header.Systems {
		for _, flaw := range system.Flaws {
			add("fact.flaw", say("flaw."+flaw))
		}
	}
	return in
}

// serverDoes is what a server does, in words.
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
