package locks

import (
	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/base/escape"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Kind says what it is taken for, and by whose names.
func (r *Row) Kind() sentence.Sentence { return naming.Said(r.Use, r.Whose, r.Alone) }

// Others describes the holders that aren't named: how many more, how many may hold it, or that nobody does; it
// returns nothing if all are named or nobody is known. nowMS is in ms since 1970.
func (r *Row) Others(nowMS int64) (s sentence.Sentence) {
	switch more := r.Inside - len(r.Holding); {
	case more > 0 && len(r.Holding) > 0:
		return sentence.Of("hands.more", sentence.Number(more)) // their own sentences say how long ago that was
	case r.Unsure > 0:
		return r.seen("hands.seen", naming.Unsure(r.Unsure, r.Doubt), nowMS)
	case r.Inside == 0 && r.Use != naming.Queue:
		return r.seen("hands.seen", sentence.Of("hands.free"), nowMS)
	}
	return s
}

// OtherWakers says how many unnamed holders would also wake somebody when they leave; nothing if none.
func (r *Row) OtherWakers() (s sentence.Sentence) {
	if more := r.Wakers - len(r.Wakes); more > 0 {
		return sentence.Of("hands.wakes.others", sentence.Number(more))
	}
	return s
}

// Line says who or what stands in line, for how long the first has waited, and how the line changes. nowMS is in ms
// since 1970.
func (r *Row) Line(nowMS int64) (all []sentence.Sentence) {
	switch {
	case r.Use == naming.Queue:
		all = append(all, sentence.Of("hands.items", sentence.Number(r.Items)))
	case r.Use == naming.Unknown || r.Use.Line() || r.Waiting > 0: // a semaphore's line is at its door
		all = append(all, sentence.Of("hands.waiting", sentence.Number(r.Waiting)))
		if r.LongestMS > 0 {
			all = append(all, r.seen("hands.seen", sentence.Of("hands.longest", span(r.LongestMS)), nowMS))
		}
	default:
		all = append(all, sentence.Of("hands.inside", sentence.Number(r.Inside)))
	}
	if len(all) == 1 {
		all[0] = r.seen("hands.seen", all[0], nowMS)
	}
	switch {
	case r.Growth > 0:
		all = append(all, sentence.Of("hands.growth.more", sentence.Number(r.Growth)))
	case r.Growth < 0:
		all = append(all, sentence.Of("hands.growth.less", sentence.Number(-r.Growth)))
	}
	return all
}

// Handovers returns the last few hand-overs, latest first; none for uses that one holds from the moment the znode
// exists.
func (r *Row) Handovers() []Turn {
	if r.Use.AtOnce() {
		return nil
	}
	return r.Turns
}

// Pace says how often it changes hands, if that is often. nowMS is in ms since 1970.
func (r *Row) Pace(nowMS int64) (s sentence.Sentence) {
	if len(r.Handovers()) == 0 || r.Minute < 2 {
		return s
	}
	return r.seen("hands.seen", sentence.Of("hands.minute", sentence.Number(r.Minute)), nowMS)
}

// At returns the time that the row describes: when it was last seen, or nowMS, in ms since 1970.
func (r *Row) At(nowMS int64) int64 {
	if r.AsOfMS != 0 {
		return r.AsOfMS
	}
	return nowMS
}

// Held says how long a client has held it, by nowMS in ms since 1970 or by when it was last seen.
func (r *Row) Held(h *Holder, nowMS int64) sentence.Sentence {
	return r.seen("hands.seen", handover.Lasted(h.Hand.Held(r.At(nowMS)), span), nowMS)
}

// Says returns what is wrong, or was when it was last seen.
func (r *Row) Says(a *Alert, nowMS int64) sentence.Sentence {
	return r.seen("hands.seen.alert", a.Sentence, nowMS)
}

// seen adds how long ago a sentence was true, if it may no longer be.
func (r *Row) seen(key string, s sentence.Sentence, nowMS int64) sentence.Sentence {
	if r.AsOfMS == 0 {
		return s
	}
	return sentence.Of(key, sentence.Sentences(s), span(nowMS-r.AsOfMS))
}

// Said says how it changed hands, and why.
func (t *Turn) Said() sentence.Sentence {
	from, to := client(&t.From.Node, t.FromAddr), client(&t.To.Node, t.ToAddr)
	if t.From.Path == "" {
		return sentence.Of("hands.turn.got", to)
	}
	lost := handover.Change{Hand: t.From, Reason: t.Reason, By: t.By}
	why := handover.Because(&lost, t.Zxid == 0 || t.Reason == event.ByUnknown)
	if t.To.Path == "" {
		return sentence.Of("hands.turn.lost", from, why)
	}
	return sentence.Of("hands.turn.passed", from, why, to)
}

// Ago says how long ago that was at a time in ms since 1970.
func (t *Turn) Ago(nowMS int64) sentence.Sentence {
	return ago(t.TimeMS, nowMS)
}

func ago(ms, nowMS int64) sentence.Sentence { return sentence.Of("hands.ago", span(nowMS-ms)) }

// client names the client of a znode: its session, its address if known, and what it wrote into the znode.
func client(n *handover.Node, addr string) sentence.Arg {
	if n.Session == 0 {
		return handover.Session(0)
	}
	text := handover.SessionText(n.Session)
	for _, more := range [...]string{addr, n.Data} {
		if more != "" {
			text += " " + escape.Line(more)
		}
	}
	return sentence.Text(text)
}
