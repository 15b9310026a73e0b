package locks

import (
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Kind says what it is taken for, and by whose names.
func (r *Row) Kind() sentence.Sentence {
	if r.Use == naming.Unknown {
		return sentence.Of("hands.use.unknown")
	}
	kind := sentence.Of("use." + string(r.Use))
	if r.Whose == "" {
		return kind
	}
	return sentence.Of("use", sentence.Sentences(kind), sentence.Text(r.Whose))
}

// Others describes the holders that aren't named: how many more, how many may hold it, or that nobody does; it
// returns nothing if all are named or nobody is known. nowMS is in ms since 1970.
func (r *Row) Others(nowMS int64) (s sentence.Sentence) {
	switch more := r.Inside - len(r.Holding); {
	case more > 0 && len(r.Holding) > 0:
		return sentence.Of("hands.more", sentence.Number(more)) // their own sentences say how long ago that was
	case r.Unsure > 0:
		return r.seen("hands.seen", Unsure(r.Unsure, r.Doubt), nowMS)
	case r.Inside == 0 && r.Use != naming.Queue:
		return r.seen("hands.seen", sentence.Of("hands.free"), nowMS)
	}
	return s
}

// Unsure says how many may hold it, and why for the first.
func Unsure(n int, why naming.Doubt) sentence.Sentence {
	return sentence.Of("hands.unsure", sentence.Number(n), sentence.Sentences(sentence.Of("doubt."+string(why))))
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
	return r.seen("hands.seen", h.Held(r.At(nowMS)), nowMS)
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

// Held says how long it has been held at a time in ms since 1970. A holder from before the log has held it for
// longer, but not since before its znode was created.
func (h *Holder) Held(nowMS int64) sentence.Sentence {
	held, made := nowMS-h.GotMS, nowMS-h.MadeMS
	switch {
	case !h.Had || h.MadeMS != 0 && same(held, made):
		return sentence.Of("hands.for", span(held))
	case h.MadeMS == 0 || made < held: // the clocks differ
		return sentence.Of("hands.had", span(held))
	case held < 1000:
		return sentence.Of("hands.had.most", span(made))
	}
	return sentence.Of("hands.had.between", span(held), span(made))
}

// same reports whether two times read alike.
func same(a, b int64) bool { return Span(a).String() == Span(b).String() }

// Said says how it changed hands, and why.
func (t *Turn) Said() sentence.Sentence {
	from, to := sentence.Text(OwnerText(t.From.Session)), sentence.Text(OwnerText(t.To.Session))
	if t.From.Path == "" {
		return sentence.Of("hands.turn.got", to)
	}
	went := sentence.Of("hands.turn."+t.Why(), from, session(t.By))
	if t.To.Path == "" {
		return went
	}
	return sentence.Of("hands.turn.then", sentence.Sentences(went), to)
}

// Why returns the reason in a word: its event's, or op-other if another session deleted the znode.
func (t *Turn) Why() string {
	if t.Reason == event.ByOp && t.By != t.From.Session {
		return "op-other"
	}
	return t.Reason.String()
}

// Ago says how long ago that was at a time in ms since 1970.
func (t *Turn) Ago(nowMS int64) sentence.Sentence {
	return sentence.Of("hands.ago", span(nowMS-t.TimeMS))
}
