package check

import (
	"github.com/zkviz/zkviz/engine/event"
)

// tenure is what clients have at the nodes of systems that are not ZooKeeper, by the account of these: entries
// that they have written, and locks.
type tenure struct {
	header   event.Header
	replicas map[event.Actor]bool
	entries  map[spot]grant
	locks    map[tenant]event.Seq // when they were taken
	change   change
	turns    int // times that a node took another role
}

// mostTurns bounds how often all who are inside are looked at again: no run has so many failovers.
const mostTurns = 1000

// change is what the last event of a node has taken from somebody, if it has.
type change struct {
	lost bool
	path string
	all  bool // perhaps by any path
}

// spot is a path at a node.
type spot struct {
	node event.Actor
	path string
}

// tenant is a client at a spot.
type tenant struct {
	spot
	client event.Actor
}

// grant is whose an entry is, and since when.
type grant struct {
	to event.Actor
	at event.Seq
}

// newTenure is nil for a log in which there is no such node.
func newTenure(h event.Header) *tenure {
	if event.NodesOf(h.Systems) == 0 {
		return nil
	}
	t := &tenure{header: h, replicas: make(map[event.Actor]bool), entries: make(map[spot]grant),
		locks: make(map[tenant]event.Seq)}
	n := 0
	for _, s := range h.Systems {
		if s.Kind == event.ZooKeeperSystem {
			continue
		}
		for i := range s.Servers {
			n++
			if n > event.MaxNodes {
				return t
			}
			t.replicas[event.Node(n)] = i > 0 && !s.Apart
		}
	}
	return t
}

// append takes an event of a node.
func (t *tenure) append(e event.Event) {
	at := spot{e.Actor, e.Path}
	t.change = change{path: e.Path}
	switch e.Kind {
	case event.EntrySet:
		was, there := t.entries[at]
		if !there || was.to != e.Peer {
			t.entries[at] = grant{e.Peer, e.Seq}
		}
		t.change.lost = there && was.to != e.Peer
	case event.EntryGone:
		delete(t.entries, at)
		t.change.lost = true
	case event.LockTaken:
		t.locks[tenant{at, e.Peer}] = e.Seq
	case event.LockFreed:
		delete(t.locks, tenant{at, e.Peer})
		t.change.lost = true
	case event.RolePlayed:
		if t.turns++; t.turns > mostTurns {
			return
		}
		t.replicas[e.Actor] = e.Text == event.RoleReplica
		t.change.lost, t.change.all = true, true
	}
}

// decides reports whether it is for a node to say whether the path is the client's, and not for ZooKeeper.
func (t *tenure) decides(who event.Actor, path string) bool {
	return !t.header.HasZooKeeper() || t.granted(who, path) > 0
}

// has reports whether a path is a client's, by a lock or by an entry.
func (t *tenure) has(who event.Actor, path string, lock bool) bool {
	return t.header.Granted(func(node event.Actor) (primary, has bool) {
		if lock {
			_, has = t.locks[tenant{spot{node, path}, who}]
		} else {
			g, there := t.entries[spot{node, path}]
			has = there && g.to == who
		}
		return !t.replicas[node], has
	})
}

// granted is when the path became the client's, by the account of any node; 0 if it is not.
func (t *tenure) granted(who event.Actor, path string) (at event.Seq) {
	t.header.Granted(func(node event.Actor) (primary, has bool) {
		if seq, locked := t.locks[tenant{spot{node, path}, who}]; locked {
			at = max(at, seq)
		}
		if g := t.entries[spot{node, path}]; g.to == who {
			at = max(at, g.at)
		}
		return true, false
	})
	return at
}

// left is what is still there of clients, by the account of primaries, and whose it is, but for what may stay.
func (t *tenure) left(mayStay func(path string) bool) (paths []string, whose []event.Actor) {
	seen := make(map[string]bool)
	add := func(at spot, who event.Actor) {
		if who != event.ZooKeeper && !t.replicas[at.node] && !mayStay(at.path) && !seen[at.path] {
			seen[at.path] = true
			paths, whose = append(paths, at.path), append(whose, who)
		}
	}
	for at, g := range t.entries {
		add(at, g.to)
	}
	for at := range t.locks {
		add(at.spot, at.client)
	}
	return paths, whose
}
