package check

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// tenure is what clients have at the nodes of systems that are not ZooKeeper, by the account of these: entries
// that they have written, and locks.
type tenure struct {
	header   event.Header
	replicas map[event.Actor]bool
	entries  map[spot]grant
	robbed   map[spot]grant                // what somebody else has deleted there last
	ahead    map[event.Actor]time.Duration // by how much a node's clock was set
	locks    map[tenant]event.Seq          // when they were taken
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

// grant is whose an entry is, since when, and until when by the node's clock, 0 for as long as nobody deletes it.
//
// Deleting another's entry does not end what that one has by it, but lets somebody in beside it: so a grant holds on
// for its time when its entry was robbed.
type grant struct {
	to   event.Actor
	at   event.Seq
	ends time.Duration
}

// newTenure is nil for a log in which there is no such node.
func newTenure(h event.Header) *tenure {
	if event.NodesOf(h.Systems) == 0 {
		return nil
	}
	t := &tenure{header: h, replicas: make(map[event.Actor]bool), entries: make(map[spot]grant),
		robbed: make(map[spot]grant), ahead: make(map[event.Actor]time.Duration), locks: make(map[tenant]event.Seq)}
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
		t.change.lost = there && was.to != e.Peer
		if !there || was.to != e.Peer {
			was = grant{to: e.Peer, at: e.Seq}
		}
		was.ends = time.Duration(e.N)
		t.entries[at] = was
		t.forget(at, e)
	case event.EntryExpires:
		if g, there := t.entries[at]; there {
			g.ends = time.Duration(e.N)
			t.entries[at] = g
		}
	case event.EntryGone:
		g := t.entries[at]
		if e.Reason == event.ByOp && isClient(g.to) && isClient(e.Peer) && e.Peer != g.to {
			t.robbed[at] = g
		}
		delete(t.entries, at)
		t.change.lost = true
	case event.ClockJumped:
		t.ahead[e.Actor] += time.Duration(e.N)
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

// forget ends a grant that was robbed when its time is up, or its client has written a new entry.
func (t *tenure) forget(at spot, e event.Event) {
	r, there := t.robbed[at]
	if there && (r.to == e.Peer || r.ends != 0 && e.At+t.ahead[at.node] >= r.ends) {
		delete(t.robbed, at)
		t.change.lost = true
	}
}

func isClient(a event.Actor) bool { return a.Kind() == event.AClient }

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
			at := spot{node, path}
			has = t.entries[at].to == who || t.robbed[at].to == who
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
