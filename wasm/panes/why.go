package panes

import (
	"github.com/zkviz/zkviz/engine/event"
)

// Cause is one link of the chain that led to an event.
type Cause struct {
	Seq  event.Seq
	Text string
}

// maxChain is how many links are shown. A chain is longer when clients have long handed on to each other.
const maxChain = 6

// Chain is the event seq, what it happened because of, and so on back.
func Chain(film Film, seq event.Seq, say Say) []Cause {
	var chain []Cause
	for seq > 0 && int(seq) <= film.Len() && len(chain) < maxChain {
		e := film.Event(int(seq) - 1)
		if shown(e) {
			a := subject(e)
			chain = append(chain, Cause{seq, seconds(e.At, 3) + " " + say.who(a).Label + " " + e.Kind.String() + " " + about(e, say)})
		}
		seq = e.Cause
	}
	return chain
}

// Reason says in a sentence why e happened.
func Reason(film Film, e event.Event, say Say) string { return "" }
