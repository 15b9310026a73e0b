package check

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/base/agenda"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// exclusion judges the rules about how many clients are inside: by their belief, and in truth.
//
// A client believes that it is inside from its report of holding until it reports that it has left or lost, asks
// for its own znode to be deleted, exits or crashes. In truth it is inside as long as it believes so, its session
// is alive and it has not had its znode deleted: after that the server lets the next one in. If another client
// deletes the znode, both its owner and the next to get in are inside. A client that is inside by something at a
// node of another system is so in truth while it owns that, see ownership.
type exclusion struct {
	truth, belief  bool // which of the rules to judge
	readersWriters bool
	capacities     []int

	holders   map[event.Actor]*holder
	groups    [2]holders             // those inside a lock, and those inside a read-write lock
	znodes    map[string]*heldZnode  // by the path of those that are inside
	deletions int                    // how often one client deleted another's znode
	checks    agenda.Agenda[*holder] // when to check those whose time runs out
}

// holders lists the clients inside the same kind of lock, in order of entry.
type holders struct {
	believed, actual, writers chain[*holder] // all, those truly inside, and the writers among these
}

// holder is a client that believes that it is inside.
type holder struct {
	who       event.Actor
	path      string
	phase     program.Phase
	since     time.Duration
	actual    bool
	external  bool          // by something at a node of another system,
	lock      bool          // and that is a lock
	ends      time.Duration // until when it owns that, if nobody does anything more
	checkAt   time.Duration // when to check that
	deletions int           // the count when it entered

	inBelieved *link[*holder]   // in holders.believed
	inActual   []*link[*holder] // in the lists of exclusion.lists, while it is truly inside
}

// heldZnode holds what is known about a znode by which clients are inside.
type heldZnode struct {
	holders   int
	actual    chain[*holder]
	deletions [2]deletion // the last, and the last by somebody else
}

// deletion records that a client deleted the znode, perhaps another's.
type deletion struct {
	by event.Actor
	nr int
}

// shares reports whether the client is inside a read-write lock, which has a rule of its own.
func (h *holder) shares() bool { return h.phase.Traits().Access.Shares() }

// newExclusion returns a judge for those of the rules that it handles, nil if there are none.
func newExclusion(rules []string) *exclusion {
	x := &exclusion{
		truth:          slices.Contains(rules, promise.TruthExclusion),
		belief:         slices.Contains(rules, promise.BeliefExclusion),
		readersWriters: slices.Contains(rules, promise.ReadersWriters),
		holders:        make(map[event.Actor]*holder),
		znodes:         make(map[string]*heldZnode),
	}
	for _, r := range rules {
		if n := promise.CapacityOf(r); n > 0 {
			x.capacities = append(x.capacities, n)
		}
	}
	if !x.truth && !x.belief && !x.readersWriters && len(x.capacities) == 0 {
		return nil
	}
	return x
}

func (*exclusion) reads() []event.Kind {
	return []event.Kind{
		event.RecipePhase, event.OpSent, event.ClientExited, event.ClientCrashed, event.SessionExpired,
		event.SessionClosed, event.ZnodeDeleted, event.WatchFired, event.EntrySet, event.EntryExpires,
		event.EntryGone, event.LockTaken, event.LockFreed, event.RolePlayed, event.ClockJumped,
	}
}

func (x *exclusion) append(c *Checker, e event.Event) {
	x.expire(e.At)
	if e.Actor.Kind() == event.ANode {
		x.recheck(c, e.At)
		return
	}
	switch e.Kind {
	case event.RecipePhase:
		x.phase(c, e)
	case event.OpSent:
		if e.Op == event.Delete {
			x.leave(e.Actor, e.Path)
		}
	case event.ClientExited, event.ClientCrashed:
		x.leave(e.Actor, "")
	case event.SessionExpired, event.SessionClosed:
		if h := x.holders[e.Peer]; h != nil {
			x.revoke(h)
		}
	case event.ZnodeDeleted:
		x.znodeDeleted(e.Path, e.Peer)
	case event.WatchFired:
		if c.late && zoo.EventType(e.Type) == zoo.NodeDeleted { // nobody knows yet who deleted it
			x.revokeAll(e.Path)
		}
	}
}

