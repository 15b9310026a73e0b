// Package check judges a log: whether the rules that a recipe promises were kept, and its figures.
//
// It reads events and nothing else, in memory that grows with clients and znodes but not with events, so
// that it can follow a run of millions. It keeps nothing for the screen: engine/view does.
package check

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// MaxViolations is how many violations a Report lists. More of the same teach nothing more.
const MaxViolations = 1000

// Violation is a rule that was broken: who, when and why.
type Violation struct {
	Rule    string
	At      time.Duration
	Seq     event.Seq
	Clients []event.Actor // the one whose act broke it first
	Text    string        // a sentence, without a full stop
}

// Report is what is known after the events so far.
type Report struct {
	Figures    Figures
	Violations []Violation // in the order of their events
}

// Checker is a Sink that judges as it goes.
type Checker struct {
	header  event.Header
	late    bool // the host learns late what the server did
	ended   bool // the run
	clients []client
	tally   tally

	exclusion *exclusion
	order     *order
	once      *once
	barrier   *barrier

	violations []Violation
}

// New is a Checker of the given rules for a log with this header. Names that are no rule are left out:
// they may come from a newer program.
func New(rules []string, h event.Header) *Checker {
	c := &Checker{header: h, late: h.Host == "live"}
	has := func(rule string) bool { return slices.Contains(rules, rule) }
	if has(TruthExclusion) || has(BeliefExclusion) {
		c.exclusion = &exclusion{truth: has(TruthExclusion), belief: has(BeliefExclusion)}
	}
	if has(Order) {
		c.order = &order{last: make(map[string]turn)}
	}
	if has(Once) {
		c.once = newOnce()
	}
	if has(Barrier) {
		c.barrier = &barrier{size: h.Clients}
	}
	return c
}

// Append takes the next event.
func (c *Checker) Append(e event.Event) {
	c.tally.count(e)
	who := e.Actor
	if who == event.ZooKeeper {
		who = e.Peer
	}
	if p := c.client(who); p != nil {
		c.follow(p, who, e)
	}
	c.ended = c.ended || e.Kind == event.RunEnded
	if c.ended {
		c.settleAll()
	}
	if c.exclusion != nil {
		c.exclusion.append(c, e)
	}
	if c.order != nil {
		c.order.append(c, e)
	}
	if c.once != nil {
		c.once.append(c, e)
	}
	if c.barrier != nil {
		c.barrier.append(c, e)
	}
}

func (c *Checker) violate(v Violation) {
	if len(c.violations) < MaxViolations {
		c.violations = append(c.violations, v)
	}
}

// Report is the verdict so far. The Checker can go on after it.
func (c *Checker) Report() Report {
	r := Report{Figures: c.tally.report(), Violations: slices.Clone(c.violations)}
	if c.once != nil {
		r.Violations = append(r.Violations, c.once.lost(c)...)
	}
	slices.SortStableFunc(r.Violations, func(a, b Violation) int { return int(int64(a.Seq) - int64(b.Seq)) })
	r.Violations = r.Violations[:min(len(r.Violations), MaxViolations)]
	return r
}
