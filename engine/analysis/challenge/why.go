package challenge

import (
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Log is the source of reasons. view.History implements it.
type Log interface {
	Len() int
	Event(i int) event.Event
}

// Awaits says what to wait for after a fault, and how long the client's session lasts, in that kind of run.
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
	case fault.Delay:
		return sentence.Of("challenge.await.delay", who)
	}
	return sentence.Sentence{}
}

// Why explains why a fault could not achieve the task, from the log in which it happened. The zero Fault means that
// nothing was done.
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

// family returns the rule, or the one that stands for its whole family.
func family(rule string) string {
	if strings.HasPrefix(rule, "capacity-") {
		return promise.Capacity2
	}
	return rule
}

// reason explains why some kinds of faults did not break some rules. Without rules it applies to all.
type reason struct {
	rules string // separated by spaces
	kinds kinds
	holds func(*course) bool
	key   string // without "challenge.why."
	names names
}

// names tells what the sentence of a reason names.
type names uint8

const (
	nobody    names = iota
	client          // the fault's target
	blocked         // the clients that still wait
	durations       // that client, the fault's length, and its session; the key ends in the fault's kind
)

func (r *reason) about(rule string, k fault.Kind) bool {
	return (r.rules == "" || slices.Contains(strings.Fields(r.rules), rule)) && r.kinds.have(k)
}

func (r *reason) says(c *course) sentence.Sentence {
	s := sentence.Sentence{Key: "challenge.why." + r.key}
	switch r.names {
	case client:
		s.Args = []sentence.Arg{c.who()}
	case blocked:
		who := slices.Clone(c.blocked)
		sort.Slice(who, func(i, j int) bool { return who[i] < who[j] }) // the page's program contains this sort already
		s.Args = []sentence.Arg{sentence.Clients(who)}
	case durations:
		s.Key += c.fault.Kind.String()
		s.Args = []sentence.Arg{c.who(), sentence.Span(c.fault.For), sentence.Span(c.session)}
	}
	return s
}

// kinds is a set of kinds of faults: a bit for each, and some for groups that package fault defines.
type kinds uint64

func (ks kinds) have(k fault.Kind) bool {
	switch {
	case ks&(1<<k) != 0:
		return true
	case ks&ofEnsembles != 0 && slices.Contains(fault.EnsembleKinds(), k):
		return true
	case ks&toClients != 0 && slices.Contains(fault.ToClients(fault.OnOthers), k):
		return true
	}
	return ks&toNodes != 0 && slices.Contains(fault.ToNodes(), k)
}

const (
	ofEnsembles kinds = 1 << (63 - iota)
	toClients         // in systems other than ZooKeeper
	toNodes           // likewise
)

const (
	nothing  kinds = 1 << 0
	server   kinds = 1 << fault.Restart
	clocks   kinds = 1<<fault.SetClock | 1<<fault.SetOneClock
	killing  kinds = 1 << fault.Crash
	losing   kinds = 1 << fault.Drop
	slowing  kinds = 1 << fault.Delay
	lasting  kinds = 1<<fault.Pause | 1<<fault.Cut
	expiring       = lasting | 1<<fault.Expire
	living         = expiring | losing | slowing // the program keeps running
	anything       = living | killing
	servers        = ofEnsembles | server | clocks
	whatever       = anything | servers | nothing

	belief  = promise.BeliefExclusion
	truth   = promise.TruthExclusion + " " + promise.Capacity2 + " " + promise.ReadersWriters
	order   = promise.Order + " " + promise.NoOvertaking
	alive   = GoneAlive + " " + BegunTwice
	work    = BegunTwice
	values  = Skipped
	giving  = GaveUp
	leaving = promise.Clean
	doubts  = DoubtLost
	sent    = promise.Once + " " + promise.AtMostOnce + " " + promise.Unique
	fenced  = promise.Fenced
	mended  = mend
)

// reasons is the table of reasons, with specific ones before those for every rule; the first that holds is given.
// Each says no more than the log shows, whatever recipe made it. For every rule and kind of fault the last one
// always holds. It is never written to.
var reasons = []reason{
	{"", nothing, always, "nothing", nobody},
	{"", whatever, func(c *course) bool { return !c.happened }, "too-late", nobody},
	{"", anything, func(c *course) bool { return c.crashed }, "already-dead", client},
	{"", anything, func(c *course) bool { return c.exited }, "home", client},

	// About mending.
	{mended, whatever, func(c *course) bool { return c.ended && len(c.blocked) > 0 },
		"still-waiting", blocked},
	{mended, whatever, always, "not-mended", nobody},

	{"", clocks, always, "clock", nobody},
	{doubts, servers, func(c *course) bool { return c.kept }, "kept-by-one", nobody},
	{"", server, func(c *course) bool { return !c.many && !c.expired }, "restarted", nobody},
	{"", server, func(c *course) bool { return !c.many }, "restored", nobody},
	{"", servers, (*course).stillLed, "still-led", nobody},
	{"", servers, func(c *course) bool { return len(c.leaders) > 0 }, "led-again", nobody},
	{"", servers, always, "leaderless", nobody},

	// What a dead client never does.
	{belief, killing, always, "dead", client},
	{alive, killing, always, "crashed", client},
	{values, killing, always, "sees-nothing", client},
	{fenced, killing, always, "writes-nothing", client},
	{order, killing, func(c *course) bool { return !c.inside }, "never-in", client},

	// What the client wasn't doing when the fault happened.
	{"", living, func(c *course) bool { return !c.connected }, "no-session", client},
	{sent, killing | losing, func(c *course) bool { return c.asking == 0 }, "idle", client},
	{belief, living, func(c *course) bool { return c.waiting }, "waiting", client},
	{belief, living, func(c *course) bool { return !c.inside }, "outside", client},
	{fenced, living, func(c *course) bool { return c.waiting }, "waiting-writes", client},
	{fenced, living, func(c *course) bool { return !c.inside }, "no-late-write", client},
	{work, living, func(c *course) bool { return !c.working }, "not-at-work", client},
	{order, living, func(c *course) bool { return c.inside }, "had-its-turn", client},

	// What never happened to anybody.
	{leaving, anything, func(c *course) bool { return !c.gaveUp }, "nobody-gave-up", nobody},
	{giving, anything, func(c *course) bool { return !c.gaveUp }, "patient", nobody},
	{values, living, func(c *course) bool { return c.saw && !c.skipped }, "one-at-a-time", client},

	// The client's session went on.
	{"", lasting, func(c *course) bool { return !c.over && c.fault.For < c.session }, "outlived.",
		durations},
	{"", losing, func(c *course) bool { return !c.over && !c.dropped }, "no-reply", client},
	{"", losing, func(c *course) bool { return !c.over && c.again }, "again", client},
	{"", slowing, func(c *course) bool { return !c.over }, "late", client},
	{"", anything, func(c *course) bool { return !c.over && c.ended && !c.closed }, "kept", client},
	{"", anything, func(c *course) bool { return !c.over }, "so-far", client},

	// The client's session expired.
	{belief, expiring, func(c *course) bool { return c.lost && !c.next }, "told", client},
	{order, anything, func(c *course) bool { return c.bereft && !c.expired }, "place-gone", client},
	{truth, anything, func(c *course) bool { return c.bereft && !c.told }, "unwatched", client},
	{GoneAlive, living, func(c *course) bool { return !c.bereft }, "bare", client},
	{"", anything, func(c *course) bool { return c.others && c.bereft }, "cleared", client},
	{"", anything, func(c *course) bool { return c.others }, "went-on", client},
	{"", anything, always, "last", client},
}

func always(*course) bool { return true }
