package panes

import (
	"sort"

	"github.com/zkviz/zkviz/engine/check"
	"github.com/zkviz/zkviz/engine/event"
)

// Verdict is what the checker says of the run up to now.
type Verdict struct {
	State  string // "none", "ok" or "broken"
	Rule   string // the one that was broken first
	Text   string
	Detail string // who, when and why
}

// Judge picks, of a whole branch's violations, what is known at the event seq.
func Judge(violations []check.Violation, seq event.Seq, say Say) Verdict {
	n := sort.Search(len(violations), func(i int) bool { return violations[i].Seq > seq })
	if n == 0 {
		if seq == 0 {
			return Verdict{State: "none", Text: say("verdict.none")}
		}
		return Verdict{State: "ok", Text: say("verdict.ok")}
	}
	v := violations[0]
	return Verdict{
		State: "broken", Rule: v.Rule,
		Text:   say("verdict.broken", say("rule."+v.Rule), seconds(v.At, 1)),
		Detail: say("verdict.why", cleanTo(lettered(v.Text), 4*maxShown)),
	}
}
