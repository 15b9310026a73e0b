package panes

import (
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
)

// Reason says in a sentence why e happened. It is empty where there is nothing to say.
func Reason(log view.Log, e event.Event, say Say) string {
	r := view.Why(e, log)
	if r.Key == "" {
		return ""
	}
	args := make([]string, len(r.Args))
	for i, a := range r.Args {
		args[i] = plain(a, say)
	}
	return say(r.Key, args...)
}

// plain writes an argument of a reason as the page does: clients by their letters, paths by their last name.
func plain(arg string, say Say) string {
	if strings.HasPrefix(arg, "/") { // a path, which may have spaces in it
		return Short(arg)
	}
	name, path, _ := strings.Cut(arg, " ")
	if op, ok := event.ParseOp(name); ok && (path == "" || strings.HasPrefix(path, "/")) { // create /locks/a
		return asked(op, path, say)
	}
	return letterFault(arg)
}

// Cause is one link of the chain that led to an event.
type Cause struct {
	Seq  event.Seq
	Text string
}

// maxChain is how many links are shown. A chain is longer when clients have long handed on to each other.
const maxChain = 6

// Chain is the event seq, what it happened because of, and so on back, but for what the log leaves out.
func Chain(log view.Log, seq event.Seq, say Say) []Cause {
	var chain []Cause
	for e := range view.Chain(log, seq) {
		if len(chain) == maxChain {
			break
		}
		if shown(e) {
			chain = append(chain, Cause{e.Seq, strings.Join([]string{seconds(e.At, 3), say.who(subject(e)).Label, e.Kind.String(), about(e, say)}, " ")})
		}
	}
	return chain
}
