package scene

import (
	"math"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// planMessages plans the requests and replies under way, and the lost ones.
func (l *Layout) planMessages() {
	if l.visitors {
		l.planSlowed()
		return
	}
	for k := range l.s.Flights {
		l.planMessage(&l.s.Flights[k])
	}
}

// sender returns the client on whose link a message travels, or -1, and whether the message travels up to the server.
func (l *Layout) sender(m *view.Flight) (client int, up bool) {
	if i := l.client(m.From); i >= 0 {
		return i, true
	}
	return l.client(m.To), false
}

// progress returns how far a message has come, and whether it is visible.
func (l *Layout) progress(m *view.Flight) (part float64, seen bool) {
	if m.Dropped {
		part = 0.5
		if m.Takes > 0 && !l.o.Still {
			part = min(max(float64(m.OverAt-m.Sent)/float64(m.Takes), 0.1), 0.9)
		}
		return part, l.at < m.OverAt+crossFor
	}
	waits := !m.Over && (m.Takes <= 0 || l.lies(m))
	if l.o.Still {
		return 0.5, waits || !m.Over && l.at < m.Sent+m.Takes
	}
	part = l.passed(m.Sent, flight(m.Takes))
	if waits {
		return min(part, 0.92), true
	}
	return part, part < 1
}

// lies reports whether a message has arrived at a paused client and stays unread until the client resumes.
func (l *Layout) lies(m *view.Flight) bool {
	i := l.client(m.To)
	return i >= 0 && l.s.Clients[i].Paused && !m.Notify && m.Sent+m.Takes >= l.s.Clients[i].PausedAt
}

func (l *Layout) planMessage(m *view.Flight) {
	if m.From.Kind() == event.ANode || m.To.Kind() == event.ANode {
		l.planRemoteMessage(m)
		return
	}
	part, seen := l.progress(m)
	if !seen {
		return
	}
	i, up := l.sender(m)
	if i < 0 || l.spots[i].r <= 0 || l.spots[i].dot {
		return
	}
	if m.Notify && !m.Dropped {
		return // the watch's own line shows it
	}
	beat := m.Op == event.Ping || m.Op == event.NoOp
	if beat && m.Dropped && l.s.Clients[i].Ended != view.Alive {
		return // the session is over, so it matters to nobody
	}
	p := messagePlan{
		client: i, name: l.s.Clients[i].Name, seq: m.Seq, up: up, reply: m.Reply, bad: m.Reply && m.Code != 0, alpha: 1,
	}
	p.x, p.y = l.onLink(&l.spots[i], part, up, m)
	switch {
	case m.Dropped:
		if !m.Notify && !beat {
			l.planWord(m, &p)
		}
		p.look = lostMessage
		if !l.o.Still {
			l.p.Moving = true
			p.alpha = 1 - l.passed(m.OverAt, crossFor)
		}
	case beat:
		if l.o.Still {
			return
		}
		p.look = ping
	default:
		l.planWord(m, &p)
	}
	if p.look != ping {
		l.messageMark(m, &p)
	}
	l.p.messages = append(l.p.messages, p)
}

// onLink returns the position of a message on its client's link, or on the watch's line for a notification.
func (l *Layout) onLink(p *spot, part float64, up bool, m *view.Flight) (x, y float64) {
	if m.Notify {
		var way path
		i := l.client(m.To)
		if to, ok := l.goal(i, m.Path, true); ok && l.route(i, to, &way) {
			return way.at(1 - part)
		}
	}
	if up {
		part = 1 - part
	}
	top, bottom := l.box.bottom(), p.y-ringOf(p.r)-p.r*0.35
	half := l.messageH() / 2
	return p.x + p.gap, mix(top+half, max(bottom-half, top+half), part)
}

func (l *Layout) messageH() float64 { return l.m.small.size + max(3, 5*l.m.k) }

// planWord gives a message its word if there is room. Otherwise the message is a dot, next to the word of another
// message that it would overlap.
func (l *Layout) planWord(m *view.Flight, p *messagePlan) {
	a, word := l.m.small, l.messageWord(m)
	w, h := a.width(word)+10*max(l.m.k, 0.7), l.messageH()
	sign := 0.0 // before the word: an eye, or the cross of a refusal
	if m.Watch != event.NoWatch || p.bad {
		sign = h * 0.9
	}
	if m.Op == event.Set && !m.Reply && w+sign > l.routes.pitch-4 {
		word = l.opWord(m.Op)
		w = a.width(word) + 10*max(l.m.k, 0.7)
	}
	w += sign
	beside, met := l.meets(p.client, p.y, h)
	cutOff := p.x-w/2 < 0 || p.x+w/2 > l.o.Width
	if word == "" || w > l.routes.pitch-4 || cutOff || l.spots[p.client].gap > 0 || met {
		p.look = wordless
		if met {
			r := max(3, 4*l.m.k)
			p.x = beside + r + 2
			l.joinLink(p.client, p.y, p.x+r)
		}
		return
	}
	l.joinLink(p.client, p.y, p.x+w/2)
	p.word = tag{rect: rect{p.x - w/2, p.y - h/2, w, h}, radius: h / 2,
		text: middle(word, p.x+sign/2, p.y, a, inkPlain, w)}
	if sign > 0 {
		p.eye = spotMark{p.x - w/2 + h*0.7, p.y, h * 0.24}
	}
}

// joinLink records how far to the right a message on a client's link reaches.
func (l *Layout) joinLink(i int, y, right float64) {
	l.worded = append(l.worded, wordAt{y: y, right: right, before: l.lastWord[i]})
	l.lastWord[i] = int32(len(l.worded))
}

// messageMark records the mark of a message.
func (l *Layout) messageMark(m *view.Flight, p *messagePlan) {
	r := p.word.rect
	if r.w == 0 {
		r = around(p.x, p.y, max(3, 4*l.m.k))
	}
	value := letter(p.client)
	switch {
	case p.look == lostMessage:
		if p.alpha > 0.02 {
			if p.word.w == 0 {
				r = around(p.x, p.y, max(5, 7*l.m.k))
			}
			l.shows(LostMark, value, "", r)
		}
		return
	case p.reply:
		l.say(value, " ")
		value = l.say(zoo.Code(m.Code).Error()).label()
		l.shows(ReplyMark, m.Op.String(), value, r)
		l.saying(len(l.p.marks)-1, p.word.text.text)
		return
	case p.look == worded && m.If:
		value = l.say(value, " ", p.word.text.text).label()
	case p.look == worded && m.Watch != event.NoWatch:
		value = l.say(value, " watch").label()
	}
	l.shows(MessageMark, m.Op.String(), value, r)
}

// wordAt is the place of a message with its word.
type wordAt struct {
	y, right float64
	before   int32 // the previous one on the same link, as an index in Layout.worded from 1; 0 for none
}

// meets reports whether a message of client i, h px high, would overlap another one's word, and where that ends.
func (l *Layout) meets(i int, y, h float64) (right float64, met bool) {
	for k := l.lastWord[i]; k > 0; k = l.worded[k-1].before {
		if p := &l.worded[k-1]; math.Abs(p.y-y) < h+1 {
			return p.right, true
		}
	}
	return 0, false
}

// messageWord returns the word for a message.
func (l *Layout) messageWord(m *view.Flight) string {
	if !m.Reply {
		word := l.opWord(m.Op)
		if m.Op == event.Set && m.Text != "" && len(m.Text) <= 8 {
			data := l.cut(m.Text, l.m.small, l.m.small.size*6)
			word = l.say(word, " ", data).label()
		}
		if m.If && word != "" {
			word = l.phrase("scene.if-version", word, l.num(int64(m.Expects)).label())
		}
		return word
	}
	switch zoo.Code(m.Code) {
	case zoo.OK:
		return l.phrase("scene.ok")
	case zoo.ErrNodeExists:
		return l.phrase("scene.node-exists")
	case zoo.ErrNoNode:
		return l.phrase("scene.no-node")
	case zoo.ErrBadVersion:
		return l.phrase("scene.bad-version")
	}
	return l.phrase("scene.error")
}
