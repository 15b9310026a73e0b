package scene

import (
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
)

// standPlan is a client that stands in line at an entry, or has it locked, as a small disc with its letter.
type standPlan struct {
	x, y, r float64
	index   int
	holds   bool
	letter  label
}

// planQueue plans who has an item locked, and behind it those whose requests are kept waiting, in their order.
func (l *Layout) planQueue(at int, head int32, card rect) {
	q := &l.far.queues[at]
	if q.all == 0 && head == 0 {
		return
	}
	r := min(l.visitorSize()*0.8, l.far.sizes.foot*0.44)
	step, y := 2*r+3, card.bottom()+l.far.sizes.foot*0.55
	x := card.x + r
	put := func(client int, holds bool) bool {
		if client < 0 || x+r > card.right() {
			return false
		}
		a := face{size: max(minText, r*1.15), bold: true}
		l.p.stands = append(l.p.stands, standPlan{x: x, y: y, r: r, index: client, holds: holds,
			letter: middle(a.fit(2*r+2, letter(client)), x, y, a, inkPlain, 2*r+2)})
		x += step
		return true
	}
	if head > 0 {
		k := &l.s.Locks[head-1]
		if c := l.client(k.Client); put(c, true) {
			first := len(l.p.marks)
			l.shows(HeadMark, letter(c), k.Path, around(x-step, y, r))
			l.saying(first, l.phrase("scene.has-locked", base(k.Path)))
		}
		x += r
	}
	rest := int32(0)
	for i := range l.s.Kept {
		k := &l.s.Kept[i]
		if k.Over || l.cell(k.Node, k.Path) != at {
			continue
		}
		if l.far.queues[at].planned++; rest > 0 || !put(l.client(k.Client), false) {
			rest++
			continue
		}
		first := len(l.p.marks)
		l.shows(KeptMark, letter(l.client(k.Client)), k.Path, around(x-step, y, r))
		l.saying(first, l.phrase("scene.stands", base(k.Path)))
	}
	if rest > 0 && len(l.p.stands) > 0 { // the last gives its place to how many more there are
		last := &l.p.stands[len(l.p.stands)-1]
		last.index = -1
		a := face{size: minText, bold: true}
		last.letter = middle(a.fit(3*r, l.say("+").num(int64(rest+1)).label(), "…"), last.x, y, a, inkSoft, 3*r)
	}
}

// planRemoteLinks plans each client's connection to the node that it talks to.
func (l *Layout) planRemoteLinks() {
	for i := range l.spots {
		c, p := &l.s.Clients[i], &l.spots[i]
		if p.r <= 0 || p.dot || p.gap > 0 || !c.Started || c.Exited || c.Crashed {
			continue
		}
		bottom := p.y - ringOf(p.r) - p.r*0.35
		out := linkPlan{x: p.x, top: l.far.sizes.bottom, bottom: bottom, client: i, name: c.Name}
		out.broken = l.severed(c)
		switch {
		case !out.broken && !c.Linked:
			continue
		case out.broken:
			r := max(6, 9*l.m.k)
			l.shows(CutMark, letter(i), "", around(p.x, mix(out.top, out.bottom, cutAt), r*1.5))
			l.p.links = append(l.p.links, out)
		case len(l.far.boxes) == 1:
			l.p.links = append(l.p.links, out)
		default:
			l.planRemoteWires(c, p.x, bottom)
		}
	}
}

// planRemoteWires plans the lines from a client to the nodes that it talks to: to one, or to all that know nothing
// of each other.
func (l *Layout) planRemoteWires(c *view.Client, x, y float64) {
	node, of := l.drawn(c.Talks)
	if node < 0 {
		return
	}
	first, n := node, 1
	if sys := &l.far.systems[of]; sys.apart {
		first, n = sys.first, sys.nodes
	}
	for k := first; k < first+n; k++ {
		l.wire(l.far.boxes[k].midX(), l.far.sizes.bottom, x, y, straightWire)
	}
}

