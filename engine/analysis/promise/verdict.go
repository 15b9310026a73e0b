package promise

import (
	"sort"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// MaxViolations is how many violations a Verdict lists. More of the same teach nothing more.
const MaxViolations = 1000

// Violation is a broken rule: who, when and why.
type Violation struct {
	Rule    string
	At      time.Duration
	Seq     event.Seq
	Clients []event.Actor // the one whose act broke it comes first
	How     string        // for a rule that can be broken in several ways, which one; else empty
	// Sentence explains it, without a full stop.
	Sentence sentence.Sentence
}

// How Progress is broken, other than by waiting for ever.
const (
	Spins   = "spins"
	Errs    = "errs"    // gives up with an error
	Endless = "endless" // has not finished
)

// How other rules are broken, where a rule asks for several things.
const (
	Same      = "same"      // Fenced: two holders have the same number, and the write isn't late
	Twice     = "twice"     // Once and AtMostOnce: an item is taken again
	Lost      = "lost"      // Once: nobody took an item
	Behind    = "behind"    // Barrier: some wait for ever
	Dead      = "dead"      // Together: some wait for a client that is dead
	Again     = "again"     // EveryMessage: a message comes twice, or out of order
	Repeated  = "repeated"  // EveryMessage: a message is put there several times
	Unwritten = "unwritten" // Current: what is reported as published wasn't written
)

// Breach says in a few words what was done against a rule: who did it the last time, and how often it was done in that
// way.
func Breach(v Violation, times int) sentence.Sentence {
	s := about("breach.", v.Rule)
	if v.How != "" {
		s.Key += "." + v.How
	}
	all := append([]event.Actor{0}, v.Clients...)
	first := all[min(1, len(v.Clients))]
	all = all[1:]
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] }) // the page's program contains this sort already
	s.Args = []sentence.Arg{
		sentence.Client(first), sentence.Clients(all), sentence.Number(len(all)), sentence.Number(times),
	}
	return s
}

// Verdict says which rules a log has broken so far.
type Verdict struct {
	Violations []Violation // in the order of their events
	Unjudged   []string    // rules that can't be judged from here on, since the log doesn't show enough
}
