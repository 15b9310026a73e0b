package panes

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// Reason says in a sentence why e happened, or returns "".
func Reason(log view.Log, e event.Event, say Say) string {
	return say.voice().Says(view.Why(e, log))
}

// Cause is one link of the chain that led to an event.
type Cause struct {
	_          view.Incomparable
	Seq        event.Seq
	When       string // and its actor
	Kind, Text string // as in a Row
}

// maxChain is the maximum number of links shown. A chain gets longer when clients keep handing over to each other.
const maxChain = 6

// Chain returns an event, its cause and so on, except those without a row.
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
