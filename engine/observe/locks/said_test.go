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

// TestSaysWho checks that hand-overs, departures and troubles name a client by what is known of it, with hostile
// characters escaped, and that what becomes known later doesn't make an old one new.
func TestSaysWho(t *testing.T) {
	hand := func(session int64, data string) (h handover.Hand) {
		h.Node = handover.Node{Path: "/l/n", Session: session, Data: data}
		return h
	}
	turn := Turn{TimeMS: 1, From: hand(0x1a, "a\x1b"), To: hand(0x2a, ""), FromAddr: "h:1", ToAddr: "h:2"}
	for want, said := range map[string]sentence.Sentence{
		`hands.turn.passed(0x1a h:1 a\u001b, hands.why.ahead(hands.ownerless()), 0x2a h:2)`: turn.Said(),
		`hands.turn.lost(0x1a, hands.why.read(hands.ownerless()))`: (&Turn{From: hand(0x1a, ""),
			Reason: event.ByUnknown}).Said(),
		`hands.turn.lost(0x1b, hands.why.read(hands.ownerless()))`: (&Turn{From: hand(0x1b, ""), Zxid: 1,
			Reason: event.ByUnknown}).Said(), // a reader, who has also found the next znode and its zxid
		`hands.turn.got(0x2a b)`:            (&Turn{To: hand(0x2a, "b")}).Said(),
		`hands.turn.got(hands.ownerless())`: (&Turn{To: hand(0, "b")}).Said(),
		`hands.quit(0x1a h:1, hands.quit.why.unknown(hands.ownerless()))`: (&Quit{Node: hand(0x1a, "").Node,
			Addr: "h:1", Reason: event.ByUnknown}).Said(),
	} {
		if got := said.String(); got != want {
			t.Errorf("it says %s, not %s", got, want)
		}
	}
	quit := Quit{Node: hand(3, "").Node, TimeMS: 1}
	row := Row{Path: "/l", Use: naming.Lock, Turns: []Turn{turn}, Turned: 1, Quits: []Quit{quit}, Quitted: 1}
	var d Diff
	if n := len(d.Update([]Row{row}, 1)); n != 2 {
		t.Errorf("%d changes", n)
	}
	turn.ToAddr, turn.To.Data, quit.Addr = "h:3", "b", "h:4"
	row.Turns, row.Quits = []Turn{turn}, []Quit{quit}
	if again := d.Update([]Row{row}, 2); len(again) > 0 {
		t.Errorf("what is known later is new: %+v", again)
	}
}
