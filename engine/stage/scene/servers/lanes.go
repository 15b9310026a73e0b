package servers

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/message"
)

// lanes plans the messages between servers, on a strip that all rows of the table leave free.
type lanes struct {
	*ensemble
	fences  *fences
	letters *message.Letters
}

// planLetters plans the messages between servers. If two overlap, the earlier one has its word, and the later one is a
// dot meanwhile.
func (l *lanes) planLetters() {
	f := l.f
	for i := range f.State.Flights.List {
		m := &f.State.Flights.List[i]
		if m.From.Kind() != event.AServer || m.To.Kind() != event.AServer || m.Op == event.ServerPing {
			continue
		}
		from, to := m.From.Number()-1, m.To.Number()-1
		if from < len(l.servers) && to < len(l.servers) && from != to && l.table.strip > 0 {
			l.planLetter(m, l.stripAt(from), l.stripAt(to))
		}
	}
}

// stripAt returns the part of the strip in a server's row.
func (l *lanes) stripAt(i int) geom.Rect {
	r, t, pad := l.servers[i].Rect, &l.table, l.serverPad()
	x := r.X + pad + t.label
	return geom.R(x, r.Y, t.strip, r.H)
}

func (l *lanes) planLetter(m *view.Flight, from, to geom.Rect) {
	f := l.f
	word := f.OpWord(m.Op)
	part, seen := f.Progress(m)
	waits := !m.Over && f.At >= m.Arrives() // at a fence, or for a paused process
	if !seen && !waits {
		return
	}
	a, b := m.From.Number()-1, m.To.Number()-1
	p := message.Letter{Upright: true, Right: b > a, Look: letterLookOf(m.Op), Lost: m.Dropped, Alpha: 1}
	if m.Dropped && !f.Options.Still {
		f.Moving = true
		p.Alpha = 1 - f.Passed(m.OverAt, floor.CrossFor)
	}
	part = min(part, 0.92)
	p.X, p.Y = geom.Mix(from.MidX(), to.MidX(), part), geom.Mix(from.MidY(), to.MidY(), part)
	h := f.MessageH()
	if l.parted(a, b) {
		p.Y = l.fences.atFence(a, b, geom.R(from.X, p.Y-h/2, from.W, h))
	}
	if from.X == to.X {
		p.Way = geom.Straight(from.MidX(), from.MidY(), to.MidX(), to.MidY())
	}
	if says := l.sentBy(a, b, word); l.letters.LetterW(says) <= l.table.strip {
		l.letters.WordLetter(&p, says)
	}
	first := len(f.Marks)
	r := p.Rect
	if r.W == 0 {
		r = geom.Around(p.X, p.Y, l.letters.LetterDot())
	}
	who := f.Server(m.To.Number())
	sender := f.ActorID(m.From)
	f.Shows(mark.Between, sender, f.Say(m.Op.String(), " ", who).Label(), r)
	f.Saying(first, f.Phrase("scene.server.message", word, who))
	if !m.Over && fault.Named(m.Op) {
		p.From, p.Seq = sender, m.Seq
	}
	l.letters.List = append(l.letters.List, p)
}

// sentBy returns the word for a message from server a to server b, by index, with its sender if it crosses the rows of
// others and there is room.
func (l *lanes) sentBy(a, b int, word string) string {
	if a-b == 1 || b-a == 1 {
		return word
	}
	if named := l.f.Phrase("scene.server.sends", l.f.Server(a+1), word); l.letters.LetterW(named) <= l.table.strip {
		return named
	}
	return word
}

func letterLookOf(op event.Op) message.LetterLook {
	switch op {
	case event.Notification:
		return message.LetterVote
	case event.Proposal, event.Forward:
		return message.LetterAsks
	case event.Ack, event.Commit, event.Inform:
		return message.LetterAgrees
	}
	return message.LetterTerms
}
