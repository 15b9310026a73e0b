// Package conform plays the same scripts of commands on the simulated Redis and on a real one, and compares the
// replies, and which requests wait and are served.
//
// Time is left out: keys expire long after a script, or at once; see Generate. Timed compares what depends on the
// moment, by the real server's own clock. GeneratePair writes scripts for a primary and its replica. Tests call this
// package.
package redisconform

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/stores/redis"
	"github.com/zkviz/zkviz/engine/stores/redis/resp"
)

// Step is one step of a script.
type Step struct {
	Conn int // connection that sends the command, from 0
	Do   What
	Args []string // of a Command, or of a command that waits while time passes
}

// What is the kind of a step.
type What uint8

const (
	Command What = iota
	HangUp       // the connection closes; the next command with its number uses a new one
	Pass         // time passes: keys that expire at once are gone, and short waits are over

	// For a primary and its replica. The second half of the connections are the replica's.

	Hold     // replication to the replica stops
	Release  // replication continues with what was held
	Failover // the replica becomes a primary; the old one isn't told
	Rejoin   // the old primary becomes its replica
)

// String returns the step in readable form.
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

// Conns is the number of connections of a script.
const Conns = 4

// Target is a Redis that scripts are played on. What it sends on a connection is taken in order.
type Target interface {
	// Do executes a step.
	Do(Step) error
	// Take returns the next value sent on a connection. If more is false it doesn't wait for one that hasn't been sent
	// yet, and reports false if there is none.
	Take(conn int, more bool) (resp.Value, bool, error)
	// Reset closes all connections and removes all keys.
	Reset() error
}

// Difference is the first difference between two targets.
type Difference struct {
	Step      int // index in the script
	Conn      int
	Simulated string
	Real      string
}

// String describes the difference.
func (d *Difference) String() string {
	return fmt.Sprintf("step %d: %c is sent %s by the simulated Redis, %s by the real one", d.Step+1, 'A'+d.Conn,
		d.Simulated, d.Real)
}

const nothing = "nothing"

// Play plays a script on both, and returns the first difference, or nil.
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

// compare takes what either sent on a connection.
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

// Long is how long keys last that don't expire at once, in ms.
const Long = 600_000

// variable matches Lua's name for a value of a wrong type, which depends on how the script was compiled.
var variable = regexp.MustCompile(`(?:local|global|field|upvalue|method) '[^']*' \(a (\w+) value\)`)

// Normal returns a value without what depends on the moment or differs on purpose: a key's remaining time is only long,
// and of a script's error only the kind is kept.
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

// Shrink shortens a script for as long as it shows a difference.
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
