package panes

import (
	"slices"

	"github.com/zkviz/zkviz/engine/check"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
)

// Verdict is what the checker says of one promised rule, up to now.
type Verdict struct {
	Rule   string
	State  string // "ok" or "broken"
	Text   string // the rule, and when it was broken
	Detail string // who, when and why; empty unless it is broken
	Proof  []event.Seq
}

// Judge says of each promised rule what is known of it at the event seq, from a whole branch's violations. The
// broken ones come first. Before the first event, and of a run that promises nothing, there is nothing to say.
func Judge(promises []string, violations []check.Violation, film *view.Film, seq event.Seq, say Say) []Verdict {
	if seq == 0 {
		return nil
	}
	var broken, kept []Verdict
	for _, rule := range promises {
		i := slices.IndexFunc(violations, func(v check.Violation) bool { return v.Rule == rule && v.Seq <= seq })
		if i < 0 {
			kept = append(kept, Verdict{Rule: rule, State: "ok", Text: say("rule." + rule)})
			continue
		}
		v := violations[i]
		broken = append(broken, Verdict{
			Rule: rule, State: "broken",
			Text:   say("verdict.broken", say("rule."+rule), seconds(v.At, 1)),
			Detail: say("verdict.why", cleanTo(lettered(v.Text), 4*maxShown)),
			Proof:  proof(v, film),
		})
	}
	return append(broken, kept...)
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
