package panes

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
)

// Reason says in a sentence why e happened. It is empty where there is nothing to say.
func Reason(log view.Log, e event.Event, say Say) string {
	return say.voice().Says(view.Why(e, log))
}

// Cause is one link of the chain that led to an event.
type Cause struct {
	Seq        event.Seq
	When       string // and whose it is
	Kind, Text string // as of a Row
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
			c := Cause{Seq: e.Seq, When: seconds(e.At, 3) + " " + say.who(subject(e)).Label}
			c.Kind, c.Text = named(e, say)
			chain = append(chain, c)
		}
	}
	return chain
}
