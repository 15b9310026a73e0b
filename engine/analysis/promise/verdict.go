package promise

import (
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

// Same is how Fenced is broken by a write that isn't late: two holders have the same number.
const Same = "same"

// Verdict says which rules a log has broken so far.
type Verdict struct {
	Violations []Violation // in the order of their events
	Unjudged   []string    // rules that can't be judged from here on, since the log doesn't show enough
}
