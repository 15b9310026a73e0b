package locks

import (
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// TestHeld says how long a client has held it, as far as that is known: an earlier holder may have had it since its
// znode was created.
func TestHeld(t *testing.T) {
	const now = 1_000_000
	for _, c := range []struct {
		had       bool
		made, got int64
		want      string
	}{
		{false, now - 90_000, now - 7000, "hands.for(7 s)"},
		{true, 0, now - 7000, "hands.had(7 s)"},
		{true, now - 90_000, now - 7000, "hands.had.between(7 s, 90 s)"},
		{true, now - 90_000, now - 20, "hands.had.most(90 s)"},
		{true, now - 7900, now - 7100, "hands.for(7 s)"},
		{true, now + 5000, now - 7000, "hands.had(7 s)"}, // its clock is wrong
		{true, now + 5000, now, "hands.for(span.ms(0))"},
	} {
		h := Holder{Hand: handover.Hand{Node: handover.Node{MadeMS: c.made}, GotMS: c.got, Had: c.had}}
		if got := h.Held(now); got.String() != c.want {
			t.Errorf("%+v: %v, not %v", c, got, c.want)
		}
	}
}

// TestSaid checks the columns of a row.
func TestSaid(t *testing.T) {
	some := []Holder{{}, {}}
	for _, c := range []struct {
		row                      Row
		kind, others, line, pace string
	}{
		{Row{}, "hands.use.unknown()", "hands.free()", "hands.waiting(0)", ""},
		{Row{Use: naming.Lock, Whose: "kazoo", Inside: 2, Holding: some, Waiting: 3, LongestMS: 5000, Growth: 2, Minute: 4,
			Turns: []Turn{{}}}, "use(use.lock(), kazoo)", "",
			"hands.waiting(3) hands.longest(5 s) hands.growth.more(2)", "hands.minute(4)"},
		{Row{Use: naming.Queue, Items: 9, Growth: -2, Minute: 1}, "use.queue()", "",
			"hands.items(9) hands.growth.less(2)", ""},
		{Row{Use: naming.Members, Inside: 7, Holding: some, Minute: 9, Turns: []Turn{{}}}, "use.members()", "hands.more(5)",
			"hands.inside(7)", ""},
		{Row{Use: naming.Semaphore, Inside: 2, Holding: some, Waiting: 3, LongestMS: 5000}, "use.permits()", "",
			"hands.waiting(3) hands.longest(5 s)", ""},
		{Row{Use: naming.Semaphore, Inside: 2, Holding: some}, "use.permits()", "", "hands.inside(2)", ""},
		{Row{Use: naming.Members, Inside: 7}, "use.members()", "", "hands.inside(7)", ""},
		{Row{Use: naming.Queue, Items: 9, Growth: 2, AsOfMS: 1}, "use.queue()", "",
			"hands.seen(hands.items(9), 5 s) hands.growth.more(2)", ""},
		{Row{Use: naming.Members, Inside: 7, AsOfMS: 1}, "use.members()", "", "hands.seen(hands.inside(7), 5 s)", ""},
		{Row{AsOfMS: 1, Minute: 2, Turns: []Turn{{}}}, "hands.use.unknown()", "hands.seen(hands.free(), 5 s)",
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
		"hands.turn.got(0x1)":           {To: one},
		"hands.turn.op(0x1, 0x1)":       {From: one, Reason: event.ByOp, By: 1},
		"hands.turn.op-other(0x1, 0x2)": {From: one, Reason: event.ByOp, By: 2},
		"hands.turn.then(hands.turn.session-expired(0x1, 0x0), 0x2)": {From: one, To: two,
			Reason: event.BySessionExpired},
	} {
		if got := turn.Said(); got.String() != want {
			t.Errorf("%v, not %v", got, want)
		}
	}
}
