// Package challenge judges a reader's attempt to break a promise of a recipe, or to repair a broken one.
//
// It takes the broken rules that engine/analysis/check finds, and the faults that broke them; for a failed attempt
// it explains why, from the log. The page's program uses it to judge the reader, and the tests of the lessons to
// show that a challenge can be won. Package lessons makes the tasks.
package challenge

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event/fault"
)

// Task describes a challenge.
type Task struct {
	Step  string // the anchor of the challenge's step
	Rule  string // the rule of engine/analysis/promise to break, or the feat to achieve
	Times int    // how often, from 1
	Mend  bool   // instead, to break it less often by the end of the run than Base does
	Par   int    // the fewest faults that suffice, from 1
	// Forbid lists the kinds of faults that must not be used, and the clients to leave alone, as in a written fault, or
	// ButMessages.
	Forbid []string
	// Base lists the rules that the lesson's own run breaks, once for each time, and the feat as often as it
	// happens there: they are not the reader's doing.
	Base []string
}

// ButMessages forbids every fault that doesn't strike a message between servers.
const ButMessages = "but-messages"

// In a written task mend stands for the number of breaks, and forbidden precedes what must not be used.
const (
	mend      = "mend"
	forbidden = "!"
)

// String writes the task as Parse reads it.
func (t Task) String() string {
	times := strconv.Itoa(t.Times)
	if t.Mend {
		times = mend
	}
	words := []string{t.Step, t.Rule, times, strconv.Itoa(t.Par)}
	for _, word := range t.Forbid {
		words = append(words, forbidden+word)
	}
	return strings.Join(append(words, t.Base...), " ")
}

// Parse reads a written task.
func Parse(s string) (Task, error) {
	words := strings.Fields(s)
	if len(words) < 4 {
		return Task{}, fmt.Errorf("task %q: a step, a rule, times and a par are required", s)
	}
	t := Task{Step: words[0], Rule: words[1], Times: 1, Mend: words[2] == mend, Base: words[4:]}
	var err error
	if t.Par, err = strconv.Atoi(words[3]); err != nil || t.Par < 1 {
		return Task{}, fmt.Errorf("task %q: par must be a number from 1, not %q", s, words[3])
	}
	for len(t.Base) > 0 && strings.HasPrefix(t.Base[0], forbidden) {
		t.Forbid, t.Base = append(t.Forbid, t.Base[0][len(forbidden):]), t.Base[1:]
	}
	if t.Mend {
		return t, nil
	}
	if t.Times, err = strconv.Atoi(words[2]); err != nil || t.Times < 1 {
		return Task{}, fmt.Errorf("task %q: times must be a number from 1, not %q", s, words[2])
	}
	return t, nil
}

// Forbids returns the word of a written fault that the task forbids, its kind or its client, or ButMessages; empty if
// it may be used. What forbids a client forbids its messages.
func (t Task) Forbids(written string) string {
	f, err := fault.Parse(fault.WithTime(written, 0))
	who := f.Message.Client()
	switch between := err == nil && f.Kind.Target() == fault.ToMessage && who == 0; {
	case !between && slices.Contains(t.Forbid, ButMessages):
		return ButMessages
	case who != 0 && slices.Contains(t.Forbid, who.String()):
		return who.String()
	}
	for i, word := range strings.Fields(written) {
		if i < 2 && slices.Contains(t.Forbid, word) {
			return word
		}
	}
	return ""
}

// tally counts how often the task's rule was broken, and all others.
type tally struct{ own, other int }

func (t Task) tally(broken []string) (n tally) {
	for _, rule := range broken {
		if rule == t.Rule {
			n.own++
		} else {
			n.other++
		}
	}
	return n
}

// State is the state of an attempt. The page has words for its values.
type State string

const (
	Open    State = "open"    // nothing has been done yet
	Acted   State = "acted"   // something has been done, with no outcome yet
	Refused State = "refused" // the run shown was made with what the task forbids
	Other   State = "other"   // another rule was broken
	Held    State = "held"    // the run is over, and the rule held or wasn't mended
	Done    State = "done"    // won, for good
)

