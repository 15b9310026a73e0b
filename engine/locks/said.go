package locks

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/naming"
	"github.com/zkviz/zkviz/engine/sentence"
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

// Others says who holds it besides those who are named: how many more, of how many that can't be told, or that nobody
// does; nothing if that's all, or it's known of nobody who that is. It's nowMS in ms since 1970.
func (r *Row) Others(nowMS int64) (s sentence.Sentence) {
	switch more := r.Inside - len(r.Holding); {
	case more > 0 && len(r.Holding) > 0:
		return sentence.Of("hands.more", sentence.Number(more)) // what is said of those says how long ago that was
	case r.Unsure > 0:
		return r.seen("hands.seen", Unsure(r.Unsure, r.Doubt), nowMS)
	case r.Inside == 0 && r.Use != naming.Queue:
		return r.seen("hands.seen", sentence.Of("hands.free"), nowMS)
	}
	return s
}

// Unsure says of how many it can't be told whether they hold it, and why of the first.
func Unsure(n int, why naming.Doubt) sentence.Sentence {
	return sentence.Of("hands.unsure", sentence.Number(n), sentence.Sentences(sentence.Of("doubt."+string(why))))
}

// OtherWakers says of how many more who hold it than are named the end would wake somebody; nothing if that's all.
func (r *Row) OtherWakers() (s sentence.Sentence) {
	if more := r.Wakers - len(r.Wakes); more > 0 {
		return sentence.Of("hands.wakes.others", sentence.Number(more))
	}
	return s
}

// Line says who stands in line, or what does; and besides for how long the first has, and how that changes. It's nowMS
// in ms since 1970.
func (r *Row) Line(nowMS int64) (all []sentence.Sentence) {
	switch {
	case r.Use == naming.Queue:
		all = append(all, sentence.Of("hands.items", sentence.Number(r.Items)))
	case r.Use == naming.Unknown || r.Use.Line() || r.Waiting > 0: // that of a semaphore is at its door
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

// Handovers are the last few times that it changed hands, the last one first; none of what one has as soon as one's
// znode is there.
func (r *Row) Handovers() []Turn {
	if r.Use.AtOnce() {
		return nil
	}
	return r.Turns
}

// Pace says how often it changes hands, if that's often. It's nowMS in ms since 1970.
func (r *Row) Pace(nowMS int64) (s sentence.Sentence) {
	if len(r.Handovers()) == 0 || r.Minute < 2 {
		return s
	}
	return r.seen("hands.seen", sentence.Of("hands.minute", sentence.Number(r.Minute)), nowMS)
}

// At is the time that what is said of it is about, where it's nowMS in ms since 1970: when it was seen last.
func (r *Row) At(nowMS int64) int64 {
	if r.AsOfMS != 0 {
		return r.AsOfMS
	}
	return nowMS
}

// Held says for how long one has held it, where it's nowMS in ms since 1970: by now, or when it was seen last.
func (r *Row) Held(h *Holder, nowMS int64) sentence.Sentence {
	return r.seen("hands.seen", h.Held(r.At(nowMS)), nowMS)
}

// Says tells what is wrong, or was when it was seen last.
func (r *Row) Says(a *Alert, nowMS int64) sentence.Sentence {
	return r.seen("hands.seen.alert", a.Sentence, nowMS)
}

// seen adds to a sentence how long ago that was so, if it may not be so any more.
func (r *Row) seen(key string, s sentence.Sentence, nowMS int64) sentence.Sentence {
	if r.AsOfMS == 0 {
		return s
	}
	return sentence.Of(key, sentence.Sentences(s), span(nowMS-r.AsOfMS))
}

// Held says for how long it is held at a time in ms since 1970. Who had it when it began to be followed has had it for
// longer, but not before its znode was made.
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

// same reports whether two times are said alike.
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

// Why is the reason in a word: that of its event, or op-other if somebody else deleted the znode.
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
