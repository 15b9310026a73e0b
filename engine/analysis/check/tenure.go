package check

import (
	"math"
	"slices"
	"sort"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// tenure holds what clients have at the nodes of systems other than ZooKeeper, by the nodes' account: entries that
// they wrote, and locks. For replicated nodes the primary's account counts, for independent nodes the majority's.
type tenure struct {
	zooKeeper bool // is there, too
	systems   []system
	nodes     []node
	owners    map[spot]event.Actor // of the existing entries
	grants    map[tenant][]grant   // one for each node that grants the client the path
	leases    map[transaction]bool // running ones, by their numbers
	change    change
	turns     int   // how often a node changed its role or set its clock
	count     []int // grants by system: zero between two calls
	ends      []time.Duration
}

// mostTurns bounds how often all that are inside are checked again: no run has so many failovers.
const mostTurns = 200

// system is a group of nodes that belong together.
type system struct {
	size    int
	apart   bool
	primary int // its index in tenure.nodes
	// revisions means that each node has one counter for everything it does.
	revisions bool
}

// node is one node of a system.
type node struct {
	system int
	ahead  time.Duration // how far its clock was set forward, minus how far back
}

// change tells what the last event of a node may have taken from somebody, or given.
type change struct {
	of   [2]event.Actor // 0 for nobody
	path string
	all  bool // anybody's, by any path
}

// spot is a path at a node, by the node's index in tenure.nodes.
type spot struct {
	node int
	path string
}

// tenant is a client at a path.
type tenant struct {
	client event.Actor
	path   string
}

// grant is what a client has at a path by the account of a node.
//
// Deleting another's entry doesn't end what its owner has by it, but lets somebody else in too: so a grant whose
// entry was robbed lasts for its time.
type grant struct {
	node   int  // its index in tenure.nodes
	lock   bool // rather than an entry
	robbed bool
	leased bool          // it ends with a lease
	order  int64         // the place of the grant in the node's order
	data   bool          // an entry that its client has locked since: the lock counts
	ends   time.Duration // by the node's clock; 0 if it doesn't expire
}

// newTenure returns nil for a log without such nodes.
func newTenure(h event.Header) *tenure {
	if event.NodesOf(h.Systems) == 0 {
		return nil
	}
	t := &tenure{zooKeeper: h.HasZooKeeper(), owners: make(map[spot]event.Actor),
		grants: make(map[tenant][]grant), leases: make(map[transaction]bool)}
	for _, s := range h.Systems {
		if n := len(t.nodes); s.Kind != event.ZooKeeperSystem && n < event.MaxNodes {
			t.systems = append(t.systems, system{size: s.Servers, apart: s.Apart, primary: n,
				revisions: s.Kind == event.EtcdSystem})
			for range min(s.Servers, event.MaxNodes-n) {
				t.nodes = append(t.nodes, node{system: len(t.systems) - 1})
			}
		}
	}
	t.count = make([]int, len(t.systems))
	return t
}

// append takes an event of a node. It ignores nodes that the header doesn't name.
func (t *tenure) append(e event.Event) {
	t.change = change{path: e.Path}
	n := t.place(e.Actor)
	if n < 0 {
		return
	}
	at := spot{n, e.Path}
	switch e.Kind {
	case event.EntrySet:
		t.set(at, e)
	case event.EntryExpires:
		owner := t.owners[at]
		if c := t.grant(owner, at, false); c != nil {
			c.ends = time.Duration(e.N)
			t.change.of[0] = owner
		}
	case event.EntryGone:
		t.gone(at, e)
	case event.LockTaken:
		t.take(e.Peer, at, grant{lock: true, order: t.order(e)})
	case event.LockFreed:
		t.drop(e.Peer, at, true)
		t.change.of[0] = e.Peer
	case event.LeaseGranted:
		t.leases[transaction{e.Actor, e.Session}] = true
	case event.LeaseEnded:
		delete(t.leases, transaction{e.Actor, e.Session})
	case event.RolePlayed, event.ClockJumped:
		t.turn(n, e)
	}
}

// place returns a node's index in tenure.nodes, -1 if the header doesn't name it.
func (t *tenure) place(a event.Actor) int {
	if a.Kind() != event.ANode || a.Number() > len(t.nodes) {
		return -1
	}
	return a.Number() - 1
}

// counts reports whether a node's account counts: it is a primary, or independent.
func (t *tenure) counts(a event.Actor) bool {
	n := t.place(a)
	return n >= 0 && t.rules(n)
}

func (t *tenure) rules(n int) bool {
	s := &t.systems[t.nodes[n].system]
	return s.apart || s.primary == n
}

// set makes the client the owner of an entry, unless it already is.
func (t *tenure) set(at spot, e event.Event) {
	was := t.owners[at]
	t.owners[at] = e.Peer
	if c := t.grant(e.Peer, at, false); c != nil && was == e.Peer {
		c.ends = time.Duration(e.N)
		t.change.of[0] = e.Peer
		return
	}
	if was != e.Peer {
		t.drop(was, at, false)
		t.change.of[0] = was
	}
	t.take(e.Peer, at, grant{order: t.order(e), ends: time.Duration(e.N),
		leased: t.leases[transaction{e.Actor, e.Session}]})
}

// gone ends an entry, and what its client has by it, unless another client deleted it.
func (t *tenure) gone(at spot, e event.Event) {
	was := t.owners[at]
	delete(t.owners, at)
	c := t.grant(was, at, false)
	if c == nil {
		return
	}
	if e.Reason == event.ByOp && isClient(e.Peer) && e.Peer != was {
		c.robbed = true
		return
	}
	t.drop(was, at, false)
	t.change.of[0] = was
}

// turn takes a node's new role, or a change of its clock.
func (t *tenure) turn(at int, e event.Event) {
	n := &t.nodes[at]
	s, of := &t.systems[n.system], t.place(e.Peer)
	switch {
	case e.Kind == event.ClockJumped:
		n.ahead += time.Duration(e.N)
	case e.Text == event.RolePrimary:
		s.primary = at
	case of >= 0 && t.nodes[of].system == n.system:
		s.primary = of
	}
	t.turns++
	t.change.all = t.turns <= mostTurns
}

func isClient(a event.Actor) bool { return a.Kind() == event.AClient }

// grant returns what a client has at a spot, by a lock or by an entry; nil if it has nothing.
func (t *tenure) grant(who event.Actor, at spot, lock bool) *grant {
	list := t.grants[tenant{who, at.path}]
	for i := range list {
		if list[i].node == at.node && list[i].lock == lock {
			return &list[i]
		}
	}
	return nil
}

// take gives a client a new grant.
func (t *tenure) take(who event.Actor, at spot, c grant) {
	if !isClient(who) {
		return
	}
	c.node, t.change.of[1] = at.node, who
	if e := t.grant(who, at, false); e != nil && c.lock {
		e.data = true
	}
	if old := t.grant(who, at, c.lock); old != nil { // it was robbed of it
		*old = c
		return
	}
	key := tenant{who, at.path}
	t.grants[key] = append(t.grants[key], c)
}

func (t *tenure) drop(who event.Actor, at spot, lock bool) {
	key := tenant{who, at.path}
	list := slices.DeleteFunc(t.grants[key], func(c grant) bool { return c.node == at.node && c.lock == lock })
	if len(list) == 0 {
		delete(t.grants, key)
		return
	}
	t.grants[key] = list
}

// decides reports whether a node, and not ZooKeeper, decides who owns the path.
func (t *tenure) decides(who event.Actor, path string) bool {
	return !t.zooKeeper || len(t.grants[tenant{who, path}]) > 0
}

// never is the end of what doesn't end by itself.
const never = time.Duration(math.MaxInt64)

// until returns until when a client owns a path, by a lock or by an entry, if nobody does anything more; negative
// if it doesn't own it.
func (t *tenure) until(who event.Actor, path string, lock bool) time.Duration {
	list := t.grants[tenant{who, path}]
	last := time.Duration(-1)
	for i := range list {
		c := &list[i]
		of := t.nodes[c.node].system
		switch s := &t.systems[of]; {
		case c.lock != lock || c.data:
		case s.apart:
			t.count[of]++
		case c.node == s.primary:
			last = max(last, t.end(c))
		}
	}
	for i := range list {
		of := t.nodes[list[i].node].system
		if t.count[of] > t.systems[of].size/2 {
			last = max(last, t.most(list, of, lock))
		}
		t.count[of] = 0
	}
	return last
}

// has reports whether a client owns a path now.
func (t *tenure) has(who event.Actor, path string, now time.Duration) bool {
	return t.until(who, path, true) >= now || t.until(who, path, false) >= now
}

// end returns when a grant ends by itself.
func (t *tenure) end(c *grant) time.Duration {
	if c.ends == 0 {
		return never
	}
	return max(c.ends-t.nodes[c.node].ahead, -1)
}

// most returns until when a majority of a system's nodes says that a client owns a path.
func (t *tenure) most(list []grant, of int, lock bool) time.Duration {
	t.ends = t.ends[:0]
	for i := range list {
		if c := &list[i]; c.lock == lock && !c.data && t.nodes[c.node].system == of {
			t.ends = append(t.ends, t.end(c))
		}
	}
	sort.Slice(t.ends, func(i, j int) bool { return t.ends[i] < t.ends[j] })
	return t.ends[len(t.ends)-1-t.systems[of].size/2]
}

// order returns an event's place in the order of a node's actions: the revision, if one counter covers everything
// the node keeps, else the place in the log.
func (t *tenure) order(e event.Event) int64 {
	if n := t.place(e.Actor); n >= 0 && e.Zxid > 0 && t.systems[t.nodes[n].system].revisions {
		return e.Zxid
	}
	return int64(e.Seq)
}

// granted returns where in that order the client got the path, by the account of any node; 0 if it doesn't have it.
func (t *tenure) granted(who event.Actor, path string) (at int64) {
	for _, c := range t.grants[tenant{who, path}] {
		if !c.robbed {
			at = max(at, c.order)
		}
	}
	return at
}

// left returns which locks, or entries, of clients still exist by the account of primaries, and their owners,
// except what may stay. What ends by itself is as good as gone.
func (t *tenure) left(locks bool, mayStay func(path string) bool) (paths []string, whose []event.Actor) {
	for at, list := range t.grants {
		for i := range list {
			c := &list[i]
			if c.lock != locks || c.robbed || c.leased || c.ends != 0 || !t.rules(c.node) || mayStay(at.path) {
				continue
			}
			paths, whose = append(paths, at.path), append(whose, at.client)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), whose
}