// States returns all states.
func States() []State { return []State{Open, Acted, Refused, Other, Held, Done} }

// Level is how well a challenge was won. The page has words for its values.
type Level string

const (
	Par  Level = "par"  // with as few faults as it takes
	Over Level = "over" // with more
)

// Levels returns all levels, best first.
func Levels() []Level { return []Level{Par, Over} }

// Attempt is a reader's attempt at a task. With only its Task set, it has not begun.
type Attempt struct {
	Task    Task
	actions int
	before  tally // what was broken before the first action, or would be anyway
	done    bool
}

// Actions returns how many faults the reader has caused since the run began.
func (a *Attempt) Actions() int { return a.actions }

// Level returns how well the attempt has been won, if it has.
func (a *Attempt) Level() Level {
	if a.actions > a.Task.Par {
		return Over
	}
	return Par
}

// Wins returns the index among the broken rules, in log order, of the break that wins; false if none does, or if
// only the end decides.
func (a *Attempt) Wins(broken []string) (int, bool) {
	left := a.before.own + a.Task.Times
	for i, rule := range broken {
		if rule == a.Task.Rule && !a.Task.Mend {
			if left--; left == 0 {
				return i, true
			}
		}
	}
	return 0, false
}

// Won reports whether the attempt has been won.
func (a *Attempt) Won() bool { return a.done }

// Act counts a fault that the reader causes after these rules have been broken.
func (a *Attempt) Act(broken []string) {
	if a.done {
		return
	}
	if a.actions == 0 {
		now, later := a.Task.tally(broken), a.Task.tally(a.Task.Base)
		a.before = tally{max(now.own, later.own), max(now.other, later.other)}
	}
	a.actions++
}

// Undo takes back an Act: its fault was refused.
func (a *Attempt) Undo() {
	if !a.done && a.actions > 0 {
		a.actions--
	}
}

// Restart begins the attempt again, with another run.
func (a *Attempt) Restart() {
	if !a.done {
		a.actions = 0
	}
}

// Judge returns the state of the attempt, given the broken rules, the faults, and whether the run is over.
func (a *Attempt) Judge(broken, faults []string, ended bool) State {
	now := a.Task.tally(broken)
	switch {
	case a.done:
	case a.actions == 0:
		return Open
	case slices.ContainsFunc(faults, func(f string) bool { return a.Task.Forbids(f) != "" }):
		return Refused
	case a.won(now, ended):
		a.done = true
	case now.other > a.before.other:
		return Other
	case ended:
		return Held
	default:
		return Acted
	}
	return Done
}

func (a *Attempt) won(now tally, ended bool) bool {
	if a.Task.Mend {
		return ended && now.own < a.Task.tally(a.Task.Base).own
	}
	return now.own >= a.before.own+a.Task.Times
}

// String writes the attempt as ParseAttempt reads it.
func (a *Attempt) String() string {
	return fmt.Sprint(a.actions, a.before.own, a.before.other, a.done, a.Task)
}

// ParseAttempt reads a written attempt.
func ParseAttempt(s string) (*Attempt, error) {
	a := &Attempt{}
	words := strings.SplitN(s, " ", 5)
	if len(words) < 5 {
		return nil, fmt.Errorf("attempt %q: five words are required", s)
	}
	var errs [5]error
	a.actions, errs[0] = strconv.Atoi(words[0])
	a.before.own, errs[1] = strconv.Atoi(words[1])
	a.before.other, errs[2] = strconv.Atoi(words[2])
	a.done, errs[3] = strconv.ParseBool(words[3])
	a.Task, errs[4] = Parse(words[4])
	for _, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("attempt %q: %w", s, err)
		}
	}
	if slices.Min([]int{a.actions, a.before.own, a.before.other}) < 0 {
		return nil, fmt.Errorf("attempt %q: counts must not be negative", s)
	}
	return a, nil
}
