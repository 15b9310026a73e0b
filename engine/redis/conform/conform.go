// Package conform plays the same scripts of commands on the simulated Redis and on a real one, and compares each
// answer, who is kept waiting, and who is served.
//
// Time is kept out of it: keys end long after a script, or at once; see Generate. What depends on the moment is
// compared by the real one's own clock; see Timed. GeneratePair has scripts for a primary and its replica. It is called
// by tests.
package conform

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/redis"
	"github.com/zkviz/zkviz/engine/redis/resp"
)

// Step is one step of a script.
type Step struct {
	Conn int // whose command it is, from 0
	Do   What
	Args []string // of a Command, or of what waits while time passes
}

// What is done in a step.
type What uint8

const (
	Command What = iota
	HangUp       // the connection ends; the next command of the same number is on a new one
	Pass         // so much time goes by that keys which end at once are gone, and short waits over

	// Of scripts for a primary and its replica. The second half of the connections are the replica's.

	Hold     // the replica is sent nothing for now
	Release  // it is sent what it was not
	Failover // it becomes a primary; the old one does not know
	Rejoin   // the old one becomes its replica
)

// String is the step as a person reads it.
func (s Step) String() string {
	who := string(rune('A' + s.Conn))
	switch s.Do {
	case HangUp:
		return who + " hangs up"
	case Pass:
		if len(s.Args) > 0 {
			return who + ": " + redis.Text(s.Args) + ", and time passes"
		}
		return "time passes"
	case Hold:
		return "the replica is sent nothing"
	case Release:
		return "the replica is sent all"
	case Failover:
		return "the replica becomes a primary"
	case Rejoin:
		return "the old primary becomes its replica"
	}
	return who + ": " + redis.Text(s.Args)
}

// Conns is how many connections a script has.
const Conns = 4

// Target is a Redis that scripts are played on. What a connection has been sent is taken from it in order.
type Target interface {
	// Do carries out a step.
	Do(Step) error
	// Take returns the next value that a connection is sent. If more is false it need not wait for one that has not been
	// sent yet, and reports false if there is none.
	Take(conn int, more bool) (resp.Value, bool, error)
	// Reset ends all connections and forgets all keys.
	Reset() error
}

// Difference is the first thing that two targets did differently.
type Difference struct {
	Step      int // of the script
	Conn      int
	Simulated string
	Real      string
}

// String says what it is.
func (d *Difference) String() string {
	return fmt.Sprintf("step %d: %c is sent %s by the simulated Redis, %s by the real one", d.Step+1, 'A'+d.Conn,
		d.Simulated, d.Real)
}

const nothing = "nothing"

// Play plays a script on both, and returns the first difference, nil if there is none.
func Play(script []Step, simulated, real Target) (*Difference, error) {
	if err := simulated.Reset(); err != nil {
		return nil, err
	}
	if err := real.Reset(); err != nil {
		return nil, err
	}
	for i, step := range script {
		for _, t := range []Target{simulated, real} {
			if err := t.Do(step); err != nil {
				return nil, fmt.Errorf("%s: %w", step, err)
			}
		}
		for conn := range Conns {
			if d, err := compare(i, conn, simulated, real); d != nil || err != nil {
				return d, err
			}
		}
	}
	return nil, nil
}

// compare takes what a connection was sent by either.
func compare(step, conn int, simulated, real Target) (*Difference, error) {
	for {
		want, any, err := simulated.Take(conn, false)
		if err != nil {
			return nil, err
		}
		got, sent, err := real.Take(conn, any)
		switch {
		case err != nil:
			return nil, err
		case !any && !sent:
			return nil, nil
		case any != sent || Normal(want) != Normal(got):
			return &Difference{Step: step, Conn: conn, Simulated: said(want, any), Real: said(got, sent)}, nil
		}
	}
}

func said(v resp.Value, any bool) string {
	if !any {
		return nothing
	}
	return Normal(v)
}

// Long is how long keys last that do not end at once, in ms.
const Long = 600_000

// variable is what Lua calls a value whose type is wrong, as far as it knows: which depends on how it was compiled.
var variable = regexp.MustCompile(`(?:local|global|field|upvalue|method) '[^']*' \(a (\w+) value\)`)

// Normal is a value without what depends on the moment, and without what is different on purpose: of the time that
// a key still has only that it is long, of an error from a script only what kind it is.
func Normal(v resp.Value) string {
	kind := [...]string{"nil", "nil array", "status ", "error ", "integer ", "string ", "array"}[v.Kind]
	switch v.Kind {
	case resp.Integer:
		for _, long := range []int64{Long / 1000, Long, Long * 1000} { // in s and ms, and as many s in ms
			if v.Int > long/2 && v.Int <= long {
				return kind + "long"
			}
		}
		return kind + v.String()
	case resp.Error:
		v.Str = variable.ReplaceAllString(v.Str, "a $1 value")
		if text, _, script := strings.Cut(v.Str, " script: "); script {
			return kind + text
		}
		return kind + v.Str
	case resp.Array:
		var parts []string
		for _, e := range v.List {
			parts = append(parts, Normal(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case resp.Nil, resp.NilArray:
		return kind
	}
	return kind + v.String()
}

// Shrink makes a script that shows a difference smaller for as long as it does.
func Shrink(script []Step, simulated, real Target) ([]Step, *Difference, error) {
	d, err := Play(script, simulated, real)
	if d == nil || err != nil {
		return script, d, err
	}
	script = script[:d.Step+1]
	for part := len(script) / 2; part >= 1; part /= 2 {
		for at := 0; at+part <= len(script); {
			shorter := slices.Concat(script[:at], script[at+part:])
			next, err := Play(shorter, simulated, real)
			if err != nil {
				return script, d, err
			}
			if next == nil {
				at += part
				continue
			}
			script, d = shorter[:next.Step+1], next
		}
	}
	return script, d, nil
}
