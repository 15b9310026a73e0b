package scene

import (
	"math"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// messages plans the messages under way between clients and servers.
type messages struct {
	*floor
	watches  *watches
	list     []messagePlan
	requests []particle      // messages of the dots
	slowed   view.Flight     // flight of the visitor's request that is being planned
	departs  []time.Duration // departure of each visitor's last drawn request
	worded   []wordAt        // messages with words
	lastWord []int32         // by client: the last element of worded on its link, as an index from 1
}

func (ms *messages) begin() {
	ms.list, ms.requests, ms.worded = ms.list[:0], ms.requests[:0], ms.worded[:0]
	ms.lastWord = resize(ms.lastWord, len(ms.s.Clients))
}

// each calls plan for each message under way, in the form in which it is drawn.
func (ms *messages) each(plan func(*view.Flight)) {
	if ms.visitors {
		ms.slow(plan)
		return
	}
	for k := range ms.s.Flights {
		plan(&ms.s.Flights[k])
	}
}

// sender returns the client on whose link a message travels, or -1, and whether the message travels up to the server.
func (g *setting) sender(m *view.Flight) (client int, up bool) {
	if i := g.client(m.From); i >= 0 {
		return i, true
	}
	return g.client(m.To), false
}

// progress returns how far a message has come, and whether it is visible.
func (g *setting) progress(m *view.Flight) (part float64, seen bool) {
	if m.Dropped {
		part = 0.5
		if m.Takes > 0 && !g.o.Still {
			part = min(max(float64(m.OverAt-m.Sent)/float64(m.Takes), 0.1), 0.9)
		}
		return part, g.at < m.OverAt+crossFor
	}
	waits := !m.Over && (m.Takes <= 0 || g.lies(m))
	if g.o.Still {
		return 0.5, waits || !m.Over && g.at < m.Sent+m.Takes
	}
	part = g.passed(m.Sent, flight(m.Takes))
	if waits {
		return min(part, 0.92), true
	}
	return part, part < 1
}

// lies reports whether a message has arrived at a paused client and stays unread until the client resumes.
func (g *setting) lies(m *view.Flight) bool {
	i := g.client(m.To)
	return i >= 0 && g.s.Clients[i].Paused && !m.Notify && m.Sent+m.Takes >= g.s.Clients[i].PausedAt
}

func (ms *messages) planMessage(m *view.Flight) {
	part, seen := ms.progress(m)
	if !seen {
		return
	}
	i, up := ms.sender(m)
	if i < 0 || ms.spots[i].r <= 0 || ms.spots[i].dot {
		return
	}
	if m.Notify && !m.Dropped {
		return // the watch's own line shows it
	}
	beat := m.Op == event.Ping || m.Op == event.NoOp
	if beat && m.Dropped && ms.s.Clients[i].Ended != view.Alive {
		return // the session is over, so it matters to nobody
	}
	p := messagePlan{
		client: i, name: ms.s.Clients[i].Name, seq: m.Seq, up: up, reply: m.Reply, bad: m.Reply && m.Code != 0, alpha: 1,
	}
	p.x, p.y = ms.onLink(&ms.spots[i], part, up, m)
	switch {
	case m.Dropped:
		if !m.Notify && !beat {
			ms.planWord(m, &p)
		}
		p.look = lostMessage
		if !ms.o.Still {
			ms.moving = true
			p.alpha = 1 - ms.passed(m.OverAt, crossFor)
		}
	case beat:
		if ms.o.Still {
			return
		}
		p.look = ping
	default:
		ms.planWord(m, &p)
	}
	if p.look != ping {
		ms.messageMark(m, &p)
	}
	ms.list = append(ms.list, p)
}

// onLink returns the position of a message on its client's link, or on the watch's line for a notification.
func (ms *messages) onLink(p *spot, part float64, up bool, m *view.Flight) (x, y float64) {
	if m.Notify {
		var way path
		i := ms.client(m.To)
		if to, ok := ms.watches.goal(i, m.Path, true); ok && ms.watches.route(i, to, &way) {
			return way.at(1 - part)
		}
	}
	if up {
		part = 1 - part
	}
	top, bottom := ms.box.bottom(), p.y-ringOf(p.r)-p.r*0.35
	half := ms.messageH() / 2
	return p.x + p.gap, mix(top+half, max(bottom-half, top+half), part)
}

func (g *setting) messageH() float64 { return g.m.small.size + max(3, 5*g.m.k) }

// planWord gives a message its word if there is room. Otherwise the message is a dot, next to the word of another
// message that it would overlap.
func (ms *messages) planWord(m *view.Flight, p *messagePlan) {
	a, word := ms.m.small, ms.messageWord(m)
	w, h := a.width(word)+10*max(ms.m.k, 0.7), ms.messageH()
	sign := 0.0 // before the word: an eye, or the cross of a refusal
	if m.Watch != event.NoWatch || p.bad {
		sign = h * 0.9
	}
	if m.Op == event.Set && !m.Reply && w+sign > ms.routes.pitch-4 {
		word = ms.opWord(m.Op)
		w = a.width(word) + 10*max(ms.m.k, 0.7)
	}
	w += sign
	beside, met := ms.meets(p.client, p.y, h)
	cutOff := p.x-w/2 < 0 || p.x+w/2 > ms.o.Width
	if word == "" || w > ms.routes.pitch-4 || cutOff || ms.spots[p.client].gap > 0 || met {
		p.look = wordless
		if met {
			r := max(3, 4*ms.m.k)
			p.x = beside + r + 2
			ms.joinLink(p.client, p.y, p.x+r)
		}
		return
	}
	ms.joinLink(p.client, p.y, p.x+w/2)
	p.word = tag{rect: rect{p.x - w/2, p.y - h/2, w, h}, radius: h / 2,
		text: middle(word, p.x+sign/2, p.y, a, inkPlain, w)}
	if sign > 0 {
		p.eye = spotMark{p.x - w/2 + h*0.7, p.y, h * 0.24}
	}
}

// joinLink records how far to the right a message on a client's link reaches.
func (ms *messages) joinLink(i int, y, right float64) {
	ms.worded = append(ms.worded, wordAt{y: y, right: right, before: ms.lastWord[i]})
	ms.lastWord[i] = int32(len(ms.worded))
}

// messageMark records the mark of a message.
func (ms *messages) messageMark(m *view.Flight, p *messagePlan) {
	r := p.word.rect
	if r.w == 0 {
		r = around(p.x, p.y, max(3, 4*ms.m.k))
	}
	value := letter(p.client)
	switch {
	case p.look == lostMessage:
		if p.alpha > 0.02 {
			if p.word.w == 0 {
				r = around(p.x, p.y, max(5, 7*ms.m.k))
			}
			ms.shows(LostMark, value, "", r)
		}
		return
	case p.reply:
		ms.say(value, " ")
		value = ms.say(zoo.Code(m.Code).Error()).label()
		ms.shows(ReplyMark, m.Op.String(), value, r)
		ms.saying(len(ms.marks)-1, p.word.text.text)
		return
	case p.look == worded && m.If:
		value = ms.say(value, " ", p.word.text.text).label()
	case p.look == worded && m.Watch != event.NoWatch:
		value = ms.say(value, " watch").label()
	}
	ms.shows(MessageMark, m.Op.String(), value, r)
}

// wordAt is the place of a message with its word.
type wordAt struct {
	y, right float64
	before   int32 // the previous one on the same link, as an index in messages.worded from 1; 0 for none
}

// meets reports whether a message of client i, h px high, would overlap another one's word, and where that ends.
func (ms *messages) meets(i int, y, h float64) (right float64, met bool) {
	for k := ms.lastWord[i]; k > 0; k = ms.worded[k-1].before {
		if p := &ms.worded[k-1]; math.Abs(p.y-y) < h+1 {
			return p.right, true
		}
	}
	return 0, false
}

// messageWord returns the word for a message.
func (ms *messages) messageWord(m *view.Flight) string {
	if !m.Reply {
		word := ms.opWord(m.Op)
		if m.Op == event.Set && m.Text != "" && len(m.Text) <= 8 {
			data := ms.cut(m.Text, ms.m.small, ms.m.small.size*6)
			word = ms.say(word, " ", data).label()
		}
		if m.If && word != "" {
			word = ms.phrase("scene.if-version", word, ms.num(int64(m.Expects)).label())
		}
		return word
	}
	switch zoo.Code(m.Code) {
	case zoo.OK:
		return ms.phrase("scene.ok")
	case zoo.ErrNodeExists:
		return ms.phrase("scene.node-exists")
	case zoo.ErrNoNode:
		return ms.phrase("scene.no-node")
	case zoo.ErrBadVersion:
		return ms.phrase("scene.bad-version")
	}
	return ms.phrase("scene.error")
}
