package scene

import (
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// traffic plans the messages from and to the nodes.
type traffic struct {
	*holdings
	ways     *ways
	messages *messages
	letters  *letters
}

// remoteOf returns the node at one end of a message and the client at the other, or -1.
func (t *traffic) remoteOf(m *view.Flight) (node, client int, up bool) {
	if node, _ = t.drawn(m.To); node >= 0 {
		return node, t.client(m.From), true
	}
	if node, _ = t.drawn(m.From); node >= 0 {
		return node, t.client(m.To), false
	}
	return -1, -1, false
}

// planRemoteMessage plans a message between a client and a node.
func (t *traffic) planRemoteMessage(m *view.Flight) {
	part, seen := t.progress(m)
	node, i, up := t.remoteOf(m)
	if !seen || node < 0 || i < 0 || t.spots[i].r <= 0 || t.spots[i].dot {
		return
	}
	if t.severed(&t.s.Clients[i]) { // it stops at the scissors
		limit := cutFrom * 0.6
		if !up {
			limit = (1 - cutFrom) * 0.85
		}
		part = min(part, limit)
	}
	p := messagePlan{client: i, name: t.s.Clients[i].Name, seq: m.Seq, up: up, reply: !up, bad: m.Reply && m.Code != 0,
		alpha: 1}
	p.x, p.y = t.onWay(i, node, part, up)
	if t.kind != remoteKind {
		p.up = !up // the node is below
	}
	long, short := t.remoteWords(m)
	if m.Notify && !m.Dropped {
		p.look, p.bang = pushed, pulseR(&t.m, t.routes.fine)
		mark := len(t.marks)
		t.shows(ToldMark, letter(i), m.Path, around(p.x, p.y, p.bang))
		t.saying(mark, t.fullName(m.Path))
		t.messages.list = append(t.messages.list, p)
		return
	}
	t.wordRemote(&p, long, short, m.Watch != event.NoWatch)
	p.under = p.look == wordless
	if m.Dropped {
		p.look = lostMessage
		if !t.o.Still {
			t.moving = true
			p.alpha = 1 - t.passed(m.OverAt, crossFor)
		}
	}
	t.remoteMessageMark(m, &p, long)
	t.messages.list = append(t.messages.list, p)
}

// onWay returns the position of a message between a client and a node.
func (t *traffic) onWay(i, node int, part float64, up bool) (x, y float64) {
	var way path
	t.ways.remoteWay(i, node, &way)
	if !up {
		part = 1 - part
	}
	x, y = way.at(part)
	half, b, p := t.messageH()/2, t.boxes[node], &t.spots[i]
	if t.kind != remoteKind {
		return x, max(t.sizes.low+half, min(y, b.y-half))
	}
	bottom := p.y - ringOf(p.r) - p.r*0.35
	if p.gap > 0 {
		return x, max(y, b.bottom()+half)
	}
	return x, min(max(y, b.bottom()+half), max(bottom-half, b.bottom()+half))
}

// remoteWords returns the words for a message, in a long and a short form.
func (t *traffic) remoteWords(m *view.Flight) (long, short string) {
	switch {
	case m.Op == event.Connect:
		word := t.opWord(m.Op)
		return word, word
	case m.Reply || m.Notify:
		a, says := t.m.small, t.withoutRoot(m.Text)
		return t.cut(says, a, a.size*11), t.cut(says, a, a.size*5)
	}
	return t.command(m.Text)
}

// withoutRoot strips the root from the paths in a text, as the cards do.
func (t *traffic) withoutRoot(s string) string {
	root := t.s.Root
	if root == "" || root == "/" {
		return s
	}
	for {
		i := strings.Index(s, root)
		if i < 0 || i+len(root) >= len(s) || s[i+len(root)] != '/' {
			break
		}
		t.say(s[:i])
		s = s[i+len(root)+1:]
	}
	return t.say(s).label()
}

// wordRemote gives a message its word if there is room; otherwise it is a dot. A request that sets a watch has an eye.
func (t *traffic) wordRemote(p *messagePlan, long, short string, watch bool) {
	a, h := t.m.small, t.messageH()
	sign := 0.0
	if p.bad || watch {
		sign = h * 0.9
	}
	p.look = wordless
	if t.spots[p.client].gap > 0 {
		return
	}
	room := max(t.routes.pitch-4, 0)
	edge := 2 * (min(p.x, t.o.Width-p.x) - h*0.4) // a line through it is longer
	frame := 10*max(t.m.k, 0.7) + sign
	for _, word := range [...]string{long, short} {
		w := a.width(word) + frame
		r := rect{p.x - w/2, p.y - h/2, w, h}
		if word == "" || w > room || w > edge || t.messages.onWord(r) {
			continue
		}
		p.look = worded
		p.word = tag{rect: r, radius: h / 2, text: middle(word, p.x+sign/2, p.y, a, inkPlain, w)}
		if sign > 0 {
			p.eye = spotMark{r.x + h*0.7, p.y, h * 0.24}
		}
		return
	}
}

// mostWords is the maximum number of messages checked for an overlap.
const mostWords = 96

// onWord reports whether a word at r would overlap another message.
func (ms *messages) onWord(r rect) bool {
	list := ms.list
	if len(list) > mostWords {
		list = list[len(list)-mostWords:]
	}
	dot := max(3, 4*ms.m.k)
	for i := range list {
		o := list[i].word.rect
		if o.w == 0 {
			o = rect{list[i].x - dot, list[i].y - dot, 2 * dot, 2 * dot}
		}
		if r.x < o.right()+1 && o.x < r.right()+1 && r.y < o.bottom()+1 && o.y < r.bottom()+1 {
			return true
		}
	}
	return false
}

// remoteMessageMark records what a message shows.
func (t *traffic) remoteMessageMark(m *view.Flight, p *messagePlan, says string) {
	r := p.word.rect
	if r.w == 0 {
		r = around(p.x, p.y, max(3, 4*t.m.k))
	}
	first, who := len(t.marks), letter(p.client)
	switch {
	case p.look == lostMessage:
		if p.alpha > 0.02 {
			if p.word.w == 0 {
				r = around(p.x, p.y, max(5, 7*t.m.k))
			}
			t.shows(LostMark, who, "", r)
		}
		return
	case p.reply:
		t.shows(ReplyMark, m.Op.String(), t.say(who, " ", says).label(), r)
	default:
		t.shows(MessageMark, m.Op.String(), t.say(who, " ", says).label(), r)
		says = t.cut(m.Text, t.m.small, t.o.Width)
	}
	t.saying(first, says)
}

// planRemoteDots plans the messages of clients that are dots.
func (t *traffic) planRemoteDots() {
	for k := range t.s.Flights {
		m := &t.s.Flights[k]
		node, i, up := t.remoteOf(m)
		if node < 0 || i < 0 || !t.spots[i].dot {
			continue
		}
		part, seen := t.progress(m)
		if !seen {
			continue
		}
		x, y := t.onWay(i, node, part, up)
		p := particle{x: float32(x), y: float32(y), r: float32(max(1.4, 2.4*t.m.k)), look: replyParticle}
		switch {
		case m.Dropped:
			p.look = lostParticle
		case m.Notify:
			p.look = eventParticle
		case up:
			p.look = requestParticle
		}
		t.messages.requests = append(t.messages.requests, p)
	}
}
