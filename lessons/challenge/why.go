package challenge

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/check"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/engine/sentence"
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
// more to say than that it did not, as of what was to be mended.
func (t Task) Why(log Log, f fault.Fault) sentence.Sentence {
	if t.Mend {
		return sentence.Sentence{}
	}
	c := follow(log, f)
	for i := range reasons {
		if r := &reasons[i]; r.about(t.Rule, f.Kind) && r.holds(&c) {
			return r.says(&c)
		}
	}
	return sentence.Sentence{}
}

// reason is why faults of some kinds did not break some rules. Without rules it is said of all.
type reason struct {
	rules []string
	kinds []fault.Kind
	holds func(*course) bool
	says  func(*course) sentence.Sentence
}

func (r *reason) about(rule string, k fault.Kind) bool {
	return (r.rules == nil || slices.Contains(r.rules, rule)) && slices.Contains(r.kinds, k)
}

var (
	killing  = []fault.Kind{fault.Crash}
	lasting  = []fault.Kind{fault.Pause, fault.Cut}
	expiring = []fault.Kind{fault.Pause, fault.Cut, fault.Expire}
	living   = []fault.Kind{fault.Pause, fault.Cut, fault.Expire, fault.Drop, fault.Delay} // the program runs on
	anything = append(slices.Clip(living), fault.Crash)

	feats  = []string{GoneAlive, BegunTwice, Skipped, GaveUp}
	belief = []string{check.BeliefExclusion}
	truth  = []string{check.TruthExclusion}
	work   = []string{BegunTwice}
	order  = []string{check.Order}
	clean  = []string{check.Clean}
	sent   = []string{check.Once, check.Unique}
)

// reasons is the table of the reasons, the particular ones before those that are said of every rule; the first that
// holds is said. It is never written to.
var reasons = []reason{
	{nil, []fault.Kind{fault.Restart}, always, plain("restarted")},

	{belief, killing, always, says("dead")},
	{feats, killing, always, says("crashed")},
	{order, killing, func(c *course) bool { return !c.inside }, says("never-in")},
	{sent, []fault.Kind{fault.Crash, fault.Drop}, func(c *course) bool { return !c.asking }, says("idle")},

	{belief, living, func(c *course) bool { return !c.inside }, says("outside")},
	{work, living, func(c *course) bool { return !c.working }, says("not-at-work")},
	{order, living, func(c *course) bool { return c.inside }, says("had-its-turn")},
	{clean, anything, func(c *course) bool { return !c.gaveUp }, plain("nobody-gave-up")},
	{clean, anything, always, plain("nothing-stayed")},

	{nil, lasting, func(c *course) bool { return !c.over }, func(c *course) sentence.Sentence {
		return sentence.Of("challenge.why.outlived."+c.fault.Kind.String(), c.who(), sentence.Span(c.fault.For),
			sentence.Span(c.session))
	}},
	{nil, []fault.Kind{fault.Drop}, func(c *course) bool { return c.again }, says("again")},
	{nil, []fault.Kind{fault.Delay}, func(c *course) bool { return !c.over }, says("late")},

	{belief, expiring, func(c *course) bool { return c.lost && !c.next }, says("told")},
	{order, anything, func(c *course) bool { return c.bereft }, says("place-gone")},
	{truth, anything, func(c *course) bool { return c.bereft && !c.watched }, says("unwatched")},
	{[]string{GoneAlive}, living, func(c *course) bool { return c.over && !c.bereft }, says("bare")},
	{nil, anything, func(c *course) bool { return c.over && c.others }, says("went-on")},
}

func always(*course) bool { return true }

// says makes the sentence that names the client.
func says(key string) func(*course) sentence.Sentence {
	key = "challenge.why." + key
	return func(c *course) sentence.Sentence { return sentence.Sentence{Key: key, Args: []sentence.Arg{c.who()}} }
}

// plain makes the sentence that names nobody.
func plain(key string) func(*course) sentence.Sentence {
	key = "challenge.why." + key
	return func(*course) sentence.Sentence { return sentence.Sentence{Key: key} }
}
