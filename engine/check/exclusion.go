package check

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// exclusion watches over the rules that say how many are inside: who believes that it is, and who is in
// truth.
//
// A client believes so from its report of holding until it reports that it has left or lost, asks for its
// own znode to be deleted, exits or crashes. In truth it is inside for as long as it believes so, its
// session lives and it has not had its znode deleted: after that the server lets the next one in. If another
// client deletes the znode, whoever gets in then is inside beside it.
type exclusion struct {
	truth, belief  bool // which of the rules to judge
	readersWriters bool
	capacities     []int

	insiders []insider // those who believe, in the order of entering
}

type insider struct {
	who    event.Actor
	path   string
	phase  zoo.Phase
	since  time.Duration
	really bool
	robber event.Actor // who else deleted its znode
}

// shares reports whether the client is inside a read-write lock, whose rule is another.
func (in insider) shares() bool { return in.phase == zoo.Reading || in.phase == zoo.Writing }

// newExclusion judges those of the rules that are its own; it is nil if none is.
func newExclusion(rules []string) *exclusion {
	x := &exclusion{
		truth:          slices.Contains(rules, TruthExclusion),
		belief:         slices.Contains(rules, BeliefExclusion),
		readersWriters: slices.Contains(rules, ReadersWriters),
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
		x.expel(func(in insider) bool { return in.who == e.Peer })
	case event.ZnodeDeleted:
		x.lose(e.Path, e.Peer)
	case event.WatchFired:
		if c.late && zoo.EventType(e.Type) == zoo.NodeDeleted { // who deleted it is not known yet
			x.expel(func(in insider) bool { return in.path == e.Path })
		}
	}
}

func (x *exclusion) phase(c *Checker, e event.Event) {
	switch p := zoo.Phase(e.Text); {
	case p.Inside():
		x.enter(c, e)
	case p == zoo.Released, p == zoo.Lost:
		x.leave(e.Actor, "")
	}
}

func (x *exclusion) enter(c *Checker, e event.Event) {
	p := c.client(e.Actor)
	if p == nil {
		return
	}
	x.leave(e.Actor, "") // a second report replaces the first
	now := insider{who: e.Actor, path: e.Path, phase: zoo.Phase(e.Text), since: e.At, really: p.session == alive}
	if len(x.insiders) > 0 {
		x.judge(c, e, now)
	}
	x.insiders = append(x.insiders, now)
}

// judge compares a newcomer with those who are inside already.
func (x *exclusion) judge(c *Checker, e event.Event, now insider) {
	others := slices.DeleteFunc(slices.Clone(x.insiders), func(in insider) bool { return in.shares() != now.shares() })
	if len(others) == 0 {
		return
	}
	if x.belief && !now.shares() {
		c.violate(x.beliefViolation(c, e, others))
	}
	others = slices.DeleteFunc(others, func(in insider) bool { return !in.really })
	switch {
	case !now.really || len(others) == 0:
	case now.shares():
		x.judgeWriters(c, e, now, others)
	default:
		x.judgeHolders(c, e, now, others)
	}
}

func (x *exclusion) judgeHolders(c *Checker, e event.Event, now insider, others []insider) {
	switch {
	case !x.truth:
	case !c.late:
		c.violate(truthViolation(TruthExclusion, e, others))
	default:
		for _, o := range others {
			c.accuse(truthViolation(TruthExclusion, e, []insider{o}), 2, now.who, o.who)
		}
	}
	for _, most := range x.capacities {
		if len(others) >= most {
			c.accuse(x.capacityViolation(e, most, others), most+1, append(whos(others), now.who)...)
		}
	}
}

// judgeWriters judges a read-write lock: a writer is in conflict with everybody.
func (x *exclusion) judgeWriters(c *Checker, e event.Event, now insider, others []insider) {
	if !x.readersWriters {
		return
	}
	for _, o := range others {
		if now.phase == zoo.Writing || o.phase == zoo.Writing {
			c.accuse(x.writerViolation(e, now, o), 2, now.who, o.who)
		}
	}
}

// leave ends a client's belief; with a path, only if that is its own znode.
func (x *exclusion) leave(who event.Actor, path string) {
	if len(x.insiders) == 0 {
		return
	}
	x.insiders = slices.DeleteFunc(x.insiders, func(in insider) bool {
		return in.who == who && (path == "" || in.path == path)
	})
}

// expel ends the truth of those for whom the server would let the next one in.
func (x *exclusion) expel(match func(insider) bool) {
	for i := range x.insiders {
		if match(x.insiders[i]) {
			x.insiders[i].really = false
		}
	}
}

// lose takes an insider's znode away: that ends its truth, unless another client has deleted it.
func (x *exclusion) lose(path string, by event.Actor) {
	for i := range x.insiders {
		in := &x.insiders[i]
		switch {
		case in.path != path:
		case by == in.who || by == event.ZooKeeper:
			in.really = false
		default:
			in.robber = by
		}
	}
}

func whos(list []insider) []event.Actor {
	var who []event.Actor
	for _, in := range list {
		who = append(who, in.who)
	}
	return who
}