func (x *exclusion) phase(c *Checker, e event.Event) {
	switch p := program.Phase(e.Text); {
	case p.Inside():
		x.enter(c, e)
	case p == program.Released, p == program.Lost:
		x.leave(e.Actor, "")
	}
}

func (x *exclusion) enter(c *Checker, e event.Event) {
	p := c.client(e.Actor)
	if p == nil {
		return
	}
	x.leave(e.Actor, "") // a second report replaces the first
	newcomer := &holder{
		who: e.Actor, path: e.Path, phase: program.Phase(e.Text), since: e.At, actual: p.session == alive,
		deletions: x.deletions,
	}
	if owned := c.ownership; owned != nil && owned.decides(e.Actor, e.Path) {
		newcomer.external, newcomer.lock, newcomer.checkAt = true, owned.ownsUntil(e.Actor, e.Path, true) >= e.At, never
		newcomer.actual = newcomer.lock || owned.ownsUntil(e.Actor, e.Path, false) >= e.At
	}
	x.judge(c, e, newcomer)
	x.add(newcomer)
	if newcomer.external {
		x.recheckOne(c.ownership, newcomer, e.At)
	}
}

// judge compares a newcomer with those already inside.
func (x *exclusion) judge(c *Checker, e event.Event, newcomer *holder) {
	others := x.groupOf(newcomer)
	if x.belief && !newcomer.shares() && others.believed.len > 0 && !c.full() {
		c.violate(x.beliefViolation(c, e, &others.believed))
	}
	switch {
	case !newcomer.actual || others.actual.len == 0:
	case newcomer.shares():
		x.judgeWriters(c, e, newcomer, others)
	default:
		x.judgeHolders(c, e, newcomer, &others.actual)
	}
}

func (x *exclusion) judgeHolders(c *Checker, e event.Event, newcomer *holder, others *chain[*holder]) {
	switch {
	case !x.truth || c.ignoresMore():
	case !c.late:
		c.violate(x.truthViolation(e, others.first, others.len))
	default:
		for o := others.first; o != nil && !c.ignoresMore(); o = o.next {
			c.accuse(x.truthViolation(e, o, 1), 2, newcomer.who, o.value.who)
		}
	}
	for _, most := range x.capacities {
		if others.len >= most && !c.ignoresMore() {
			c.accuse(capacityViolation(e, most, others), most+1, append(clientsOf(others.first, others.len), newcomer.who)...)
		}
	}
}

// judgeWriters judges a read-write lock: a writer conflicts with everybody.
func (x *exclusion) judgeWriters(c *Checker, e event.Event, newcomer *holder, others *holders) {
	if !x.readersWriters {
		return
	}
	o := others.writers.first
	if newcomer.phase.Traits().Access == program.ToWrite {
		o = others.actual.first
	}
	for ; o != nil && !c.ignoresMore(); o = o.next {
		c.accuse(writerViolation(e, newcomer, o.value), 2, newcomer.who, o.value.who)
	}
}

// groupOf returns the holders of the kind of lock that a client is inside.
func (x *exclusion) groupOf(h *holder) *holders {
	if h.shares() {
		return &x.groups[1]
	}
	return &x.groups[0]
}

func (x *exclusion) add(h *holder) {
	at := x.znodes[h.path]
	if at == nil {
		at = &heldZnode{}
		x.znodes[h.path] = at
	}
	at.holders++
	x.holders[h.who], h.inBelieved = h, x.groupOf(h).believed.add(h)
	if h.actual {
		for _, list := range x.lists(h) {
			h.inActual = append(h.inActual, list.add(h))
		}
	}
}

