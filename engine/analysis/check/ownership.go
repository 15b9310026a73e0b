package check

import (
	"math"
	"slices"
	"sort"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// ownership holds what clients own at the nodes of systems other than ZooKeeper, according to the nodes: entries that
// they wrote, and locks. Of replicated nodes the primary decides, of independent nodes the majority.
type ownership struct {
	zooKeeper   bool // is there, too
	systems     []system
	nodes       []node
	owners      map[nodePath]event.Actor // of the existing entries
	grants      map[clientPath][]grant   // one for each node that grants the client the path
	leases      map[transaction]bool     // running ones, by their numbers
	change      change
	roleChanges int   // how often a node changed its role or set its clock
	count       []int // grants by system: zero between two calls
	ends        []time.Duration
}

// maxRoleChanges limits how often all holders are checked again: no run has so many failovers.
const maxRoleChanges = 200

// system is a group of nodes that belong together.
type system struct {
	size        int
	independent bool
	primary     int // its index in ownership.nodes
	// revisions means that each node has one counter for everything it does.
	revisions bool
}

// node is one node of a system.
type node struct {
	system int
	ahead  time.Duration // how far its clock was set forward, minus how far back
}

// change records what the last event of a node may have given to a client, or taken from it.
type change struct {
	of   [2]event.Actor // 0 for nobody
	path string
	all  bool // anybody's, by any path
}

// nodePath is a path at a node, by the node's index in ownership.nodes.
type nodePath struct {
	node int
	path string
}

// clientPath is a client at a path.
type clientPath struct {
	client event.Actor
	path   string
}

// grant is what a client owns at a path according to a node.
//
// If another client deletes an entry, its owner still believes that it holds it, and somebody else gets in too. So the
// grant of an entry that another client deleted lasts until it expires.
type grant struct {
	node           int  // its index in ownership.nodes
	lock           bool // rather than an entry
	deletedByOther bool
	leased         bool          // it ends with a lease
	order          int64         // the place of the grant in the node's order
	data           bool          // an entry that its client has locked since: the lock counts
	ends           time.Duration // by the node's clock; 0 if it doesn't expire
}

// newOwnership returns nil for a log without such nodes.
func newOwnership(h event.Header) *ownership {
	if event.NodesOf(h.Systems) == 0 {
		return nil
	}
	o := &ownership{zooKeeper: h.HasZooKeeper(), owners: make(map[nodePath]event.Actor),
		grants: make(map[clientPath][]grant), leases: make(map[transaction]bool)}
	for _, s := range h.Systems {
		if n := len(o.nodes); s.Kind != event.ZooKeeperSystem && n < event.MaxNodes {
			o.systems = append(o.systems, system{size: s.Servers, independent: s.Apart, primary: n,
				revisions: s.Kind == event.EtcdSystem || s.Kind == event.NATSSystem})
			for range min(s.Servers, event.MaxNodes-n) {
				o.nodes = append(o.nodes, node{system: len(o.systems) - 1})
			}
		}
	}
	o.count = make([]int, len(o.systems))
	return o
}

// append handles an event of a node. It ignores nodes that the header doesn't name.
func (o *ownership) append(e event.Event) {
	o.change = change{path: e.Path}
	n := o.nodeIndex(e.Actor)
	if n < 0 {
		return
	}
	at := nodePath{n, e.Path}
	switch e.Kind {
	case event.EntrySet:
		o.set(at, e)
	case event.EntryExpires:
		owner := o.owners[at]
		if g := o.grant(owner, at, false); g != nil {
			g.ends = time.Duration(e.N)
			o.change.of[0] = owner
		}
	case event.EntryGone:
		o.removed(at, e)
	case event.LockTaken:
		o.take(e.Peer, at, grant{lock: true, order: o.order(e)})
	case event.LockFreed:
		o.drop(e.Peer, at, true)
		o.change.of[0] = e.Peer
	case event.LeaseGranted:
		o.leases[transaction{e.Actor, e.Session}] = true
	case event.LeaseEnded:
		delete(o.leases, transaction{e.Actor, e.Session})
	case event.RolePlayed, event.ClockJumped:
		o.changeRole(n, e)
	}
}

// nodeIndex returns a node's index in ownership.nodes, -1 if the header doesn't name it.
func (o *ownership) nodeIndex(a event.Actor) int {
	if a.Kind() != event.ANode || a.Number() > len(o.nodes) {
		return -1
	}
	return a.Number() - 1
}

// decidesAt reports whether a node decides who owns what: it is a primary, or independent.
func (o *ownership) decidesAt(a event.Actor) bool {
	n := o.nodeIndex(a)
	return n >= 0 && o.authoritative(n)
}

func (o *ownership) authoritative(n int) bool {
	s := &o.systems[o.nodes[n].system]
	return s.independent || s.primary == n
}

// set makes the client the owner of an entry, unless it already is.
func (o *ownership) set(at nodePath, e event.Event) {
	was := o.owners[at]
	o.owners[at] = e.Peer
	if g := o.grant(e.Peer, at, false); g != nil && was == e.Peer {
		g.ends = time.Duration(e.N)
		o.change.of[0] = e.Peer
		return
	}
	if was != e.Peer {
		o.drop(was, at, false)
		o.change.of[0] = was
	}
	o.take(e.Peer, at, grant{order: o.order(e), ends: time.Duration(e.N),
		leased: o.leases[transaction{e.Actor, e.Session}]})
}

// removed ends an entry and its owner's grant, unless another client deleted it.
func (o *ownership) removed(at nodePath, e event.Event) {
	was := o.owners[at]
	delete(o.owners, at)
	g := o.grant(was, at, false)
	if g == nil {
		return
	}
	if e.Reason == event.ByOp && isClient(e.Peer) && e.Peer != was {
		g.deletedByOther = true
		return
	}
	o.drop(was, at, false)
	o.change.of[0] = was
}

// changeRole handles a node's new role, or a change of its clock.
func (o *ownership) changeRole(at int, e event.Event) {
	n := &o.nodes[at]
	s, of := &o.systems[n.system], o.nodeIndex(e.Peer)
	switch {
	case e.Kind == event.ClockJumped:
		n.ahead += time.Duration(e.N)
	case e.Text == event.RolePrimary:
		s.primary = at
	case of >= 0 && o.nodes[of].system == n.system:
		s.primary = of
	}
	o.roleChanges++
	o.change.all = o.roleChanges <= maxRoleChanges
}

func isClient(a event.Actor) bool { return a.Kind() == event.AClient }

// grant returns a client's grant at a path of a node, a lock or an entry; nil if it has none.
func (o *ownership) grant(who event.Actor, at nodePath, lock bool) *grant {
	list := o.grants[clientPath{who, at.path}]
	for i := range list {
		if list[i].node == at.node && list[i].lock == lock {
			return &list[i]
		}
	}
	return nil
}

// take gives a client a new grant.
func (o *ownership) take(who event.Actor, at nodePath, g grant) {
	if !isClient(who) {
		return
	}
	g.node, o.change.of[1] = at.node, who
	if e := o.grant(who, at, false); e != nil && g.lock {
		e.data = true
	}
	if old := o.grant(who, at, g.lock); old != nil { // another client deleted it
		*old = g
		return
	}
	key := clientPath{who, at.path}
	o.grants[key] = append(o.grants[key], g)
}

func (o *ownership) drop(who event.Actor, at nodePath, lock bool) {
	key := clientPath{who, at.path}
	list := slices.DeleteFunc(o.grants[key], func(g grant) bool { return g.node == at.node && g.lock == lock })
	if len(list) == 0 {
		delete(o.grants, key)
		return
	}
	o.grants[key] = list
}

// decides reports whether a node, and not ZooKeeper, decides who owns the path.
func (o *ownership) decides(who event.Actor, path string) bool {
	return !o.zooKeeper || len(o.grants[clientPath{who, path}]) > 0
}

// never is the end of what doesn't end by itself.
const never = time.Duration(math.MaxInt64)

// ownsUntil returns until when a client owns a path, by a lock or by an entry, if nobody does anything more; negative
// if it doesn't own it.
func (o *ownership) ownsUntil(who event.Actor, path string, lock bool) time.Duration {
	list := o.grants[clientPath{who, path}]
	last := time.Duration(-1)
	for i := range list {
		g := &list[i]
		of := o.nodes[g.node].system
		switch s := &o.systems[of]; {
		case g.lock != lock || g.data:
		case s.independent:
			o.count[of]++
		case g.node == s.primary:
			last = max(last, o.expiresAt(g))
		}
	}
	for i := range list {
		of := o.nodes[list[i].node].system
		if o.count[of] > o.systems[of].size/2 {
			last = max(last, o.majorityUntil(list, of, lock))
		}
		o.count[of] = 0
	}
	return last
}

// owns reports whether a client owns a path now.
func (o *ownership) owns(who event.Actor, path string, now time.Duration) bool {
	return o.ownsUntil(who, path, true) >= now || o.ownsUntil(who, path, false) >= now
}

// expiresAt returns when a grant ends by itself.
func (o *ownership) expiresAt(g *grant) time.Duration {
	if g.ends == 0 {
		return never
	}
	return max(g.ends-o.nodes[g.node].ahead, -1)
}

// majorityUntil returns until when a client owns a path according to a majority of the system's nodes.
func (o *ownership) majorityUntil(list []grant, system int, lock bool) time.Duration {
	o.ends = o.ends[:0]
	for i := range list {
		if g := &list[i]; g.lock == lock && !g.data && o.nodes[g.node].system == system {
			o.ends = append(o.ends, o.expiresAt(g))
		}
	}
	sort.Slice(o.ends, func(i, j int) bool { return o.ends[i] < o.ends[j] })
	return o.ends[len(o.ends)-1-o.systems[system].size/2]
}

// order returns an event's place in the order of a node's actions: the revision, if one counter covers everything
// the node keeps, else the place in the log.
func (o *ownership) order(e event.Event) int64 {
	if n := o.nodeIndex(e.Actor); n >= 0 && e.Zxid > 0 && o.systems[o.nodes[n].system].revisions {
		return e.Zxid
	}
	return int64(e.Seq)
}

// grantedAt returns where in that order the client got the path, according to any node; 0 if it doesn't own it.
func (o *ownership) grantedAt(who event.Actor, path string) (at int64) {
	for _, g := range o.grants[clientPath{who, path}] {
		if !g.deletedByOther {
			at = max(at, g.order)
		}
	}
	return at
}

// leftovers returns which locks, or entries, of clients still exist according to primaries, and their owners, except
// what may stay. What expires counts as gone.
func (o *ownership) leftovers(locks bool, mayStay func(path string) bool) (paths []string, whose []event.Actor) {
	for at, list := range o.grants {
		for i := range list {
			g := &list[i]
			if g.lock != locks || g.deletedByOther || g.leased || g.ends != 0 || !o.authoritative(g.node) || mayStay(at.path) {
				continue
			}
			paths, whose = append(paths, at.path), append(whose, at.client)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), whose
}
