// Package check judges a log: whether the rules that a recipe promises were kept, and its figures.
//
// It reads nothing but events. Its memory grows with clients and znodes but not with events, so that it can follow
// a run of millions. It keeps nothing for the screen: engine/analysis/view does.
//
// # Where to change what
//
// A promise is a row of the table in engine/analysis/promise, with a judge here in a file of its own: rules.go lists
// them. What a rule asks for, and how it was broken, are sentences, so there are no words here. A judge names the kinds
// of events that it reads, and sees no others: most events of a log concern few rules. servers.go says what became of
// servers at the end of any log.
//
// Who is inside in truth follows from what the system says: for ZooKeeper from a session and a znode; for any other
// from its primary, or from most of the nodes that know nothing of each other, by the nodes' own clocks (ownership.go).
// What a transaction does counts once it's committed (commits.go). no-lost-update needs that: it holds what a client
// writes to the version of a row that it has reported as seen.
//
// A log may come from anywhere, so an event costs at most time logarithmic in what there is. worst_test.go has the
// worst log for each rule; BenchmarkWorst measures them.
package check

import (
	"slices"
	"sort"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Report is the verdict on the events so far.
type Report struct {
	promise.Verdict
	Figures Figures
	Servers []Member // server i+1 of an ensemble; none without one
}

// Checker is an event.Sink that judges as it goes.
type Checker struct {
	late      bool // the host learns late what the server did
	ended     bool // the run has ended
	zxid      int64
	clients   []client
	tally     tally
	ownership *ownership // nil without nodes of other systems
	commits   commits    // at these nodes

	rules     []rule
	readers   [][]rule // by the kind of event that they read
	oneWakeup bool

	violations []promise.Violation
	suspects   suspects
}

// rule judges one rule, or several that look at the same things.
type rule interface {
	reads() []event.Kind // it sees no others
	append(*Checker, event.Event)
}

// everything returns all kinds of events.
func everything() (all []event.Kind) {
	for k := event.Kind(1); k.Valid(); k++ {
		all = append(all, k)
	}
	return all
}

// unsure is a rule, or several, for which a log may not show enough.
type unsure interface {
	unjudged() []string
}

// foreseeing is a rule that knows of violations which the rest of the log may still undo.
type foreseeing interface {
	foreseen(*Checker) []promise.Violation
}

// New returns a Checker of the given rules for a log with this header. It ignores unknown names: they may come from
// a newer program.
func New(rules []string, h event.Header) *Checker {
	c := &Checker{late: h.Host.Traits().Late, ownership: newOwnership(h),
		oneWakeup: slices.Contains(rules, promise.OneWakeup)}
	c.tally.noZooKeeper = !h.HasZooKeeper()
	if x := newExclusion(rules); x != nil {
		c.rules = append(c.rules, x)
	}
	if x := newEnsemble(rules, h); x != nil {
		c.rules = append(c.rules, x)
	}
	for _, name := range rules {
		for _, j := range judges {
			if j.rule == name {
				c.rules = append(c.rules, j.begin(name, h))
			}
		}
	}
	c.readers = make([][]rule, len(everything())+1)
	for _, r := range c.rules {
		for _, k := range r.reads() {
			c.readers[k] = append(c.readers[k], r)
		}
	}
	return c
}

// Append judges the next event.
func (c *Checker) Append(e event.Event) {
	c.tally.count(&e)
	switch e.Actor.Kind() {
	case event.AServer: // its transactions need not be committed
	case event.ANode: // its revisions aren't zxids
		if c.ownership == nil {
			c.ownership = newOwnership(event.Header{Systems: []event.System{{Kind: event.RedisSystem, Servers: 1}}})
		}
		c.ownership.append(e)
		c.commits.append(e)
		c.served(e)
	default:
		c.zxid = max(c.zxid, e.Zxid)
	}
	who := e.Actor
	if who == event.ZooKeeper {
		who = e.Peer
	}
	p := c.client(who)
	if p != nil {
		c.follow(p, who, &e)
	}
	if (c.ended || e.Kind == event.RunEnded) && !c.end(p, &e) {
		return
	}
	if int(e.Kind) < len(c.readers) {
		for _, r := range c.readers[e.Kind] {
			r.append(c, e)
		}
	}
}

// end closes what is open when the run ends, or what a later event has opened. It reports whether the rules should
// see the event: a run ends only once.
func (c *Checker) end(p *client, e *event.Event) bool {
	again := c.ended && e.Kind == event.RunEnded
	switch {
	case !c.ended:
		c.ended = true
		c.settleAll()
	case p != nil:
		c.tally.settle(p, false)
	}
	return !again
}

// full reports whether the list of violations is full.
func (c *Checker) full() bool { return len(c.violations) >= promise.MaxViolations }

func (c *Checker) violate(v promise.Violation) {
	if !c.full() {
		c.violations = append(c.violations, v)
	}
}

// broken returns the violation of a rule by e, caused by these clients.
func broken(rule string, e event.Event, clients []event.Actor, say sentence.Sentence) promise.Violation {
	return promise.Violation{Rule: rule, At: e.At, Seq: e.Seq, Clients: clients, Sentence: say}
}

// Broken reports whether there is a violation that nothing can undo.
func (c *Checker) Broken() bool { return len(c.violations) > 0 }

// Woken returns how many wakeups there are so far, by a release or by an arrival.
func (c *Checker) Woken() int { return c.tally.ByRelease + c.tally.ByArrival }

// Report returns the verdict so far. The Checker can continue after it.
func (c *Checker) Report() Report {
	r := Report{Figures: c.tally.report(), Servers: c.tally.members.list()}
	r.Violations = slices.Clone(c.violations)
	for _, rule := range c.rules {
		if f, ok := rule.(foreseeing); ok {
			r.Violations = append(r.Violations, f.foreseen(c)...)
		}
		if u, ok := rule.(unsure); ok {
			r.Unjudged = append(r.Unjudged, u.unjudged()...)
		}
	}
	r.Violations = earliest(r.Violations)
	return r
}

// earliest sorts violations by their events, and keeps as many as a Verdict lists.
func earliest(list []promise.Violation) []promise.Violation {
	sort.SliceStable(list, func(i, j int) bool { return list[i].Seq < list[j].Seq })
	return list[:min(len(list), promise.MaxViolations)]
}
