package remote

import (
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/message"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
	"github.com/zkviz/zkviz/engine/stage/scene/watch"
)

// traffic plans the messages from and to the nodes.
type traffic struct {
	*Holdings
	ways     *ways
	messages *message.Messages
	letters  *message.Letters
}

// remoteOf returns the node at one end of a message and the client at the other, or -1.
func (t *traffic) remoteOf(m *view.Flight) (node, client int, up bool) {
	if node, _ = t.drawn(m.To); node >= 0 {
		return node, t.Client(m.From), true
	}
	if node, _ = t.drawn(m.From); node >= 0 {
		return node, t.Client(m.To), false
	}
	return -1, -1, false
}

// planRemoteMessage plans a message between a client and a node.
func (t *traffic) planRemoteMessage(m *view.Flight) {
	part, seen := t.Progress(m)
	node, i, up := t.remoteOf(m)
	if !seen || node < 0 || i < 0 || t.Spots[i].R <= 0 || t.Spots[i].Dot {
		return
	}
	if t.Severed(&t.State.Clients[i]) { // it stops at the scissors
		limit := cutFrom * 0.6
		if !up {
			limit = (1 - cutFrom) * 0.85
		}
		part = min(part, limit)
	}
	p := message.Plan{Client: i, Name: t.State.Clients[i].Name, Seq: m.Seq, Up: up, Reply: !up,
		Bad: m.Reply && m.Code != 0, Alpha: 1}
	p.X, p.Y = t.onWay(i, node, part, up)
	if t.Kind != floor.RemoteKind {
		p.Up = !up // the node is below
	}
	long, short := t.remoteWords(m)
	if m.Notify && !m.Dropped {
		p.Look, p.Bang = message.Pushed, watch.PulseR(&t.Sizes, t.Routes.Fine)
		noted := len(t.Marks)
		t.Shows(mark.Told, text.Letter(i), m.Path, geom.Around(p.X, p.Y, p.Bang))
		t.Saying(noted, t.fullName(m.Path))
		t.messages.List = append(t.messages.List, p)
		return
	}
	t.wordRemote(&p, long, short, m.Watch != event.NoWatch)
	p.Under = p.Look == message.Wordless
	if m.Dropped {
		p.Look = message.LostMessage
		if !t.Options.Still {
			t.Moving = true
			p.Alpha = 1 - t.Passed(m.OverAt, floor.CrossFor)
		}
	}
	t.remoteMessageMark(m, &p, long)
	t.messages.List = append(t.messages.List, p)
}

// onWay returns the position of a message between a client and a node.
func (t *traffic) onWay(i, node int, part float64, up bool) (x, y float64) {
	var way geom.Path
	t.ways.remoteWay(i, node, &way)
	if !up {
		part = 1 - part
	}
	x, y = way.At(part)
	half, b, p := t.MessageH()/2, t.boxes[node], &t.Spots[i]
	if t.Kind != floor.RemoteKind {
		return x, max(t.sizes.low+half, min(y, b.Y-half))
	}
	bottom := p.Y - floor.RingOf(p.R) - p.R*0.35
	if p.Gap > 0 {
		return x, max(y, b.Bottom()+half)
	}
	return x, min(max(y, b.Bottom()+half), max(bottom-half, b.Bottom()+half))
}

// remoteWords returns the words for a message, in a long and a short form.
func (t *traffic) remoteWords(m *view.Flight) (long, short string) {
	switch {
	case m.Op == event.Connect:
		word := t.OpWord(m.Op)
		return word, word
	case m.Reply || m.Notify:
		a, says := t.Sizes.Small, t.withoutRoot(m.Text)
		return t.Cut(says, a, a.Size*11), t.Cut(says, a, a.Size*5)
	}
	return t.Command(m.Text)
}

// withoutRoot strips the root from the paths in a text, as the cards do.
func (t *traffic) withoutRoot(s string) string {
	root := t.State.Root
	if root == "" || root == "/" {
		return s
	}
	for {
		i := strings.Index(s, root)
		if i < 0 || i+len(root) >= len(s) || s[i+len(root)] != '/' {
			break
		}
		t.Say(s[:i])
		s = s[i+len(root)+1:]
	}
	return t.Say(s).Label()
}

// wordRemote gives a message its word if there is room; otherwise it is a dot. A request that sets a watch has an eye.
func (t *traffic) wordRemote(p *message.Plan, long, short string, watch bool) {
	a, h := t.Sizes.Small, t.MessageH()
	sign := 0.0
	if p.Bad || watch {
		sign = h * 0.9
	}
	p.Look = message.Wordless
	if t.Spots[p.Client].Gap > 0 {
		return
	}
	room := max(t.Routes.Pitch-4, 0)
	edge := 2 * (min(p.X, t.Options.Width-p.X) - h*0.4) // a line through it is longer
	frame := 10*max(t.Sizes.K, 0.7) + sign
	for _, word := range [...]string{long, short} {
		w := a.Width(word) + frame
		r := geom.R(p.X-w/2, p.Y-h/2, w, h)
		if word == "" || w > room || w > edge || t.messages.OnWord(r) {
			continue
		}
		p.Look = message.Worded
		p.Word = text.Tag{Rect: r, Radius: h / 2, Text: text.Centred(word, p.X+sign/2, p.Y, a, text.InkPlain, w)}
		if sign > 0 {
			p.Eye = geom.Round{X: r.X + h*0.7, Y: p.Y, R: h * 0.24}
		}
		return
	}
}

// remoteMessageMark records what a message shows.
func (t *traffic) remoteMessageMark(m *view.Flight, p *message.Plan, says string) {
	r := p.Word.Rect
	if r.W == 0 {
		r = geom.Around(p.X, p.Y, max(3, 4*t.Sizes.K))
	}
	first, who := len(t.Marks), text.Letter(p.Client)
	switch {
	case p.Look == message.LostMessage:
		if p.Alpha > 0.02 {
			if p.Word.W == 0 {
				r = geom.Around(p.X, p.Y, max(5, 7*t.Sizes.K))
			}
			t.Shows(mark.Lost, who, "", r)
		}
		return
	case p.Reply:
		t.Shows(mark.Reply, m.Op.String(), t.Say(who, " ", says).Label(), r)
	default:
		t.Shows(mark.Message, m.Op.String(), t.Say(who, " ", says).Label(), r)
		says = t.Cut(m.Text, t.Sizes.Small, t.Options.Width)
	}
	t.Saying(first, says)
}

// planRemoteDots plans the messages of clients that are dots.
func (t *traffic) planRemoteDots() {
	for k := range t.State.Flights {
		m := &t.State.Flights[k]
		node, i, up := t.remoteOf(m)
		if node < 0 || i < 0 || !t.Spots[i].Dot {
			continue
		}
		part, seen := t.Progress(m)
		if !seen {
			continue
		}
		x, y := t.onWay(i, node, part, up)
		p := message.Particle{X: float32(x), Y: float32(y), R: float32(max(1.4, 2.4*t.Sizes.K)), Look: message.ReplyParticle}
		switch {
		case m.Dropped:
			p.Look = message.LostParticle
		case m.Notify:
			p.Look = message.EventParticle
		case up:
			p.Look = message.RequestParticle
		}
		t.messages.Requests = append(t.messages.Requests, p)
	}
}
