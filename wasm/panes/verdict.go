package panes

import (
	"slices"
	"sort"
	"strings"

	"github.com/zkviz/zkviz/engine/check"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/sentence"
	"github.com/zkviz/zkviz/engine/view"
)

// Verdict is what the checker says of one promised rule, up to now, or of several in one phrase.
type Verdict struct {
	Rule   string // empty for several
	State  string // "ok", "broken", or "open" for what only the end of the run can tell, or nobody
	Name   string // of a broken one the rule, after what was done
	Text   string // the rule, and when it was broken last, and how often; or of how many it speaks
	Detail string // of a broken one who, when and why, the last time; of several their names, if Text has them not
	Proof  []event.Seq
}

// More than so many rules that are kept, or open, are counted and not named: the line is to stay a line.
const (
	mostKept = 4
	mostOpen = 1
)

// Judge says of each promised rule what is known of it at the event seq, from the report on a whole branch. The
// broken ones come first, and last those that nothing can be said of yet, or at all. Before the first
// event, and of a run that promises nothing, there is nothing to say.
func Judge(promises []string, report check.Report, history *view.History, seq event.Seq, say Say) []Verdict {
	if seq == 0 {
		return nil
	}
	says := say.voice()
	var all, kept []Verdict
	var open, unjudged, cut []string
	last := at(history, seq)
	for _, rule := range promises {
		n, v := latest(report.Violations, rule, seq)
		switch {
		case n > 0:
			all = append(all, broken(v, n, history, say))
		case slices.Contains(report.Unjudged, rule):
			unjudged = append(unjudged, says.Says(check.Title(rule)))
		case check.AtEnd(rule) && last.Kind != event.RunEnded:
			open = append(open, says.Says(check.Title(rule)))
		case !check.Decided(rule, last):
			cut = append(cut, says.Says(check.Title(rule)))
		default:
			kept = append(kept, Verdict{Rule: rule, State: "ok", Text: says.Says(check.Title(rule))})
		}
	}
	if n := len(kept); n > mostKept {
		var names []string
		for _, v := range kept {
			names = append(names, v.Text)
		}
		kept = []Verdict{{State: "ok", Text: say("verdict.ok.many", sentence.Grouped(n)), Detail: listed(names)}}
	}
	all = append(all, kept...)
	switch n := len(open); {
	case n > mostOpen:
		all = append(all, Verdict{State: "open", Text: say("verdict.open.many", sentence.Grouped(n)), Detail: listed(open)})
	case n > 0:
		all = append(all, Verdict{State: "open", Text: say("verdict.open", open[0])})
	}
	if n := len(unjudged); n > 0 {
		all = append(all, Verdict{State: "open", Text: say("verdict.unjudged", sentence.Grouped(n)),
			Detail: listed(unjudged)})
	}
	if n := len(cut); n > 0 {
		all = append(all, Verdict{State: "open", Text: say("verdict.cut", sentence.Grouped(n)), Detail: listed(cut)})
	}
	return all
}

func listed(names []string) string { return strings.Join(names, " · ") }

// broken is a rule that has been broken n times, v the last. It is named after what was done: who spins does not
// wait.
func broken(v check.Violation, n int, history *view.History, say Say) Verdict {
	says, title := say.voice(), check.Title(v.Rule)
	if v.How != "" {
		title.Key += "." + v.How
	}
	name := says.Says(title)
	text := say("verdict.broken", name, seconds(v.At, 1))
	if n > 1 {
		text = say("verdict.broken.again", name, sentence.Grouped(n), seconds(v.At, 1))
	}
	return Verdict{
		Rule: v.Rule, State: "broken", Name: name, Text: text,
		Detail: say("verdict.why", cleanTo(says.Says(v.Sentence), 4*maxShown)),
		Proof:  proof(v, history),
	}
}

// latest is how often a rule has been broken by the event seq, and the last time.
func latest(violations []check.Violation, rule string, seq event.Seq) (n int, last check.Violation) {
	for _, v := range violations {
		if v.Rule == rule && v.Seq <= seq {
			n, last = n+1, v
		}
	}
	return n, last
}

// at is the event seq, none if there is no history.
func at(history *view.History, seq event.Seq) (e event.Event) {
	if history != nil {
		e, _ = history.Lookup(seq)
	}
	return e
}

// proof is the events to look at: the last that each of those concerned had said of itself by then, and the
// one with which the rule was broken.
func proof(v check.Violation, history *view.History) []event.Seq {
	var all []event.Seq
	if history != nil {
		for _, who := range v.Clients {
			if seq := history.LastReport(who, v.Seq); seq > 0 {
				all = append(all, seq)
			}
		}
	}
	all = append(all, v.Seq)
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] }) // the page's program has that already
	return slices.Compact(all)
}
