package panes

import (
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

func (q *inquiry) before() Answer {
	turns := q.g.until(q.Seq)
	l := Answer{Name: q.say("holding.before"), Pieces: []Piece{{Text: q.say("holding.before.none")}}}
	if len(turns) > 0 {
		t := q.turn(&turns[len(turns)-1])
		l.Seq, l.Wrong, l.Pieces = t.Seq, t.Wrong, append([]Piece{{Text: t.Name}}, t.Pieces...)
	}
	return l
}

func (q *inquiry) hands() List {
	turns := q.g.until(q.Seq)
	l := List{Title: q.say("holding.hands", sentence.Grouped(len(turns)))}
	for i := len(turns) - 1; i >= max(0, len(turns)-maxTurns); i-- {
		l.Lines = append(l.Lines, q.turn(&turns[i]))
	}
	if more := len(turns) - maxTurns; more > 0 {
		l.More = q.say("holding.more", sentence.Grouped(more))
	}
	return l
}

// turn says who lost the lock and who got it, why, and how long they held it and waited.
func (q *inquiry) turn(t *turn) Answer {
	l := Answer{Name: q.when(t.at), Seq: t.seq}
	var lost, got []handover.Change
	for _, c := range t.changes {
		if c.Got {
			got = append(got, c)
		} else {
			lost = append(lost, c)
		}
	}
	l.Pieces = append(l.Pieces, q.hand(lost)...)
	if len(lost) > 0 && len(got) > 0 {
		l.Pieces = append(l.Pieces, Piece{Text: "→"})
	}
	l.Pieces = append(l.Pieces, q.hand(got)...)
	var parts []string
	if len(lost) > 0 {
		parts = append(parts, q.why(&lost[0]), q.heldFor(&lost[0]))
		l.Wrong = lost[0].Reason == event.BySessionExpired
	}
	if len(got) > 0 {
		if len(lost) == 0 {
			parts = append(parts, q.say("holding.got"))
		}
		parts = append(parts, q.waited(&got[0]))
	} else if !q.family.Use.Shared() {
		key := "holding.got.nobody"
		if lost[0].Doubts > 0 {
			key = "holding.got.unsure"
		}
		parts = append(parts, q.say(key))
	}
	var w nouns
	w.add(parts...)
	l.Pieces = append(l.Pieces, Piece{Text: strings.Join(w.parts, " · ")})
	return l
}

func (q *inquiry) hand(changes []handover.Change) (all []Piece) {
	for _, c := range changes[:min(len(changes), maxHolders)] {
		who, _ := q.whose(c.Hand.Session)
		if who.Label != "" {
			all = append(all, Piece{Who: who})
		} else {
			all = append(all, Piece{Text: q.session(c.Hand.Session)})
		}
	}
	return append(all, q.more(len(changes)-maxHolders)...)
}

// why returns the cause of a loss.
func (q *inquiry) why(c *handover.Change) string {
	switch {
	case c.Never && c.Reason == event.NoReason:
		return q.say("holding.why.never")
	case c.Never:
		return q.say("holding.why.went")
	}
	switch c.Reason {
	case event.NoReason:
		return q.say("holding.why.before")
	case event.ByOp:
		switch {
		case c.By == 0:
			return q.say("holding.why.deleted")
		case c.By == c.Hand.Session:
			return q.say("holding.why.own")
		}
		return q.say("holding.why.other", q.name(c.By))
	case event.BySessionClosed:
		return q.say("holding.why.closed")
	case event.BySessionExpired:
		return q.say("holding.why.expired")
	case event.ByTimer:
		return q.say("holding.why.timer")
	}
	return q.say("holding.why.unknown")
}

func (q *inquiry) heldFor(c *handover.Change) string {
	d := time.Duration(c.TimeMS-c.Hand.GotMS) * time.Millisecond
	switch {
	case d < 0 || c.Never:
		return ""
	case c.Hand.Had && d < time.Second: // the log begins at its end, or just before
		return q.say("holding.held.unknown")
	case c.Hand.Had:
		return q.say("holding.held.least", lasted(d, q.say))
	}
	return q.say("holding.held.for", lasted(d, q.say))
}

func (q *inquiry) waited(c *handover.Change) string {
	d := time.Duration(c.TimeMS-c.Hand.MadeMS) * time.Millisecond
	if c.Hand.MadeMS == 0 || d <= 0 {
		return ""
	}
	return q.say("holding.waited", lasted(d, q.say))
}
