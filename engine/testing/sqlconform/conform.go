// Package sqlconform plays the same scripts of statements on the simulated database and on a real one, PostgreSQL or
// MariaDB, and compares the replies, and which sessions wait and continue.
//
// If several sessions continue at the same moment, a real database has no fixed order: a script conforms if the
// simulated one can do the same. Time is left out: leases last much longer than a script, or expire before its next
// step. The form is that of PostgreSQL's isolation tester. Tests call this package.
package sqlconform

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/stores/sql"
	"github.com/zkviz/zkviz/engine/testing/versus"
)

// Step is one step of a script. A step of a waiting session is skipped.
type Step struct {
	Conn   int // session, from 0
	HangUp bool
	Call   sql.Call
}

// Text returns the step in readable form.
func (s Step) Text(d sql.Dialect) string {
	who := string(rune('A' + s.Conn))
	if s.HangUp {
		return who + " hangs up"
	}
	return who + ": " + s.Call.SQL(d)
}

// Conns is the number of sessions of a script.
const Conns = versus.Conns

// Outcome is the result of a step: the replies to each session since, and which sessions wait.
type Outcome struct {
	Replies [Conns]string
	Waits   [Conns]bool
}

// String returns the outcome on one line.
func (o Outcome) String() string {
	var parts []string
	for i := range Conns {
		who := string(rune('A' + i))
		if o.Replies[i] != "" {
			parts = append(parts, who+" <- "+o.Replies[i])
		}
		if o.Waits[i] {
			parts = append(parts, who+" waits")
		}
	}
	return strings.Join(parts, "; ")
}

// Target is a database that scripts are played on.
type Target interface {
	// Do executes a step, and returns when every session has a reply or waits for another session.
	Do(Step) (Outcome, error)
	// Reset ends everything that sessions have under way, and empties the tables.
	Reset(script []Step) error
}

// play plays a script on one target.
func play(script []Step, t Target) ([]Outcome, error) {
	if err := t.Reset(script); err != nil {
		return nil, fmt.Errorf("reset: %w", err)
	}
	outcomes := make([]Outcome, len(script))
	var last Outcome
	for i, step := range script {
		if last.Waits[step.Conn] && !step.HangUp {
			outcomes[i] = Outcome{Waits: last.Waits}
			continue
		}
		var err error
		if last, err = t.Do(step); err != nil {
			return nil, err
		}
		outcomes[i] = last
	}
	return outcomes, nil
}

// orders is the number of orders tried in which sessions woken at the same moment may continue.
const orders = 400

// Play plays a script on both, and returns the first difference, or nil.
func Play(script []Step, d sql.Dialect, real Target) (*versus.Difference, error) {
	got, err := play(script, real)
	if err != nil {
		return nil, err
	}
	var found *versus.Difference
	for seed := range uint64(orders) {
		want, err := play(script, &Simulated{Dialect: d, Seed: seed})
		if err != nil {
			return nil, err
		}
		at := 0
		for at < len(script) && want[at] == got[at] {
			at++
		}
		if at == len(script) {
			return nil, nil
		}
		if found == nil || at > found.Step {
			found = &versus.Difference{Step: at, Simulated: want[at].String(), Real: got[at].String()}
		}
	}
	return found, nil
}

// Show returns a script with a target's outcomes, one step a line.
func Show(script []Step, d sql.Dialect, t Target) string {
	outcomes, err := play(script, t)
	var b strings.Builder
	for i, s := range script {
		b.WriteString(s.Text(d))
		if err == nil {
			b.WriteString("   -> " + outcomes[i].String())
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Leases last much longer than a script, or expire before its next step.
const (
	long  = 10 * time.Minute
	short = 5 * time.Millisecond
)

// hasShort reports whether a script has leases that expire soon.
func hasShort(script []Step) bool {
	return slices.ContainsFunc(script, func(s Step) bool { return s.Call.For == short })
}
