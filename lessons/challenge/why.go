package challenge

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/check"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/engine/sentence"
	"github.com/zkviz/zkviz/engine/zoo"
)

// Log is what reasons are read from. view.History is one.
type Log interface {
	Len() int
	Event(i int) event.Event
}

// Awaits says what is to be waited for after a fault, with how long the client's session lasts.
func Awaits(f fault.Fault, session time.Duration) sentence.Sentence {
	who := sentence.Client(event.Actor(f.Client))
	switch f.Kind {
	case fault.Crash, fault.Pause, fault.Cut:
		return sentence.Of("challenge.await.for."+f.Kind.String(), who, sentence.Span(session))
	case fault.Expire:
		return sentence.Of("challenge.await.expire", who)
	case fault.Drop:
		return sentence.Of("challenge.await.drop", who)
	}
	return sentence.Sentence{}
}

// Why says why a fault could not do what the task asks for, from the log that it was done in; nothing if there is no
// more to say than that it did not.
func (t Task) Why(log Log, f fault.Fault) sentence.Sentence {
	c := follow(log, f)
	for _, r := range reasons {
		if slices.Contains(r.rules, t.Rule) && slices.Contains(r.kinds, f.Kind) && r.holds(c) {
			return r.says(c)
		}
	}
	return sentence.Sentence{}
}

// course is what became of the client to whom a fault was done.
type course struct {
	fault    fault.Fault
	session  time.Duration // how long it lasts without a heartbeat
	inside   bool          // as it believed when the fault was done
	asking   bool          // a write of its was on its way then
	over     bool          // its session ended after that
	again    bool          // it was connected again with the same session
	lost     bool          // it learnt that its session had ended
	next     bool          // somebody else got in before it knew
	happened bool
}

func (c *course) who() sentence.Arg { return sentence.Client(event.Actor(c.fault.Client)) }

// reasons is the table of why faults of some kinds cannot break some rules; the first that holds is said. It is never
// written to.
var reasons = []struct {
	rules []string
	kinds []fault.Kind
	holds func(c course) bool
	says  func(c course) sentence.Sentence
}{
	{
		[]string{check.BeliefExclusion}, []fault.Kind{fault.Crash},
		func(course) bool { return true },
		func(c course) sentence.Sentence { return sentence.Of("challenge.why.dead", c.who()) },
	},
	{
		[]string{GoneAlive, BegunTwice, Skipped, GaveUp}, []fault.Kind{fault.Crash},
		func(course) bool { return true },
		func(c course) sentence.Sentence { return sentence.Of("challenge.why.crashed", c.who()) },
	},
	{
		[]string{check.BeliefExclusion}, []fault.Kind{fault.Pause, fault.Cut, fault.Expire, fault.Drop},
		func(c course) bool { return !c.inside },
		func(c course) sentence.Sentence { return sentence.Of("challenge.why.outside", c.who()) },
	},
	{
		[]string{check.BeliefExclusion, check.TruthExclusion, GoneAlive, BegunTwice},
		[]fault.Kind{fault.Pause, fault.Cut},
		func(c course) bool { return !c.over },
		func(c course) sentence.Sentence {
			return sentence.Of("challenge.why.outlived."+c.fault.Kind.String(), c.who(), sentence.Span(c.fault.For),
				sentence.Span(c.session))
		},
	},
	{
		[]string{check.BeliefExclusion, check.TruthExclusion, GoneAlive, BegunTwice}, []fault.Kind{fault.Drop},
		func(c course) bool { return c.again },
		func(c course) sentence.Sentence { return sentence.Of("challenge.why.again", c.who()) },
	},
	{
		[]string{check.BeliefExclusion}, []fault.Kind{fault.Expire, fault.Pause, fault.Cut},
		func(c course) bool { return c.lost && !c.next },
		func(c course) sentence.Sentence { return sentence.Of("challenge.why.told", c.who()) },
	},
	{
		[]string{check.Once, check.Unique}, []fault.Kind{fault.Crash, fault.Drop},
		func(c course) bool { return !c.asking },
		func(c course) sentence.Sentence { return sentence.Of("challenge.why.idle", c.who()) },
	},
}

// follow reads what became of the fault's client.
func follow(log Log, f fault.Fault) (c course) {
	c.fault = f
	who := event.Actor(f.Client)
	for i := range log.Len() {
		e := log.Event(i)
		switch {
		case e.Kind == event.FaultInjected && e.Peer == who && e.Text == f.String():
			c.happened = true
		case e.Kind == event.RecipePhase && e.Actor != who:
			c.next = c.next || c.happened && !c.lost && zoo.Phase(e.Text).Inside()
		case e.Actor == event.ZooKeeper && e.Peer == who:
			c.told(e)
		case e.Actor == who:
			c.did(e)
		}
	}
	return c
}

func writes(op event.Op) bool {
	return op == event.Create || op == event.Set || op == event.Delete || op == event.Multi
}

// told takes what ZooKeeper did for the client.
func (c *course) told(e event.Event) {
	switch e.Kind {
	case event.SessionCreated:
		c.session = time.Duration(e.N)
	case event.SessionExpired:
		c.over = c.over || c.happened
	}
}

// did takes what the client itself did.
func (c *course) did(e event.Event) {
	switch e.Kind {
	case event.RecipePhase:
		if !c.happened {
			c.inside = zoo.Phase(e.Text).Inside()
		}
		c.lost = c.lost || c.happened && zoo.Phase(e.Text) == zoo.Lost
	case event.OpSent:
		c.asking = c.asking || !c.happened && writes(e.Op)
	case event.OpDone:
		c.asking = c.asking && (c.happened || !writes(e.Op))
	case event.ConnOpened:
		c.again = c.again || c.happened && !c.over
	}
}
