package check

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/agenda"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/program"
	"github.com/zkviz/zkviz/engine/zoo"
)

// exclusion watches over the rules that say how many are inside: who believes that it is, and who is in
// truth.
//
// A client believes so from its report of holding until it reports that it has left or lost, asks for its
// own znode to be deleted, exits or crashes. In truth it is inside for as long as it believes so, its
// session lives and it has not had its znode deleted: after that the server lets the next one in. If another
// client deletes the znode, anyone who gets in then is inside beside it. Anyone who is inside by what it has at a
// node of another system is so in truth for as long as that is its own, by the account of tenure.
type exclusion struct {
	truth, belief  bool // which of the rules to judge
	readersWriters bool
	capacities     []int

	inside map[event.Actor]*insider
	queues [2]company              // those who are inside a lock, and those inside a read-write lock
	places map[string]*place       // by the path of those who are inside
	robs   int                     // times that somebody's znode was deleted by another client
	looks  agenda.Agenda[*insider] // when to look again whether those are still inside whose time runs out
}

// company are those who are inside the same sort of lock, in the order of entering.
type company struct {
	believe, really, write chain[*insider] // all, those who are inside in truth, and the writers among these
}

// insider is a client that believes that it is inside.
type insider struct {
	who    event.Actor
	path   string
	phase  program.Phase
	since  time.Duration
	really bool
	far    bool          // by something at a node of a system that is not ZooKeeper,
	lock   bool          // a lock
	ends   time.Duration // up to when what it has is its own, if nobody does anything any more
	look   time.Duration // when that is looked at
	robs   int           // that there had been when it entered

	believes *link[*insider]   // in the company
	truth    []*link[*insider] // in the lists of exclusion.lists, while it is really inside
}

// place is what is known of a znode by which clients are inside.
type place struct {
	clients int
	really  chain[*insider]
	robbers [2]robbery // the last, and the last by somebody else
}

// robbery is that a client deleted the znode, perhaps another's.
type robbery struct {
	by event.Actor
	nr int
}

// shares reports whether the client is inside a read-write lock, whose rule is another.
func (in *insider) shares() bool { return in.phase.Traits().Access.Shares() }

// newExclusion judges those of the rules that are its own; it is nil if none is.
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
		if c.late && zoo.EventType(e.Type) == zoo.NodeDeleted { // who deleted it is not known yet
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

// judge compares a newcomer with those who are inside already.
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

// judgeWriters judges a read-write lock: a writer is in conflict with everybody.
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

// company is that of a client inside.
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

// lists are all that a client is in for as long as it is really inside.
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

// expel ends the truth of one for whom the server would let the next one in.
func (x *exclusion) expel(in *insider) {
	if !in.really {
		return
	}
	in.really = false
	for i, list := range x.lists(in) {
		list.remove(in.truth[i])
	}
}

// expelAll is expel for all who are inside by the znode.
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

// plan has an insider looked at when its time runs out.
func (x *exclusion) plan(in *insider) {
	if in.ends < in.look {
		in.look = in.ends
		x.looks.Add(in.ends, in)
	}
}

// review looks again at those who may have lost or got something by what a node has just done.
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

// reviewOne expels an insider whose path is its own no more, by the account of the system that it got it from.
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

// lose takes an insider's znode away: that ends its truth, unless another client has deleted it.
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

// robber is who else deleted the client's znode last since it entered, 0 for nobody.
func (x *exclusion) robber(in *insider) event.Actor {
	for _, r := range x.places[in.path].robbers {
		if r.by != in.who && r.nr > in.robs {
			return r.by
		}
	}
	return 0
}

// whos are the first n of those from a link on.
func whos(l *link[*insider], n int) []event.Actor {
	who := make([]event.Actor, 0, n)
	for ; l != nil && len(who) < n; l = l.next {
		who = append(who, l.value.who)
	}
	return who
}
