package locks

import (
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// TestSaid checks the columns of a row.
func TestSaid(t *testing.T) {
	some := []Holder{{}, {}}
	for _, c := range []struct {
		row                      Row
		kind, others, line, pace string
	}{
		{Row{}, "use.numbers()", "hands.free()", "hands.waiting(0)", ""},
		{Row{Use: naming.Lock, Whose: "kazoo", Inside: 2, Holding: some, Waiting: 3, LongestMS: 5000, Growth: 2, Minute: 4,
			Turns: []Turn{{}}}, "use(use.lock(), kazoo)", "",
			"hands.waiting(3) hands.longest(5 s) hands.growth.more(2)", "hands.minute(4)"},
		{Row{Use: naming.Queue, Items: 9, Growth: -2, Minute: 1}, "use.items()", "",
			"hands.items(9) hands.growth.less(2)", ""},
		{Row{Use: naming.Members, Inside: 7, Holding: some, Minute: 9, Turns: []Turn{{}}}, "use.members()", "hands.more(5)",
			"hands.inside(7)", ""},
		{Row{Use: naming.Semaphore, Inside: 2, Holding: some, Waiting: 3, LongestMS: 5000}, "use.permits()", "",
			"hands.waiting(3) hands.longest(5 s)", ""},
		{Row{Use: naming.Semaphore, Inside: 2, Holding: some}, "use.permits()", "", "hands.inside(2)", ""},
		{Row{Use: naming.Members, Inside: 7}, "use.members()", "", "hands.inside(7)", ""},
		{Row{Use: naming.Queue, Items: 9, Growth: 2, AsOfMS: 1}, "use.items()", "",
			"hands.seen(hands.items(9), 5 s) hands.growth.more(2)", ""},
		{Row{Use: naming.Members, Inside: 7, AsOfMS: 1}, "use.members()", "", "hands.seen(hands.inside(7), 5 s)", ""},
		{Row{AsOfMS: 1, Minute: 2, Turns: []Turn{{}}}, "use.numbers()", "hands.seen(hands.free(), 5 s)",
			"hands.seen(hands.waiting(0), 5 s)", "hands.seen(hands.minute(2), 5 s)"},
		{Row{Use: naming.Lock, AsOfMS: 1, Unsure: 2, Doubt: naming.Unwoken, Waiting: 3, LongestMS: 5000}, "use.lock()",
			"hands.seen(hands.unsure(2, doubt.unwoken()), 5 s)",
			"hands.waiting(3) hands.seen(hands.longest(5 s), 5 s)", ""},
	} {
		const nowMS = 5001
		line := ""
		for i, s := range c.row.Line(nowMS) {
			if i > 0 {
				line += " "
			}
			line += s.String()
		}
		if got := [...]string{text(c.row.Kind()), text(c.row.Others(nowMS)), line, text(c.row.Pace(nowMS))}; got !=
			[...]string{c.kind, c.others, c.line, c.pace} {
			t.Errorf("%+v: %q", c.row, got)
		}
	}
}

func text(s sentence.Sentence) string {
	if s.Key == "" {
		return ""
	}
	return s.String()
}

// TestTurnSaid says who lost it, why, and who got it.
func TestTurnSaid(t *testing.T) {
	one := handover.Hand{Node: handover.Node{Path: "/l/1", Session: 1}}
	two := handover.Hand{Node: handover.Node{Path: "/l/2", Session: 2}}
	for want, turn := range map[string]Turn{
		"hands.turn.got(0x1)":                        {To: one},
		"hands.turn.got(hands.ownerless())":          {To: handover.Hand{Node: handover.Node{Path: "/l/3"}}},
		"hands.turn.lost(0x1, hands.why.own(0x1))":   {From: one, Reason: event.ByOp, By: 1},
		"hands.turn.lost(0x1, hands.why.other(0x2))": {From: one, Reason: event.ByOp, By: 2},
		"hands.turn.passed(0x1, hands.why.expired(hands.ownerless()), 0x2)": {From: one, To: two,
			Reason: event.BySessionExpired},
	} {
		if got := turn.Said(); got.String() != want {
			t.Errorf("%v, not %v", got, want)
		}
	}
}
