package panes

import (
	"strings"

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
		l.More = q.say("hands.more", sentence.Grouped(more))
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
	l.Pieces = append(l.Pieces, q.people.hand(lost)...)
	if len(lost) > 0 && len(got) > 0 {
		l.Pieces = append(l.Pieces, Piece{Text: "→"})
	}
	l.Pieces = append(l.Pieces, q.people.hand(got)...)
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
	} else if !q.roster.family.Use.Shared() {
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

// why returns the cause of a loss.
func (q *inquiry) why(c *handover.Change) string {
	return q.say(handover.WhyKey(c.Why(), q.Host.Traits().Gaps), q.people.name(c.By))
}

func (q *inquiry) heldFor(c *handover.Change) string {
	held := c.Hand.Held(c.TimeMS)
	if held.MS < 0 || c.Never {
		return ""
	}
	return q.say("holding.held.for", q.says(held, handover.Took))
}

// says returns how long one has held it, in words; write writes times.
func (q *inquiry) says(l handover.Length, write func(ms int64) sentence.Sentence) string {
	return q.say.voice().Says(handover.Lasted(l, func(ms int64) sentence.Arg { return sentence.Sentences(write(ms)) }))
}

func (q *inquiry) waited(c *handover.Change) string {
	ms, known := c.Waited()
	if !known || ms <= 0 {
		return ""
	}
	return q.say("holding.waited", q.say.voice().Says(handover.Took(ms)))
}
