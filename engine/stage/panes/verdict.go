package panes

import (
	"slices"
	"sort"
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Verdict is the checker's verdict so far on one promised rule, or on several together.
type Verdict struct {
	Rule   string // "" for several
	State  string // "ok", "broken", or "open" if only the end of the run can tell, or nothing can
	Breach string // what was done against a broken rule
	Text   string // the rule, or what was done against it, when and how often; or the number of rules
	Detail string // for a broken rule, who, when and why, the last time; for several, their names, unless Text has them
	Proof  []event.Seq
}

// The maximum numbers of kept and of open rules that are named. More are counted, so that the verdict stays one line.
const (
	mostKept = 4
	mostOpen = 1
)

// Judge returns what is known of each promised rule at an event, from the verdict on a whole branch: broken rules
// first, and undecided ones last. It returns nil before the first event and without promises.
func Judge(promises []string, verdict promise.Verdict, history *view.History, seq event.Seq, say Say) []Verdict {
	if seq == 0 {
		return nil
	}
	says := say.voice()
	var all, kept []Verdict
	var open, unjudged, cut []string
	last := at(history, seq)
	for _, rule := range promises {
		n, v := latest(verdict.Violations, rule, seq)
		switch {
		case n > 0:
			all = append(all, broken(v, n, verdict.Violations, history, say))
		case slices.Contains(verdict.Unjudged, rule):
			unjudged = append(unjudged, says.Says(promise.Title(rule)))
		case promise.AtEnd(rule) && last.Kind != event.RunEnded:
			open = append(open, says.Says(promise.Title(rule)))
		case !promise.Decided(rule, last):
			cut = append(cut, says.Says(promise.Title(rule)))
		default:
			kept = append(kept, Verdict{Rule: rule, State: "ok", Text: says.Says(promise.Title(rule))})
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

// broken returns the verdict on a rule that has been broken n times, with v the last.
func broken(v promise.Violation, n int, all []promise.Violation, history *view.History, say Say) Verdict {
	says, alike := say.voice(), 0
	for i := range all {
		if o := &all[i]; o.Rule == v.Rule && o.How == v.How && o.Seq <= v.Seq {
			alike++
		}
	}
	breach := says.Says(promise.Breach(v, alike))
	text := say("verdict.broken", breach, seconds(v.At, 1))
	if n > 1 {
		text = say("verdict.broken.again", breach, sentence.Grouped(n), seconds(v.At, 1))
	}
	return Verdict{
		Rule: v.Rule, State: "broken", Breach: breach, Text: text,
		Detail: say("verdict.why", cleanTo(says.Says(v.Sentence), 4*maxShown)),
		Proof:  proof(v, history),
	}
}

// latest returns how often a rule has been broken by an event, and the last violation.
func latest(violations []promise.Violation, rule string, seq event.Seq) (n int, last promise.Violation) {
	for _, v := range violations {
		if v.Rule == rule && v.Seq <= seq {
			n, last = n+1, v
		}
	}
	return n, last
}

// at returns an event, zero without a history.
func at(history *view.History, seq event.Seq) (e event.Event) {
	if history != nil {
		e, _ = history.Lookup(seq)
	}
	return e
}

// proof returns the events to look at: the last report of each client concerned, and the event that broke the rule.
func proof(v promise.Violation, history *view.History) []event.Seq {
	var all []event.Seq
	if history != nil {
		for _, who := range v.Clients {
			if seq := history.LastReport(who, v.Seq); seq > 0 {
				all = append(all, seq)
			}
		}
	}
	all = append(all, v.Seq)
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] }) // the page's program contains this sort already
	return slices.Compact(all)
}
