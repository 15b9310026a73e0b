// Package judge judges logs for those who keep or show them. It reads a log once, while it is written or later, and its
// verdict is the message that viewers get (engine/run/protocol).
//
// What the rules ask for is in engine/analysis/check, and the feats of challenges are in engine/analysis/challenge.
// Rooms of runs and lessons call it. The stage doesn't: it shows the verdict that came with a log.
package judge

import (
	"sort"

	"github.com/zkviz/zkviz/engine/analysis/challenge"
	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// Judge is an event.Sink that judges as it goes.
type Judge struct {
	checker *check.Checker
	book    *challenge.Book
	events  event.Seq
}

// New returns a Judge for a log with this header.
func New(h event.Header) *Judge {
	return &Judge{checker: check.New(h.Rules(), h), book: challenge.NewBook()}
}

// Of returns the verdict on a whole log.
func Of(log *event.Log) protocol.Verdict {
	j := New(log.Header)
	for _, e := range log.Events {
		j.Append(e)
	}
	return j.Verdict()
}

// Append judges the next event.
func (j *Judge) Append(e event.Event) {
	j.checker.Append(e)
	j.book.Append(e)
	j.events = e.Seq
}

// Events returns how many events have been judged.
func (j *Judge) Events() event.Seq { return j.events }

// Verdict returns the verdict so far, as that of branch 0. The Judge can continue after it.
func (j *Judge) Verdict() protocol.Verdict {
	found := j.checker.Report().Verdict
	v := protocol.Verdict{Events: j.events, Deeds: found.Violations, Unjudged: found.Unjudged}
	for _, f := range j.book.Feats() {
		v.Deeds = append(v.Deeds, promise.Violation{Rule: f.Name, At: f.At, Seq: f.Seq, Clients: []event.Actor{f.Client}})
	}
	sort.SliceStable(v.Deeds, func(a, b int) bool { return v.Deeds[a].Seq < v.Deeds[b].Seq })
	return v
}
