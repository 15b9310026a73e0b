package scene

import (
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// wayPlan is a client's connection to a node, or its line to its place in a queue there.
type wayPlan struct {
	way    path
	client int
	name   string // name of the client
	look   wayLook
	faint  bool     // one of many
	at     spotMark // the scissors on a broken connection, or the eye at the end
}

type wayLook uint8

const (
	wayOpen   wayLook = iota
	wayBroken         // nothing gets through
	wayBegun          // the client is connecting
	wayGhost          // the node believes it is open, but the client is gone
	wayKept           // continues to its place in the queue
	wayWatch          // leads to what the client listens for
)

// mostFans is the maximum number of clients drawn with a line to each of the independent nodes.
const mostFans = 8

// cutFrom is the position of the scissors on a connection, as a part of the way from the client.
const cutFrom = 0.35

// planRemoteLinks plans the clients' connections to the nodes.
func (l *Layout) planRemoteLinks() {
	for i := range l.spots {
		l.planRemoteLink(i)
	}
}

func (l *Layout) planRemoteLink(i int) {
	c, p := &l.s.Clients[i], &l.spots[i]
	if p.r <= 0 || p.dot || !c.Started || c.Exited || c.Crashed && !c.Vanished || !c.Linked && !spoke(c) && !c.Vanished {
		return
	}
	l.planStanding(i)
	l.planListening(i)
	if p.gap > 0 || !l.talks(c) {
		return
	}
	first, last := l.nodesOf(c)
	look := wayOpen
	switch {
	case c.Vanished:
		look = wayGhost
	case c.Cut || l.severed(c):
		look = wayBroken
	case !c.Linked:
		look = wayBegun
	}
	if l.kind == remoteKind && l.far.clients[i].stands && look == wayOpen && first == last {
		return // planStanding draws it together with the rest of its line
	}
	for node := first; node <= last; node++ {
		if first < last && l.s.Remotes[node].Down {
			continue
		}
		w := added(&l.p.ways)
		w.client, w.name, w.look, w.faint = i, c.Name, look, first < last
		l.remoteWay(i, node, &w.way)
		if r := &l.s.Remotes[node]; look == wayOpen && (r.Down || c.Paused && r.Since > c.PausedAt) {
			w.look = wayBroken // the node has restarted since the pause; the client doesn't know
		}
		if w.look == wayBroken {
			x, y := w.way.at(cutFrom)
			r := max(6, 9*l.m.k)
			w.at = spotMark{x, y, r}
			l.shows(CutMark, letter(i), "", around(x, y, r*1.5))
		}
	}
}

// nodesOf returns the first and the last node, from 0, to which a client has connections: all nodes of a system of
// independent ones, else the node it talks to, or would.
func (l *Layout) nodesOf(c *view.Client) (first, last int) {
	node, y := l.drawn(c.Talks)
	if node < 0 {
		y, node = 0, l.primaryOf(&l.far.systems[0])
	}
	sys := &l.far.systems[y]
	if sys.apart && sys.nodes > 1 && len(l.s.Clients) <= mostFans {
		return sys.first, sys.first + sys.nodes - 1
	}
	if sys.apart && sys.nodes > 1 {
		return 0, -1
	}
	return node, node
}

// primaryOf returns the primary node of a system.
func (l *Layout) primaryOf(y *remoteSystem) int {
	for node := y.first; node < y.first+y.nodes; node++ {
		if !l.s.Remotes[node].Replica {
			return node
		}
	}
	return y.first
}

// remoteWay traces the line from client i to the nearer edge of a node. The lines arrive in the order of the clients.
func (l *Layout) remoteWay(i, node int, out *path) {
	p, b, z := &l.spots[i], l.far.boxes[node], &l.far.sizes
	out.n = 0
	inset := max(5, 10*l.m.k)
	x := min(max(p.x+p.gap, b.x+inset), b.right()-inset)
	if len(l.far.boxes) > 1 {
		in := l.inner()
		x = mix(b.x+inset, b.right()-inset, (p.x+p.gap-in.x)/in.w)
	}
	if l.kind != remoteKind {
		out.add(upright(p.x, z.low, x, b.y))
		return
	}
	top := p.y - ringOf(p.r) - p.r*0.35
	if p.gap > 0 {
		out.add(straight(p.x+p.gap, p.y, p.x+p.gap, z.low))
		top = z.low
	}
	out.add(upright(p.x+p.gap, top, x, b.bottom()))
}

// planStanding plans the line from a client whose request waits to its place in the queue.
func (l *Layout) planStanding(i int) {
	k, c := &l.far.clients[i], &l.s.Clients[i]
	node, _ := l.drawn(c.KeptAt)
	if !k.stands || node < 0 || l.kind != remoteKind {
		return
	}
	w := added(&l.p.ways)
	w.client, w.name, w.look = i, c.Name, wayKept
	l.remoteWay(i, node, &w.way)
	x, y := w.way.at(1)
	w.way.add(upright(x, y, k.x, k.y))
}

// listens reports whether a client waits for a notification from a node.
func (l *Layout) listens(c *view.Client) bool {
	return c.Listens != "" && l.kind == remoteKind && !c.Belief.Phase.Inside() && !c.Belief.Phase.Traits().Over &&
		!c.Crashed && !c.Exited
}

// planListening plans the line from a client to the entry or channel it listens for, with an eye next to that.
func (l *Layout) planListening(i int) {
	c, p := &l.s.Clients[i], &l.spots[i]
	node, y := l.drawn(c.ListensAt)
	at := -1
	if l.listens(c) {
		at = l.cell(c.ListensAt, c.Listens)
	}
	if node < 0 || at < 0 {
		return
	}
	cell, ok := l.cellRect(node, &l.far.systems[y], at%len(l.far.items))
	if !ok || l.o.Height < 300 { // the lane is too low
		return
	}
	card, q := l.cardRect(cell), &l.far.queues[at]
	gap := cell.w - card.w // the eye must not reach the next card
	r := min(l.eyeR(), max(2.5, gap*0.5+2))
	n, step := float64(min(q.told, maxEyes)), r*2.3
	if n > 1 {
		step = min(step, (card.h-2*r)/(n-1))
	}
	k := float64(min(q.eyes, maxEyes-1))
	q.eyes++
	x, eye := card.right()+max(1, min(gap*0.4, r)), card.midY()+(k-(n-1)/2)*step
	w := added(&l.p.ways)
	w.client, w.name, w.look, w.at = i, c.Name, wayWatch, spotMark{x, eye, r}
	sx, sy := takeOff(p, x)
	low := l.far.boxes[node].bottom()
	if p.gap > 0 {
		sx, sy = p.x+p.gap, l.far.sizes.low
		w.way.add(straight(p.x+p.gap, p.y, sx, sy))
	}
	w.way.add(upright(sx, sy, x, low))
	w.way.add(straight(x, low, x, eye))
	mark := len(l.p.marks)
	l.shows(WatchMark, letter(i), c.Listens, around(x, eye, r))
	l.saying(mark, l.fullName(c.Listens))
}

// remoteOf returns the node at one end of a message and the client at the other, or -1.
func (l *Layout) remoteOf(m *view.Flight) (node, client int, up bool) {
	if node, _ = l.drawn(m.To); node >= 0 {
		return node, l.client(m.From), true
	}
	if node, _ = l.drawn(m.From); node >= 0 {
		return node, l.client(m.To), false
	}
	return -1, -1, false
}

// planRemoteMessage plans a message between a client and a node.
func (l *Layout) planRemoteMessage(m *view.Flight) {
	part, seen := l.progress(m)
	node, i, up := l.remoteOf(m)
	if !seen || node < 0 || i < 0 || l.spots[i].r <= 0 || l.spots[i].dot {
		return
	}
	if l.severed(&l.s.Clients[i]) { // it stops at the scissors
		limit := cutFrom * 0.6
		if !up {
			limit = (1 - cutFrom) * 0.85
		}
		part = min(part, limit)
	}
	p := messagePlan{client: i, name: l.s.Clients[i].Name, seq: m.Seq, up: up, reply: !up, bad: m.Reply && m.Code != 0,
		alpha: 1}
	p.x, p.y = l.onWay(i, node, part, up)
	if l.kind != remoteKind {
		p.up = !up // the node is below
	}
	long, short := l.remoteWords(m)
	if m.Notify && !m.Dropped {
		p.look, p.bang = pushed, pulseR(&l.m, l.routes.fine)
		mark := len(l.p.marks)
		l.shows(ToldMark, letter(i), m.Path, around(p.x, p.y, p.bang))
		l.saying(mark, l.fullName(m.Path))
		l.p.messages = append(l.p.messages, p)
		return
	}
	l.wordRemote(&p, long, short, m.Watch != event.NoWatch)
	p.under = p.look == wordless
	if m.Dropped {
		p.look = lostMessage
		if !l.o.Still {
			l.p.Moving = true
			p.alpha = 1 - l.passed(m.OverAt, crossFor)
		}
	}
	l.remoteMessageMark(m, &p, long)
	l.p.messages = append(l.p.messages, p)
}

// onWay returns the position of a message between a client and a node.
func (l *Layout) onWay(i, node int, part float64, up bool) (x, y float64) {
	var way path
	l.remoteWay(i, node, &way)
	if !up {
		part = 1 - part
	}
	x, y = way.at(part)
	half, b, p := l.messageH()/2, l.far.boxes[node], &l.spots[i]
	if l.kind != remoteKind {
		return x, max(l.far.sizes.low+half, min(y, b.y-half))
	}
	bottom := p.y - ringOf(p.r) - p.r*0.35
	if p.gap > 0 {
		return x, max(y, b.bottom()+half)
	}
	return x, min(max(y, b.bottom()+half), max(bottom-half, b.bottom()+half))
}

// remoteWords returns the words for a message, in a long and a short form.
func (l *Layout) remoteWords(m *view.Flight) (long, short string) {
	switch {
	case m.Op == event.Connect:
		word := l.opWord(m.Op)
		return word, word
	case m.Reply || m.Notify:
		a, says := l.m.small, l.withoutRoot(m.Text)
		return l.cut(says, a, a.size*11), l.cut(says, a, a.size*5)
	}
	return l.command(m.Text)
}

// withoutRoot strips the root from the paths in a text, as the cards do.
func (l *Layout) withoutRoot(s string) string {
	root := l.s.Root
	if root == "" || root == "/" {
		return s
	}
	for {
		i := strings.Index(s, root)
		if i < 0 || i+len(root) >= len(s) || s[i+len(root)] != '/' {
			break
		}
		l.say(s[:i])
		s = s[i+len(root)+1:]
	}
	return l.say(s).label()
}

// wordRemote gives a message its word if there is room; otherwise it is a dot. A request that sets a watch has an eye.
func (l *Layout) wordRemote(p *messagePlan, long, short string, watch bool) {
	a, h := l.m.small, l.messageH()
	sign := 0.0
	if p.bad || watch {
		sign = h * 0.9
	}
	p.look = wordless
	if l.spots[p.client].gap > 0 {
		return
	}
	room := max(l.routes.pitch-4, 0)
	edge := 2 * (min(p.x, l.o.Width-p.x) - h*0.4) // a line through it is longer
	frame := 10*max(l.m.k, 0.7) + sign
	for _, word := range [...]string{long, short} {
		w := a.width(word) + frame
		r := rect{p.x - w/2, p.y - h/2, w, h}
		if word == "" || w > room || w > edge || l.onWord(r) {
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
func (l *Layout) onWord(r rect) bool {
	list := l.p.messages
	if len(list) > mostWords {
		list = list[len(list)-mostWords:]
	}
	dot := max(3, 4*l.m.k)
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
func (l *Layout) remoteMessageMark(m *view.Flight, p *messagePlan, says string) {
	r := p.word.rect
	if r.w == 0 {
		r = around(p.x, p.y, max(3, 4*l.m.k))
	}
	first, who := len(l.p.marks), letter(p.client)
	switch {
	case p.look == lostMessage:
		if p.alpha > 0.02 {
			if p.word.w == 0 {
				r = around(p.x, p.y, max(5, 7*l.m.k))
			}
			l.shows(LostMark, who, "", r)
		}
		return
	case p.reply:
		l.shows(ReplyMark, m.Op.String(), l.say(who, " ", says).label(), r)
	default:
		l.shows(MessageMark, m.Op.String(), l.say(who, " ", says).label(), r)
		says = l.cut(m.Text, l.m.small, l.o.Width)
	}
	l.saying(first, says)
}

// planRemoteDots plans the messages of clients that are dots.
func (l *Layout) planRemoteDots() {
	for k := range l.s.Flights {
		m := &l.s.Flights[k]
		node, i, up := l.remoteOf(m)
		if node < 0 || i < 0 || !l.spots[i].dot {
			continue
		}
		part, seen := l.progress(m)
		if !seen {
			continue
		}
		x, y := l.onWay(i, node, part, up)
		p := particle{x: float32(x), y: float32(y), r: float32(max(1.4, 2.4*l.m.k)), look: replyParticle}
		switch {
		case m.Dropped:
			p.look = lostParticle
		case m.Notify:
			p.look = eventParticle
		case up:
			p.look = requestParticle
		}
		l.p.requests = append(l.p.requests, p)
	}
}