// onWire is the place of a message on its way between a client and a node; false if neither is a node that is drawn.
func (l *Layout) onWire(p *spot, part float64, m *view.Flight) (x, y float64, ok bool) {
	node, up := m.To, true
	if node.Kind() != event.ANode {
		node, up = m.From, false
	}
	k, _ := l.drawn(node)
	if k < 0 {
		return 0, 0, false
	}
	if up {
		part = 1 - part
	}
	top, bottom := l.far.sizes.bottom, p.y-ringOf(p.r)-p.r*0.35
	half := l.messageH() / 2
	at := p.x
	if len(l.far.boxes) > 1 {
		at = mix(l.far.boxes[k].midX(), p.x, part)
	}
	return at, mix(top+half, max(bottom-half, top+half), part), true
}

// remoteWord is what a message to or from a node says in a word, if there is that much room.
func (l *Layout) remoteWord(m *view.Flight, room float64) string {
	a := l.m.small
	if m.Reply || m.Notify {
		return l.cut(m.Text, a, min(room, a.size*9))
	}
	long, short := l.command(m.Text)
	return a.fit(room, long, short)
}

// remoteData is what there is to say of a client that has to do with nodes: when it tries again, or how long what it is
// inside by still lasts.
func (l *Layout) remoteData(i int) datum {
	c := &l.s.Clients[i]
	now := l.clockNow()
	switch {
	case c.Crashed || c.Exited:
	case c.KeptAt != 0:
		says := l.phrase("scene.stands", base(c.KeptFor))
		return datum{KeptMark, base(c.KeptFor), says, l.phrase("scene.waits")}
	case c.TryAt > now:
		if !l.o.Still && !l.s.Ended {
			l.p.Moving = true
		}
		rest := l.tenthsOfSeconds(c.TryAt - now)
		return datum{TriesMark, rest, l.phrase("scene.tries", rest), l.phrase("scene.tries.short", rest)}
	}
	return datum{}
}

// entryLeft is how much of its time what the client is inside by still has; false if it is inside by nothing that ends.
func (l *Layout) entryLeft(i int) (part float64, ok bool) {
	if l.kind != remoteKind || l.far.clients[i].entry == 0 {
		return 0, false
	}
	x := &l.s.Entries[l.far.clients[i].entry-1]
	if x.Expires == 0 || x.Gone {
		return 0, false
	}
	part, _ = l.rest(x)
	return part, true
}

// fadingFrom is how much is left to see of what has gone.
func (l *Layout) fadingFrom(gone time.Duration) float64 {
	if l.o.Still {
		return 0.45
	}
	return 1 - l.passed(gone, fadeFor)
}

// tenthOf is a part in tenths.
func (l *Layout) tenthOf(part float64) string {
	l.buf = strconv.AppendFloat(l.buf, part, 'f', 1, 64)
	return l.label()
}

// tenthsOfSeconds is a time in seconds with one decimal.
func (l *Layout) tenthsOfSeconds(d time.Duration) string {
	l.buf = strconv.AppendFloat(l.buf, d.Seconds(), 'f', 1, 64)
	return l.label()
}

// whole is a time in whole seconds.
func (l *Layout) whole(d time.Duration) string { return l.num(int64(d / time.Second)).label() }

// crossing reports whether messages go to and fro on lines that cross each other.
func (l *Layout) crossing() bool { return l.kind == remoteKind && len(l.far.boxes) > 1 }

// planCrossing gives a message its word, if that lies on no other message's and within the picture.
func (l *Layout) planCrossing(p *messagePlan, a face, word string, w, sign float64) {
	h := l.messageH()
	r := rect{min(max(p.x-w/2, 1), l.o.Width-w-1), p.y - h/2, w, h}
	free := word != "" && w < l.o.Width/2 && r.bottom() < l.far.sizes.low // not on those in front
	for i := range l.p.messages {
		o := &l.p.messages[i].word.rect
		free = free && (o.w == 0 || r.right()+1 < o.x || o.right()+1 < r.x || r.bottom()+1 < o.y || o.bottom()+1 < r.y)
	}
	if !free {
		p.look = wordless
		return
	}
	p.word = tag{rect: r, radius: h / 2, text: middle(word, r.midX()+sign/2, p.y, a, inkPlain, w)}
	if sign > 0 {
		p.eye = spotMark{r.x + h*0.7, p.y, h * 0.24}
	}
}
