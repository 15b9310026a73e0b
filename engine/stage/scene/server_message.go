package scene

import (
	"math"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// letterPlan is a message between two servers of an ensemble, on the lane above them.
type letterPlan struct {
	tag
	x, y  float64 // centre
	right bool    // travels to the right
	look  letterLook
	lost  bool
	alpha float64
}

type letterLook uint8

const (
	letterVote   letterLook = iota // in an election
	letterTerms                    // between a learner and its leader, before the learner serves
	letterAsks                     // a proposal
	letterAgrees                   // an ack or a commit
)

// letters has the messages between two servers, and between two nodes of another system. No word covers another one.
type letters struct {
	*floor
	list []letterPlan
}

func (l *letters) begin() { l.list = l.list[:0] }

// lanes plans the messages between servers, on lanes above them.
type lanes struct {
	*ensemble
	fences  *fences
	letters *letters
}

// lanes returns the number of lanes for messages between servers: one for each direction, if there is room.
func (l *lanes) lanes() int {
	switch {
	case l.outside():
		return 0
	case l.o.Height < 420:
		return 1
	}
	return 2
}

func (g *setting) laneH() float64 { return g.messageH() + 2 }

// planLetters plans the messages between servers. If two overlap, the earlier one has its word, and the later one is a
// dot meanwhile.
func (l *lanes) planLetters() {
	servers := l.servers
	for i := range l.s.Flights {
		m := &l.s.Flights[i]
		if m.From.Kind() != event.AServer || m.To.Kind() != event.AServer || m.Op == event.ServerPing {
			continue
		}
		from, to := m.From.Number()-1, m.To.Number()-1
		if from < len(servers) && to < len(servers) {
			l.planLetter(m, servers[from].midX(), servers[to].midX())
		}
	}
}

func (l *lanes) planLetter(m *view.Flight, from, to float64) {
	word := l.opWord(m.Op)
	part, seen := l.progress(m)
	waits := !m.Over && part >= 1 // at a fence, or for a paused process
	if !seen && !waits {
		return
	}
	p := letterPlan{right: to > from, look: letterLookOf(m.Op), lost: m.Dropped, alpha: 1}
	if m.Dropped && !l.o.Still {
		l.moving = true
		p.alpha = 1 - l.passed(m.OverAt, crossFor)
	}
	lane := 0
	if !p.right {
		lane = l.lanes() - 1
	}
	top := l.servers[0].y - float64(l.lanes())*l.laneH()
	p.x, p.y = mix(from, to, min(part, 0.92)), top+(float64(lane)+0.5)*l.laneH()-1
	if a, b := m.From.Number()-1, m.To.Number()-1; l.parted(a, b) {
		p.x = l.fences.atFence(a, b, rect{p.x, top + float64(lane)*l.laneH(), l.letters.letterW(word), l.laneH()})
	}
	l.letters.wordLetter(&p, word)
	first := len(l.marks)
	r := p.rect
	if r.w == 0 {
		r = around(p.x, p.y, l.letters.letterDot())
	}
	who := l.say("S").num(int64(m.To.Number())).label()
	sender := l.say("server-").num(int64(m.From.Number())).label()
	l.shows(BetweenMark, sender, l.say(m.Op.String(), " ", who).label(), r)
	l.saying(first, l.phrase("scene.server.message", word, who))
	l.letters.list = append(l.letters.list, p)
}

// tipLength is the distance of a message's tip from its word.
const tipLength = 4

func (l *letters) letterDot() float64 { return max(3, 3.6*l.m.k) }

// letterW returns the width of a message with its word.
func (l *letters) letterW(word string) float64 { return l.m.small.width(word) + 12*max(l.m.k, 0.7) }

// wordLetter gives a message its word, unless it would overlap another message.
func (l *letters) wordLetter(p *letterPlan, word string) {
	a, h, w := l.m.small, l.messageH(), l.letterW(word)
	r := rect{min(max(p.x-w/2, tipLength+1), l.o.Width-w-tipLength-1), p.y - h/2, w, h}
	for i := range l.list {
		o := &l.list[i]
		left, right := o.x-l.letterDot(), o.x+l.letterDot()
		if o.w > 0 {
			left, right = o.rect.x, o.rect.right()
		}
		if math.Abs(o.y-p.y) < h && r.x < right+2 && r.right() > left-2 {
			return
		}
	}
	p.tag = tag{rect: r, radius: h / 2, text: middle(word, r.midX(), p.y, a, inkPlain, w)}
}

func letterLookOf(op event.Op) letterLook {
	switch op {
	case event.Notification:
		return letterVote
	case event.Proposal, event.Forward:
		return letterAsks
	case event.Ack, event.Commit, event.Inform:
		return letterAgrees
	}
	return letterTerms
}
