package panes

import (
	"cmp"
	"slices"

	"github.com/zkviz/zkviz/engine/check"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
)

// Verdict is what the checker says of one promised rule, up to now.
type Verdict struct {
	Rule   string
	State  string // "ok", "broken", or "open" for what only the end of the run can tell
	Text   string // the rule, and when it was broken last, and how often
	Detail string // who, when and why, the last time; empty unless it is broken
	Proof  []event.Seq
}

// Judge says of each promised rule what is known of it at the event seq, from a whole branch's violations. The
// broken ones come first, and last those that nothing can be said of yet. Before the first event, and of a run that promises nothing, there is nothing to say.
func Judge(promises []string, violations []check.Violation, film *view.Film, seq event.Seq, say Say) []Verdict {
	if seq == 0 {
		return nil
	}
	var all []Verdict
	for _, rule := range promises {
		name := say("rule." + rule)
		n, v := latest(violations, rule, seq)
		switch {
		case n > 0:
			text := say("verdict.broken", name, seconds(v.At, 1))
			if n > 1 {
				text = say("verdict.broken.again", name, grouped(n), seconds(v.At, 1))
			}
			all = append(all, Verdict{
				Rule: rule, State: "broken", Text: text,
				Detail: say("verdict.why", cleanTo(lettered(v.Text), 4*maxShown)),
				Proof:  proof(v, film),
			})
		case check.AtEnd(rule) && !ended(film, seq):
			all = append(all, Verdict{Rule: rule, State: "open", Text: say("verdict.open", name)})
		default:
			all = append(all, Verdict{Rule: rule, State: "ok", Text: name})
		}
	}
	order := map[string]int{"broken": 0, "ok": 1, "open": 2}
	slices.SortStableFunc(all, func(a, b Verdict) int { return cmp.Compare(order[a.State], order[b.State]) })
	return all
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

// ended reports whether the run is over at the event seq.
func ended(film *view.Film, seq event.Seq) bool {
	if film == nil {
		return false
	}
	e, ok := film.Lookup(seq)
	return ok && e.Kind == event.RunEnded
}

// proof is the events to look at: the last that each of those concerned had said of itself by then, and the
// one with which the rule was broken.
func proof(v check.Violation, film *view.Film) []event.Seq {
	var all []event.Seq
	if film != nil {
		for _, who := range v.Clients {
			if seq := lastWord(film, who, v.Seq); seq > 0 {
				all = append(all, seq)
			}
		}
	}
	all = append(all, v.Seq)
	slices.Sort(all)
	return slices.Compact(all)
}

// lastWord is the last report of a client at or before an event, 0 if there is none.
func lastWord(film *view.Film, who event.Actor, before event.Seq) event.Seq {
	for seq := before; seq > 0; seq-- {
		e, ok := film.Lookup(seq)
		if ok && e.Kind == event.RecipePhase && e.Actor == who {
			return seq
		}
	}
	return 0
}
