package panes

import (
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/sentence"
	"github.com/zkviz/zkviz/engine/view"
	"github.com/zkviz/zkviz/engine/zoo"
)

// Entry is something in the picture, in words. ID is what selects it, empty if nothing does.
type Entry struct{ ID, Text string }

// The longest lists of clients and of znodes; what is beyond them is counted.
const (
	maxClients = 30
	maxNodes   = 40
)

// Describe says what the picture shows at a time: a sentence for each client, then for each znode.
func Describe(s *view.State, at time.Duration, say Say) []Entry {
	var all []Entry
	if s.Lost {
		all = append(all, Entry{Text: say("told.lost")})
	}
	watched := watchedBy(s)
	for i := range s.Clients {
		if i == maxClients {
			all = append(all, Entry{Text: say("told.more-clients", sentence.Grouped(len(s.Clients)-i))})
			break
		}
		a := event.Actor(i + 1)
		all = append(all, Entry{s.Clients[i].Name, say("told", a.Letter(), join(tellClient(s, a, at, watched[a], say), say))})
	}
	s.Order()
	told, more := 0, 0
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Gone {
			continue
		}
		if told++; told > maxNodes {
			more++
			continue
		}
		all = append(all, Entry{n.Path, say("told", Short(n.Path), join(tellNode(s, n, say), say))})
	}
	if more > 0 {
		all = append(all, Entry{Text: say("told.more-nodes", sentence.Grouped(more))})
	}
	return all
}

// watchedBy are the znodes that each client watches, by their short names, each once.
func watchedBy(s *view.State) map[event.Actor][]string {
	watched, seen := map[event.Actor][]string{}, map[string]bool{}
	for i := range s.Watches {
		w := &s.Watches[i]
		key := strconv.Itoa(int(w.Client)) + w.Path
		if w.Over || seen[key] || len(watched[w.Client]) == maxListed {
			continue
		}
		seen[key] = true
		watched[w.Client] = append(watched[w.Client], Short(w.Path))
	}
	return watched
}

// tellClient is what there is to say of a client, the most important first.
func tellClient(s *view.State, a event.Actor, at time.Duration, watches []string, say Say) (parts []string) {
	c := &s.Clients[a-1]
	judged := s.Header.Host.Traits().Visitors || reports(s)
	if judged {
		parts = append(parts, truth(s, c, at, say))
	}
	switch p := c.Belief.Phase; {
	case c.Crashed || c.Exited:
	case p.Inside() && !c.Inside:
		parts = append(parts, say("told.deluded", believes(c, say)))
	case p != "" && p != zoo.Waiting && !c.Inside && judged:
		parts = append(parts, believes(c, say))
	}
	if c.Cut && c.Ended == view.Alive && !c.Exited && !c.Crashed {
		parts = append(parts, say("scene.cut-off"))
	}
	if left := c.Heard + c.Timeout - at; c.Session != 0 && c.Ended == view.Alive && c.Timeout > 0 && !c.Exited {
		parts = append(parts, say("told.session", seconds(max(0, left), 0)))
	}
	if c.Op != event.NoOp {
		parts = append(parts, say("told.asks", asked(c.Op, c.OpPath, say)))
	}
	if len(watches) > 0 {
		parts = append(parts, say("told.watches", strings.Join(watches, ", ")))
	}
	if c.Note != "" {
		parts = append(parts, say("told.said", clean(c.Note)))
	}
	return parts
}

// tellNode is what there is to say of a znode.
func tellNode(s *view.State, n *view.Node, say Say) []string {
	parts := []string{say("kind." + event.ModeName(uint8(n.Mode)))}
	if n.Owner != 0 {
		for i := range s.Clients {
			if s.Clients[i].Session == n.Owner {
				parts = append(parts, say("told.of", event.Actor(i+1).Letter()))
			}
		}
	}
	if n.Data != "" {
		parts = append(parts, say("told.data", clean(n.Data)))
	}
	if n.Version > 0 && !s.Header.Host.Traits().Gaps {
		parts = append(parts, say("told.version", strconv.Itoa(int(n.Version))))
	}
	if w := watchers(s, n.Path); w != "" {
		parts = append(parts, say("told.watched", w))
	}
	return parts
}

func join(parts []string, say Say) string { return strings.Join(parts, say("told.join")) }
