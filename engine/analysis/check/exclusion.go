package check

import (
	"slices"
	"time"

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
// node of another system is so in truth while it owns that, by the account of tenure.
type exclusion struct {
	truth, belief  bool // which of the rules to judge
	readersWriters bool
	capacities     []int

	inside map[event.Actor]*insider
	queues [2]company              // those inside a lock, and those inside a read-write lock
	places map[string]*place       // by the path of those that are inside
	robs   int                     // how often one client deleted another's znode
	looks  agenda.Agenda[*insider] // when to check those whose time runs out
}

// company holds those that are inside the same kind of lock, in order of entry.
type company struct {
	believe, really, write chain[*insider] // all, those truly inside, and the writers among these
}

// insider is a client that believes that it is inside.
type insider struct {
	who    event.Actor
	path   string
	phase  program.Phase
	since  time.Duration
	really bool
	far    bool          // by something at a node of another system,
	lock   bool          // and that is a lock
	ends   time.Duration // until when it owns that, if nobody does anything more
	look   time.Duration // when to check that
	robs   int           // the count when it entered

	believes *link[*insider]   // in the company
	truth    []*link[*insider] // in the lists of exclusion.lists, while it is truly inside
}

// place is what is known about a znode by which clients are inside.
type place struct {
	clients int
	really  chain[*insider]
	robbers [2]robbery // the last, and the last by somebody else
}

// robbery records that a client deleted the znode, perhaps another's.
type robbery struct {
	by event.Actor
	nr int
}

// shares reports whether the client is inside a read-write lock, which has a rule of its own.
func (in *insider) shares() bool { return in.phase.Traits().Access.Shares() }

// newExclusion returns a judge for those of the rules that it handles, nil if there are none.
func newExclusion(rules []string) *exclusion {
	x := &exclusion{
		truth:          slices.Contains(rules, TruthExclusion),
		belief:         slices.Contains(rules, BeliefExclusion),
		readersWriters: slices.Contains(rules, ReadersWriters),
		inside:         make(map[event.Actor]*insider),
		places:         make(map[string]*place),
	}
	for _, r := range rules {
		if n := capacityOf(r); n > 0 {
			x.capacities = append(x.capacities, n)
		}
	}
	if !x.truth && !x.belief && !x.readersWriters && len(x.capacities) == 0 {
		return nil
	}
	return x
}

func (x *exclusion) append(c *Checker, e event.Event) {
	x.pass(e.At)
	if e.Actor.Kind() == event.ANode {
		x.review(c, e.At)
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
		if in := x.inside[e.Peer]; in != nil {
			x.expel(in)
		}
	case event.ZnodeDeleted:
		x.lose(e.Path, e.Peer)
	case event.WatchFired:
		if c.late && zoo.EventType(e.Type) == zoo.NodeDeleted { // nobody knows yet who deleted it
			x.expelAll(e.Path)
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
	now := &insider{
		who: e.Actor, path: e.Path, phase: program.Phase(e.Text), since: e.At, really: p.session == alive, robs: x.robs,
	}
	if t := c.tenure; t != nil && t.decides(e.Actor, e.Path) {
		now.far, now.lock, now.look = true, t.until(e.Actor, e.Path, true) >= e.At, never
		now.really = now.lock || t.until(e.Actor, e.Path, false) >= e.At
	}
	x.judge(c, e, now)
	x.add(now)
	if now.far {
		x.reviewOne(c.tenure, now, e.At)
	}
}

// judge compares a newcomer with those already inside.
func (x *exclusion) judge(c *Checker, e event.Event, now *insider) {
	others := x.company(now)
	if x.belief && !now.shares() && others.believe.len > 0 && !c.full() {
		c.violate(x.beliefViolation(c, e, &others.believe))
	}
	switch {
	case !now.really || others.really.len == 0:
	case now.shares():
		x.judgeWriters(c, e, now, others)
	default:
		x.judgeHolders(c, e, now, &others.really)
	}
}

func (x *exclusion) judgeHolders(c *Checker, e event.Event, now *insider, others *chain[*insider]) {
	switch {
	case !x.truth || c.unheard():
	case !c.late:
		c.violate(x.truthViolation(e, others.first, others.len))
	default:
		for o := others.first; o != nil && !c.unheard(); o = o.next {
			c.accuse(x.truthViolation(e, o, 1), 2, now.who, o.value.who)
		}
	}
	for _, most := range x.capacities {
		if others.len >= most && !c.unheard() {
			c.accuse(capacityViolation(e, most, others), most+1, append(whos(others.first, others.len), now.who)...)
		}
	}
}

// judgeWriters judges a read-write lock: a writer conflicts with everybody.
func (x *exclusion) judgeWriters(c *Checker, e event.Event, now *insider, others *company) {
	if !x.readersWriters {
		return
	}
	o := others.write.first
	if now.phase.Traits().Access == program.ToWrite {
		o = others.really.first
	}
	for ; o != nil && !c.unheard(); o = o.next {
		c.accuse(writerViolation(e, now, o.value), 2, now.who, o.value.who)
	}
}

// company returns the company of a client inside.
func (x *exclusion) company(in *insider) *company {
	if in.shares() {
		return &x.queues[1]
	}
	return &x.queues[0]
}

func (x *exclusion) add(in *insider) {
	at := x.places[in.path]
	if at == nil {
		at = &place{}
		x.places[in.path] = at
	}
	at.clients++
	x.inside[in.who], in.believes = in, x.company(in).believe.add(in)
	if in.really {
		for _, list := range x.lists(in) {
			in.truth = append(in.truth, list.add(in))
		}
	}
}

// lists returns all lists that contain a client while it is truly inside.
func (x *exclusion) lists(in *insider) []*chain[*insider] {
	with := x.company(in)
	lists := []*chain[*insider]{&with.really, &x.places[in.path].really}
	if in.phase.Traits().Access == program.ToWrite {
		lists = append(lists, &with.write)
	}
	return lists
}

// leave ends a client's belief; with a path, only if that is its own znode.
func (x *exclusion) leave(who event.Actor, path string) {
	in := x.inside[who]
	if in == nil || path != "" && in.path != path {
		return
	}
	x.expel(in)
	x.company(in).believe.remove(in.believes)
	delete(x.inside, who)
	at := x.places[in.path]
	if at.clients--; at.clients == 0 {
		delete(x.places, in.path)
	}
}

// expel ends the true stay of a client for which the server would let the next one in.
func (x *exclusion) expel(in *insider) {
	if !in.really {
		return
	}
	in.really = false
	for i, list := range x.lists(in) {
		list.remove(in.truth[i])
	}
}

// expelAll expels all that are inside by the znode.
func (x *exclusion) expelAll(path string) {
	at := x.places[path]
	for at != nil && at.really.len > 0 {
		x.expel(at.really.first.value)
	}
}

// pass expels those whose time has run out by now.
func (x *exclusion) pass(now time.Duration) {
	for {
		at, in, ok := x.looks.First()
		if !ok || at >= now {
			return
		}
		x.looks.Next()
		if at != in.look {
			continue
		}
		if in.look = never; in.ends < now {
			x.expel(in)
		} else {
			x.plan(in)
		}
	}
}

// plan schedules a check of an insider for when its time runs out.
func (x *exclusion) plan(in *insider) {
	if in.ends < in.look {
		in.look = in.ends
		x.looks.Add(in.ends, in)
	}
}

// review checks those that may have lost or got something by a node's latest event.
func (x *exclusion) review(c *Checker, now time.Duration) {
	t := c.tenure
	if t.change.all {
		for i := range x.queues {
			for o := x.queues[i].really.first; o != nil; {
				in := o.value
				o = o.next
				x.reviewOne(t, in, now)
			}
		}
		return
	}
	for _, a := range t.change.of {
		if in := x.inside[a]; in != nil && in.path == t.change.path {
			x.reviewOne(t, in, now)
		}
	}
}

// reviewOne expels an insider that no longer owns its path, by the account of the system that granted it.
func (x *exclusion) reviewOne(t *tenure, in *insider, now time.Duration) {
	if !in.far || !in.really {
		return
	}
	if in.ends = t.until(in.who, in.path, in.lock); in.ends < now {
		x.expel(in)
		return
	}
	x.plan(in)
}

// lose removes an insider's znode: that ends its true stay, unless another client deleted it.
func (x *exclusion) lose(path string, by event.Actor) {
	at := x.places[path]
	if at == nil {
		return
	}
	if by == event.ZooKeeper {
		x.expelAll(path)
		return
	}
	if in := x.inside[by]; in != nil && in.path == path {
		x.expel(in)
	}
	if at.robbers[0].by != by {
		at.robbers[1] = at.robbers[0]
	}
	x.robs++
	at.robbers[0] = robbery{by, x.robs}
}

// robber returns the other client that last deleted the client's znode since it entered, 0 for nobody.
func (x *exclusion) robber(in *insider) event.Actor {
	for _, r := range x.places[in.path].robbers {
		if r.by != in.who && r.nr > in.robs {
			return r.by
		}
	}
	return 0
}

// whos returns the first n clients from a link on.
func whos(l *link[*insider], n int) []event.Actor {
	who := make([]event.Actor, 0, n)
	for ; l != nil && len(who) < n; l = l.next {
		who = append(who, l.value.who)
	}
	return who
}