// lists returns all lists that contain a client while it is truly inside.
func (x *exclusion) lists(h *holder) []*chain[*holder] {
	with := x.groupOf(h)
	lists := []*chain[*holder]{&with.actual, &x.znodes[h.path].actual}
	if h.phase.Traits().Access == program.ToWrite {
		lists = append(lists, &with.writers)
	}
	return lists
}

// leave ends a client's belief; with a path, only if that is its own znode.
func (x *exclusion) leave(who event.Actor, path string) {
	h := x.holders[who]
	if h == nil || path != "" && h.path != path {
		return
	}
	x.revoke(h)
	x.groupOf(h).believed.remove(h.inBelieved)
	delete(x.holders, who)
	at := x.znodes[h.path]
	if at.holders--; at.holders == 0 {
		delete(x.znodes, h.path)
	}
}

// revoke ends the true hold of a client: the server would let the next one in.
func (x *exclusion) revoke(h *holder) {
	if !h.actual {
		return
	}
	h.actual = false
	for i, list := range x.lists(h) {
		list.remove(h.inActual[i])
	}
}

// revokeAll revokes all that are inside by the znode.
func (x *exclusion) revokeAll(path string) {
	at := x.znodes[path]
	for at != nil && at.actual.len > 0 {
		x.revoke(at.actual.first.value)
	}
}

// expire revokes those whose time has run out by now.
func (x *exclusion) expire(now time.Duration) {
	for {
		at, h, ok := x.checks.First()
		if !ok || at >= now {
			return
		}
		x.checks.Next()
		if at != h.checkAt {
			continue
		}
		if h.checkAt = never; h.ends < now {
			x.revoke(h)
		} else {
			x.scheduleCheck(h)
		}
	}
}

// scheduleCheck schedules a check of a holder for when its time runs out.
func (x *exclusion) scheduleCheck(h *holder) {
	if h.ends < h.checkAt {
		h.checkAt = h.ends
		x.checks.Add(h.ends, h)
	}
}

// recheck checks those that may have lost or got something by a node's latest event.
func (x *exclusion) recheck(c *Checker, now time.Duration) {
	owned := c.ownership
	if owned.change.all {
		for i := range x.groups {
			for o := x.groups[i].actual.first; o != nil; {
				h := o.value
				o = o.next
				x.recheckOne(owned, h, now)
			}
		}
		return
	}
	for _, a := range owned.change.of {
		if h := x.holders[a]; h != nil && h.path == owned.change.path {
			x.recheckOne(owned, h, now)
		}
	}
}

// recheckOne revokes a holder that no longer owns its path, according to the system that granted it.
func (x *exclusion) recheckOne(owned *ownership, h *holder, now time.Duration) {
	if !h.external || !h.actual {
		return
	}
	if h.ends = owned.ownsUntil(h.who, h.path, h.lock); h.ends < now {
		x.revoke(h)
		return
	}
	x.scheduleCheck(h)
}

// znodeDeleted handles the deletion of a holder's znode: it ends the true hold, unless another client deleted it.
func (x *exclusion) znodeDeleted(path string, by event.Actor) {
	at := x.znodes[path]
	if at == nil {
		return
	}
	if by == event.ZooKeeper {
		x.revokeAll(path)
		return
	}
	if h := x.holders[by]; h != nil && h.path == path {
		x.revoke(h)
	}
	if at.deletions[0].by != by {
		at.deletions[1] = at.deletions[0]
	}
	x.deletions++
	at.deletions[0] = deletion{by, x.deletions}
}

// deletedBy returns the other client that last deleted the client's znode since it entered, 0 for nobody.
func (x *exclusion) deletedBy(h *holder) event.Actor {
	for _, r := range x.znodes[h.path].deletions {
		if r.by != h.who && r.nr > h.deletions {
			return r.by
		}
	}
	return 0
}

// clientsOf returns the first n clients from a link on.
func clientsOf(l *link[*holder], n int) []event.Actor {
	who := make([]event.Actor, 0, n)
	for ; l != nil && len(who) < n; l = l.next {
		who = append(who, l.value.who)
	}
	return who
}
