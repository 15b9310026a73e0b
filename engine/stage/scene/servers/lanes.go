package servers

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/message"
)

// lanes plans the messages between servers, on lanes above them.
type lanes struct {
	*ensemble
	fences  *fences
	letters *message.Letters
}

// lanes returns the number of lanes for messages between servers: one for each direction, if there is room.
func (l *lanes) lanes() int {
	switch {
	case l.outside():
		return 0
	case l.f.Options.Height < 420:
		return 1
	}
	return 2
}

// planLetters plans the messages between servers. If two overlap, the earlier one has its word, and the later one is a
// dot meanwhile.
func (l *lanes) planLetters() {
	f := l.f
	servers := l.servers
	for i := range f.State.Flights.List {
		m := &f.State.Flights.List[i]
		if m.From.Kind() != event.AServer || m.To.Kind() != event.AServer || m.Op == event.ServerPing {
			continue
		}
		from, to := m.From.Number()-1, m.To.Number()-1
		if from < len(servers) && to < len(servers) {
			l.planLetter(m, servers[from].MidX(), servers[to].MidX())
		}
	}
}

func (l *lanes) planLetter(m *view.Flight, from, to float64) {
	f := l.f
	word := f.OpWord(m.Op)
	part, seen := f.Progress(m)
	waits := !m.Over && part >= 1 // at a fence, or for a paused process
	if !seen && !waits {
		return
	}
	p := message.Letter{Right: to > from, Look: letterLookOf(m.Op), Lost: m.Dropped, Alpha: 1}
	if m.Dropped && !f.Options.Still {
		f.Moving = true
		p.Alpha = 1 - f.Passed(m.OverAt, floor.CrossFor)
	}
	lane := 0
	if !p.Right {
		lane = l.lanes() - 1
	}
	top := l.servers[0].Y - float64(l.lanes())*f.LaneH()
	p.X, p.Y = geom.Mix(from, to, min(part, 0.92)), top+(float64(lane)+0.5)*f.LaneH()-1
	if a, b := m.From.Number()-1, m.To.Number()-1; l.parted(a, b) {
		p.X = l.fences.atFence(a, b, geom.R(p.X, top+float64(lane)*f.LaneH(), l.letters.LetterW(word), f.LaneH()))
	}
	l.letters.WordLetter(&p, word)
	first := len(f.Marks)
	r := p.Rect
	if r.W == 0 {
		r = geom.Around(p.X, p.Y, l.letters.LetterDot())
	}
	who := f.Say("S").Num(int64(m.To.Number())).Label()
	sender := f.Say("server-").Num(int64(m.From.Number())).Label()
	f.Shows(mark.Between, sender, f.Say(m.Op.String(), " ", who).Label(), r)
	f.Saying(first, f.Phrase("scene.server.message", word, who))
	l.letters.List = append(l.letters.List, p)
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
