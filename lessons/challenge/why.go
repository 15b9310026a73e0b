package challenge

import (
	"slices"
	"strings"
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

// Awaits says what is to be waited for after a fault, with how long the client's session lasts, in a run of that sort.
func Awaits(f fault.Fault, session time.Duration, in fault.Where) sentence.Sentence {
	who := sentence.Client(event.Actor(f.Client))
	switch {
	case in != fault.OnOthers:
	case f.Kind == fault.Drop:
		return sentence.Of("challenge.await.drop", who)
	case f.Kind.Target() == fault.ToClient:
		return sentence.Of("challenge.await.entry", who)
	default:
		return sentence.Sentence{}
	}
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

// Why says why a fault could not do what the task asks for, from the log that it was done in. The zero Fault stands for
// nothing done at all.
func (t Task) Why(log Log, f fault.Fault) sentence.Sentence {
	c, rule := follow(log, f), family(t.Rule)
	if t.Mend {
		rule = mend
	}
	return because(rule, c)
}

func because(rule string, c *course) sentence.Sentence {
	list := reasons
	if c.elsewhere {
		list = nodeReasons
	}
	for i := range list {
		if r := &list[i]; r.about(rule, c.fault.Kind) && r.holds(c) {
			return r.says(c)
		}
	}
	return sentence.Sentence{}
}

// family is the rule, or the one that stands for all of its kind.
func family(rule string) string {
	if strings.HasPrefix(rule, "capacity-") {
		return check.Capacity2
	}
	return rule
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
	nothing  = []fault.Kind{0}
	server   = []fault.Kind{fault.Restart}
	killing  = []fault.Kind{fault.Crash}
	losing   = []fault.Kind{fault.Drop}
	slowing  = []fault.Kind{fault.Delay}
	lasting  = []fault.Kind{fault.Pause, fault.Cut}
	expiring = []fault.Kind{fault.Pause, fault.Cut, fault.Expire}
	living   = []fault.Kind{fault.Pause, fault.Cut, fault.Expire, fault.Drop, fault.Delay} // the program runs on
	anything = append(slices.Clip(living), fault.Crash)
	servers  = append(fault.EnsembleKinds(), fault.Restart)
	whatever = slices.Concat(anything, servers, nothing)

	belief  = []string{check.BeliefExclusion}
	truth   = []string{check.TruthExclusion, check.Capacity2, check.ReadersWriters}
	order   = []string{check.Order, check.NoOvertaking}
	alive   = []string{GoneAlive, BegunTwice}
	work    = []string{BegunTwice}
	values  = []string{Skipped}
	giving  = []string{GaveUp}
	leaving = []string{check.Clean}
	sent    = []string{check.Once, check.AtMostOnce, check.Unique}
	fenced  = []string{check.Fenced}
	mended  = []string{mend}
)

// reasons is the table of the reasons, the particular ones before those that are said of every rule; the first that
// holds is said. Each says no more than the log shows, whatever recipe made it. For every rule and kind of fault the
// last one always holds. It is never written to.
var reasons = []reason{
	{nil, nothing, always, plain("nothing")},
	{nil, whatever, func(c *course) bool { return !c.happened }, plain("too-late")},
	{nil, anything, func(c *course) bool { return c.crashed }, says("already-dead")},
	{nil, anything, func(c *course) bool { return c.exited }, says("home")},

	// What was to be mended.
	{mended, whatever, func(c *course) bool { return c.ended && len(c.blocked) > 0 }, func(c *course) sentence.Sentence {
		return sentence.Of("challenge.why.still-waiting", sentence.Clients(slices.Sorted(slices.Values(c.blocked))))
	}},
	{mended, whatever, always, plain("not-mended")},

	{nil, server, func(c *course) bool { return !c.many && !c.expired }, plain("restarted")},
	{nil, server, func(c *course) bool { return !c.many }, plain("restored")},
	{nil, servers, (*course).stillLed, plain("still-led")},
	{nil, servers, func(c *course) bool { return len(c.leaders) > 0 }, plain("led-again")},
	{nil, servers, always, plain("leaderless")},

	// What no dead client does.
	{belief, killing, always, says("dead")},
	{alive, killing, always, says("crashed")},
	{values, killing, always, says("sees-nothing")},
	{fenced, killing, always, says("writes-nothing")},
	{order, killing, func(c *course) bool { return !c.inside }, says("never-in")},

	// What it was not about when the fault was done.
	{nil, living, func(c *course) bool { return !c.connected }, says("no-session")},
	{sent, []fault.Kind{fault.Crash, fault.Drop}, func(c *course) bool { return c.asking == 0 }, says("idle")},
	{belief, living, func(c *course) bool { return !c.inside }, says("outside")},
	{fenced, living, func(c *course) bool { return !c.inside }, says("no-late-write")},
	{work, living, func(c *course) bool { return !c.working }, says("not-at-work")},
	{order, living, func(c *course) bool { return c.inside }, says("had-its-turn")},

	// What has not come up for anybody.
	{leaving, anything, func(c *course) bool { return !c.gaveUp }, plain("nobody-gave-up")},
	{giving, anything, func(c *course) bool { return !c.gaveUp }, plain("patient")},
	{values, living, func(c *course) bool { return c.saw && !c.skipped }, says("one-at-a-time")},

	// Its session went on.
	{nil, lasting, func(c *course) bool { return !c.over && c.fault.For < c.session }, func(c *course) sentence.Sentence {
		return sentence.Of("challenge.why.outlived."+c.fault.Kind.String(), c.who(), sentence.Span(c.fault.For),
			sentence.Span(c.session))
	}},
	{nil, losing, func(c *course) bool { return !c.over && !c.dropped }, says("no-reply")},
	{nil, losing, func(c *course) bool { return !c.over && c.again }, says("again")},
	{nil, slowing, func(c *course) bool { return !c.over }, says("late")},
	{nil, anything, func(c *course) bool { return !c.over && c.ended && !c.closed }, says("kept")},
	{nil, anything, func(c *course) bool { return !c.over }, says("so-far")},

	// It expired.
	{belief, expiring, func(c *course) bool { return c.lost && !c.next }, says("told")},
	{order, anything, func(c *course) bool { return c.bereft && !c.expired }, says("place-gone")},
	{truth, anything, func(c *course) bool { return c.bereft && !c.told }, says("unwatched")},
	{[]string{GoneAlive}, living, func(c *course) bool { return !c.bereft }, says("bare")},
	{nil, anything, func(c *course) bool { return c.others && c.bereft }, says("cleared")},
	{nil, anything, func(c *course) bool { return c.others }, says("went-on")},
	{nil, anything, always, says("last")},
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
