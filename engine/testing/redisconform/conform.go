// Package redisconform plays the same scripts of commands on the simulated Redis and on a real one, and compares the
// replies, and which requests wait and are served.
//
// Time is left out: keys expire long after a script, or at once; see Generate. Timed compares what depends on the
// moment, by the real server's own clock. GeneratePair writes scripts for a primary and its replica. Tests call this
// package.
package redisconform

import (
	"regexp"
	"strings"

	"github.com/zkviz/zkviz/engine/stores/redis"
	"github.com/zkviz/zkviz/engine/stores/redis/resp"
	"github.com/zkviz/zkviz/engine/testing/versus"
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
const Conns = versus.Conns

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

// shown is a Target whose values are shown as Normal does.
type shown struct{ Target }

// Take implements versus.Target.
func (t shown) Take(conn int, more bool) (string, bool, error) {
	v, sent, err := t.Target.Take(conn, more)
	return Normal(v), sent, err
}

// Play plays a script on both, and returns the first difference, or nil.
func Play(script []Step, simulated, real Target) (*versus.Difference, error) {
	return versus.Play(script, shown{simulated}, shown{real}, nil)
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
